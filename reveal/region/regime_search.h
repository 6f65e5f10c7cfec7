// All regimes: learn one, find where it ends, go on beyond each of its borders.
#pragma once

#include <string>
#include <vector>

#include "reveal/region/atoms.h"
#include "reveal/region/core.h"

namespace reprosum::reveal::region {

struct Found {
  Rule rule;
  std::vector<Bracket> brackets;  // of the guard's own atoms
  bool covers_nothing = false;    // it only keeps its shapes from the regimes after it
};

// The guard and the conditions of the brackets.
std::vector<spec::Atom> with(std::vector<spec::Atom> guard, const std::vector<Bracket>& added);

// Whether `guard` admits less than a tenth of what `known` does. A rule that holds for so little of
// its former guard may hold there only because small shapes show little, and without these the
// other shapes are harder to learn.
bool keeps_few(const std::vector<spec::Atom>& known, const std::vector<spec::Atom>& guard,
               const RegionOptions& options);

class RegimeSearch {
 public:
  explicit RegimeSearch(Maps& maps) : maps_(maps) {}

  // All regimes. The rules of a similar context are tried first (nullptr: there is none).
  void run(const LearnedRegions* similar);
  // Regimes that cover the shapes of a guard, as far as rules were found. Sets `failures`. When the
  // time is over, `pending` has the guards that were not searched.
  struct Task {
    std::vector<spec::Atom> guard;
    int depth = 0;
  };
  void search_all(const std::vector<Task>& tasks);

  // Looks where m, n and k are all large. Where the rules found are wrong there, conditions m > a,
  // n > b, k > c bound a region that is searched apart: what is found stands before the others,
  // and a regime that covers nothing after it. Throws OutOfTime before anything was decided.
  void search_far();

  // Learns the regime again with these shapes among the experiments.
  bool repair(Found& regime, const std::vector<spec::Shape3>& wrong);

  std::vector<Found> found;
  std::vector<std::string> failures;
  std::vector<Task> pending;
  std::vector<spec::Shape3> doubts;  // held-out shapes that contradicted a rule
  // All that were learned up to the largest sizes, right or not: each guard is where it was
  // learned.
  std::vector<Rule> long_rules;
  bool ends_at_long_rule = false;  // the first one is all that is wanted

 private:
  void search(const Task& task);
  // Finds one regime in the task's guard; false if no conditions remain to be looked beyond.
  bool settle(const Task& task, std::vector<Bracket>& added);
  // Learns one regime in the guard: its rule, and in `added` the further conditions that it needs.
  std::optional<Rule> learn(const std::vector<spec::Atom>& guard, std::int64_t k_least,
                            std::vector<Bracket>& added, std::string& why, int escalations);
  // Whether a rule found before, or one of another context, covers this guard's shapes as well; it
  // is then found again. `added`: up to the end of an axis beyond which others are right.
  bool adopt(const std::vector<spec::Atom>& guard, std::vector<Bracket>& added);
  bool adopt(Rule rule, const std::vector<spec::Atom>& guard, std::vector<Bracket>& added);
  // Takes rules of another context over where they hold here. Returns the tasks that remain.
  std::vector<Task> reuse(const LearnedRegions& similar);
  // Finds further conditions that such a rule needs here. False if it holds nowhere.
  bool confine(Rule& rule, const std::vector<Bracket>& likely, std::vector<Bracket>& added);
  // Whether samples of all k show the rule to be right, and enough of them do. `unknown`: how many
  // sizes had no words.
  bool stands(Rule& rule, std::int64_t* unknown = nullptr);
  // Lengthens the last segments at smaller k than k_ref.
  void extend(Rule& rule);
  // Lengthens the last segment of one side, if enough shapes of these k are right. False if one
  // contradicts the rule.
  bool follow(Rule& rule, Side side, const std::vector<std::int64_t>& ks, int looks_per_k);
  // Adds conditions that exclude the contradicting shapes, for rules that no threshold explains.
  // False if the rule keeps few shapes.
  bool salvage(Rule& rule, std::vector<Bracket>& added);

  Maps& maps_;
  std::optional<Rule> candidate_;  // the last one of learn(), not certain
};

}  // namespace reprosum::reveal::region
