#include "src/blas/call_reader.h"

#include <algorithm>
#include <cstring>

#include "src/blas/matrix.h"
#include "src/blas/not_served.h"

namespace reprosum::blas {
namespace {

#if defined(__x86_64__)
constexpr int kWholeRegisters = 6;
#else
constexpr int kWholeRegisters = 8;
#endif
constexpr int kRealRegisters = 8;

char upper_case(int letter) {
  return static_cast<char>(letter >= 'a' && letter <= 'z' ? letter - 'a' + 'A' : letter);
}

// A choice of two, by Fortran's letter or CBLAS's number.
struct Choice {
  char letter;
  int number;
  bool is(bool by_number, int given) const {
    return by_number ? given == number : upper_case(given) == letter;
  }
};

}  // namespace

std::uint64_t CallReader::next() {
  return whole_ < kWholeRegisters ? saved_.whole[whole_++] : saved_.stack[stack_++];
}

void* CallReader::array() {
  const std::uint64_t word = next();
  void* address = nullptr;
  std::memcpy(&address, &word, sizeof address);
  return address;
}

std::int64_t CallReader::integer() {
  if (!is_cblas_) return integer_at(array(), 0);
  const std::uint64_t word = next();
  return is_wide_ ? static_cast<std::int64_t>(word) : static_cast<std::int32_t>(word);
}

std::int64_t CallReader::integer_at(const void* integers, std::int64_t place) const {
  if (is_wide_) return static_cast<const std::int64_t*>(integers)[place];
  return static_cast<const std::int32_t*>(integers)[place];
}

int CallReader::letter() {
  if (is_cblas_) return static_cast<std::int32_t>(next());
  return *static_cast<const char*>(array());
}

int CallReader::layout() {
  if (!is_cblas_) return 0;
  const int given = letter();
  require(blas::is_layout(given));
  is_row_major_ = given == kRowMajor;
  return given;
}

void CallReader::named_layout() {
  constexpr Choice kRows{'R', kRowMajor}, kColumns{'C', kColumnMajor};
  const int given = letter();
  is_row_major_ = kRows.is(is_cblas_, given);
  require(is_row_major_ || kColumns.is(is_cblas_, given));
}

bool CallReader::is_left() {
  constexpr Choice kLeft{'L', 141}, kRight{'R', 142};
  const int given = letter();
  require(kLeft.is(is_cblas_, given) || kRight.is(is_cblas_, given));
  return kLeft.is(is_cblas_, given);
}

bool CallReader::is_upper() {
  constexpr Choice kUpper{'U', 121}, kLower{'L', 122};
  const int given = letter();
  require(kUpper.is(is_cblas_, given) || kLower.is(is_cblas_, given));
  return kUpper.is(is_cblas_, given) != is_row_major_;
}

bool CallReader::is_plain() {
  const int given = letter();
  const int trans = is_cblas_ ? given : transpose_of(static_cast<char>(given));
  require(is_known(trans, Rules::standard));
  return trans == kPlain;
}

bool CallReader::is_plain_copy() {
  const int given = letter();
  const int trans = is_cblas_ ? given : transpose_of(static_cast<char>(given));
  require(is_known(trans, Rules::loosest));
  return trans == kPlain || trans == kConjugatedPlain;
}

void CallReader::diagonal() {
  constexpr Choice kNonUnit{'N', 131}, kUnit{'U', 132};
  const int given = letter();
  require(kNonUnit.is(is_cblas_, given) || kUnit.is(is_cblas_, given));
}

std::int64_t CallReader::size() {
  const std::int64_t given = integer();
  require(given >= 0);
  return given;
}

std::int64_t CallReader::increment() {
  const std::int64_t given = integer();
  require(given != 0);
  return given;
}

std::int64_t CallReader::any_increment() { return integer(); }

std::int64_t CallReader::leading(std::int64_t rows, std::int64_t columns) {
  const std::int64_t given = integer();
  require(given >= std::max<std::int64_t>(1, is_row_major_ ? columns : rows));
  return given;
}

void CallReader::scalar() {
  if (parts() == 2)
    next();
  else
    real_scalar();
}

void CallReader::real_scalar() {
  if (!is_cblas_)
    next();
  else if (real_ < kRealRegisters)
    ++real_;
  else
    ++stack_;
}

void CallReader::put(void* number, int reals) {
  for (int i = 0; i < reals && is_legal_ && number != nullptr; ++i) {
    if (is_single())
      put_nan(static_cast<float*>(number) + i);
    else
      put_nan(static_cast<double*>(number) + i);
  }
}

void CallReader::put_vector(void* vector, std::int64_t n, std::int64_t increment) {
  if (!is_legal_) return;
  if (is_single())
    put_nan(static_cast<float*>(vector), n, increment, parts());
  else
    put_nan(static_cast<double*>(vector), n, increment, parts());
}

void CallReader::put_matrix(void* matrix, std::int64_t m, std::int64_t n, std::int64_t leading) {
  if (!is_legal_) return;
  if (is_row_major_) std::swap(m, n);
  if (is_single())
    put_nan_in_matrix(static_cast<float*>(matrix), m, n, leading, parts());
  else
    put_nan_in_matrix(static_cast<double*>(matrix), m, n, leading, parts());
}

void CallReader::put_triangle(void* matrix, bool upper, std::int64_t n, std::int64_t leading) {
  if (!is_legal_) return;
  if (is_single())
    put_nan_in_triangle(static_cast<float*>(matrix), upper, n, leading, parts());
  else
    put_nan_in_triangle(static_cast<double*>(matrix), upper, n, leading, parts());
}

void CallReader::put_info(int number, int value) {
  whole_ = std::min(number - 1, kWholeRegisters);
  stack_ = number - 1 - whole_;
  void* const info = array();
  if (info == nullptr) return;
  if (is_wide_)
    *static_cast<std::int64_t*>(info) = value;
  else
    *static_cast<std::int32_t*>(info) = value;
}

void CallWriter::layout(int value) {
  if (like_.is_cblas_) add(static_cast<std::uint64_t>(value));
}

void CallWriter::letter_at(const void* letters, std::int64_t place) {
  if (like_.is_cblas_)
    add(static_cast<std::uint64_t>(static_cast<const std::int32_t*>(letters)[place]));
  else
    array(static_cast<const char*>(letters) + place);
}

void CallWriter::integer_at(const void* integers, std::int64_t place) {
  if (like_.is_cblas_)
    add(static_cast<std::uint64_t>(like_.integer_at(integers, place)));
  else
    array(static_cast<const char*>(integers) + place * (like_.is_wide_ ? 8 : 4));
}

// A real number of CBLAS has a register of its own kind, and its value is never read.
void CallWriter::scalar_at(const void* scalars, std::int64_t place) {
  if (like_.is_cblas_ && like_.parts() == 1) return;
  array(static_cast<const char*>(scalars) + place * like_.parts() * (like_.is_single() ? 4 : 8));
}

void CallWriter::array(const void* address) {
  std::uint64_t word = 0;
  std::memcpy(&word, &address, sizeof address);
  add(word);
}

CallReader CallWriter::reader() const {
  static_assert(kMost >= kWholeRegisters);
  return CallReader({words_, nullptr, words_ + kWholeRegisters}, like_.is_cblas_, like_.is_wide_,
                    like_.type_);
}

}  // namespace reprosum::blas
