// reprosum hash: a document made or changed by hand is refused until it is stamped.
#include "command.h"
#include "tests/src/report/sample_specs.h"

namespace reprosum::cli {
namespace {

std::string stamp_of(const std::string& document) {
  return nlohmann::json::parse(document).at("sha256").get<std::string>();
}

// As an editor would leave it.
std::string changed(const std::string& document) {
  auto json = nlohmann::json::parse(document);
  json.at("entries").at(0).at("guard").at("threads") = {1, 2};
  return json.dump();
}

TEST(Hash, SaysTheStampThatTheDocumentHas) {
  const Scratch scratch;
  const std::string document = sample_spec({{"ddot", kLanesOrder}});
  const Outcome said = reprosum("hash " + scratch.write("a.json", document));
  EXPECT_EQ(said.code, 0) << said.err;
  EXPECT_EQ(said.out, stamp_of(document) + "\n");
  EXPECT_EQ(contents(scratch.file("a.json")), document) << "written without --write";
}

TEST(Hash, StampsWhatWasChangedByHand) {
  const Scratch scratch;
  const std::string document = sample_spec({{"ddot", kLanesOrder}});
  const std::string path = scratch.write("a.json", changed(document));
  const Outcome refused = reprosum("show " + path);
  EXPECT_EQ(refused.code, 2);
  EXPECT_NE(refused.err.find("sha256"), std::string::npos) << refused.err;

  const Outcome stamped = reprosum("hash --write --json " + path);
  EXPECT_EQ(stamped.code, 0) << stamped.err;
  const std::string after = contents(path);
  EXPECT_EQ(nlohmann::json::parse(stamped.out).at("sha256"), stamp_of(after));
  EXPECT_NE(stamp_of(after), stamp_of(document));
  EXPECT_EQ(reprosum("show " + path).code, 0);
  EXPECT_EQ(reprosum("hash --write " + path).code, 0);
  EXPECT_EQ(contents(path), after) << "a second stamp changes nothing";
}

TEST(Hash, StampsWhatHasNone) {
  const Scratch scratch;
  auto json = nlohmann::json::parse(sample_spec({{"dsum", kSequentialOrder}}));
  const std::string right = json.at("sha256");
  json.erase("sha256");
  const std::string path = scratch.write("a.json", json.dump());
  EXPECT_EQ(reprosum("show " + path).code, 2);
  EXPECT_EQ(reprosum("hash --write " + path).out, right + "\n");
  EXPECT_EQ(reprosum("show " + path).code, 0);
}

TEST(Hash, StampsNoDocumentThatIsNone) {
  const Scratch scratch;
  for (const std::string text : {"", "{}", "[1]", "{\"schema\": \"reprosum-spec/0\"}"}) {
    const std::string path = scratch.write("a.json", text);
    EXPECT_EQ(reprosum("hash --write " + path).code, 2) << text;
    EXPECT_EQ(contents(path), text);
  }
  EXPECT_EQ(reprosum("hash --write - < /dev/null").code, 2);
}

}  // namespace
}  // namespace reprosum::cli
