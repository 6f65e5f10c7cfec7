#include "src/exact/values/bytes.h"

#include <cstring>

namespace reprosum::exact {
namespace {

constexpr unsigned char kMagic[4] = {'R', 'S', 'A', 'C'};
constexpr unsigned char kVersion = 1;

template <class A>
typename Accumulator<A>::Words words_of(const unsigned char* bytes) {
  typename Accumulator<A>::Words words{};
  for (std::size_t i = 0; i < 8 * words.size(); ++i)
    words[i / 8] |= std::uint64_t{bytes[kHeaderBytes + i]} << (8 * (i % 8));
  return words;
}

template <class A>
const char* check_state(const unsigned char* bytes, std::size_t size) {
  if (size != kSavedBytes<A>) return "the number of bytes is not that of their type";
  Accumulator<A> accumulator;
  if (!accumulator.assign(words_of<A>(bytes), bytes[6]))
    return "the bytes are damaged: no terms give this state";
  return nullptr;
}

}  // namespace

template <class A>
void save(const Accumulator<A>& accumulator, unsigned char* bytes) {
  std::memcpy(bytes, kMagic, 4);
  bytes[4] = kVersion;
  bytes[5] = Format<A>::kDouble ? 1 : 0;
  bytes[6] = accumulator.seen();
  bytes[7] = 0;
  for (std::size_t i = 0; i < 8 * Accumulator<A>::kWords; ++i)
    bytes[kHeaderBytes + i] =
        static_cast<unsigned char>(accumulator.words()[i / 8] >> (8 * (i % 8)));
}

const char* check_saved(const unsigned char* bytes, std::size_t size, int* type) {
  *type = -1;
  if (size < kHeaderBytes) return "fewer bytes than a header has";
  if (std::memcmp(bytes, kMagic, 4) != 0) return "the bytes are not those of an accumulator";
  if (bytes[4] != kVersion) return "the bytes have another version than 1";
  if (bytes[5] > 1) return "the bytes name an unknown type";
  if (bytes[7] != 0) return "the bytes are damaged: byte 7 is not 0";
  *type = bytes[5];
  return *type == 1 ? check_state<double>(bytes, size) : check_state<float>(bytes, size);
}

template <class A>
void load(const unsigned char* bytes, Accumulator<A>& accumulator) {
  accumulator.assign(words_of<A>(bytes), bytes[6]);
}

template void save(const Accumulator<float>&, unsigned char*);
template void save(const Accumulator<double>&, unsigned char*);
template void load(const unsigned char*, Accumulator<float>&);
template void load(const unsigned char*, Accumulator<double>&);

}  // namespace reprosum::exact
