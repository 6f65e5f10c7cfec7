// The arguments of a call that has only come as far as its trampoline, read one after the other as
// the routine's standard lists them, for each face and width of integers.
#pragma once

#include <cstddef>
#include <cstdint>

namespace reprosum::blas {

// What the trampoline saved.
struct SavedArguments {
  const std::uint64_t* whole;  // the registers of integers and addresses
  const char* real;            // those of floating-point numbers, 16 bytes apart
  const std::uint64_t* stack;  // the arguments that had no register
};

// Also judges what it reads: of a call with a forbidden argument no output is written.
class CallReader {
 public:
  // `is_cblas`: numbers are passed by value, and of complex type by address, and the routines with
  // a matrix begin with a layout. `is_wide`: integers have 64 bits. `type`: s, d, c or z.
  CallReader(const SavedArguments& saved, bool is_cblas, bool is_wide, char type)
      : saved_(saved), is_cblas_(is_cblas), is_wide_(is_wide), type_(type) {}

  int layout();         // of CBLAS; a Fortran call has none: 0
  void named_layout();  // of OpenBLAS's copies, which have a letter for it in Fortran
  bool is_left();
  bool is_upper();       // as stored in columns: that of a row-major call is turned
  bool is_plain();       // a transpose
  bool is_plain_copy();  // of OpenBLAS's copies, which have 'R': conjugated, not transposed
  void diagonal();
  std::int64_t size();
  std::int64_t increment();                                       // not 0
  std::int64_t any_increment();                                   // of level 1
  std::int64_t leading(std::int64_t rows, std::int64_t columns);  // of a stored matrix
  std::int64_t leading(std::int64_t least) { return leading(least, least); }
  void scalar();       // of the routine's type
  void real_scalar();  // real even for complex routines
  void* array();
  std::int64_t integer_at(const void* integers, std::int64_t place) const;  // an element
  bool is_legal() const { return is_legal_; }                               // what was read so far

  // The outputs, once all arguments are read.
  void put(void* number, int reals);
  void put_vector(void* vector, std::int64_t n, std::int64_t increment);
  void put_matrix(void* matrix, std::int64_t m, std::int64_t n, std::int64_t leading);
  void put_triangle(void* matrix, bool upper, std::int64_t n, std::int64_t leading);
  void put_packed(void* matrix, std::int64_t n) { put_vector(matrix, n * (n + 1) / 2, 1); }
  // LAPACK's INFO, the argument of this number, from 1.
  void put_info(int number, int value);

 private:
  friend class CallWriter;
  std::uint64_t next();
  std::int64_t integer();
  int letter();
  void require(bool condition) { is_legal_ = is_legal_ && condition; }
  int parts() const { return type_ == 'C' || type_ == 'Z' ? 2 : 1; }
  bool is_single() const { return type_ == 'S' || type_ == 'C'; }

  SavedArguments saved_;
  bool is_cblas_, is_wide_;
  char type_;
  bool is_row_major_ = false, is_legal_ = true;
  int whole_ = 0, real_ = 0, stack_ = 0;
};

// A call of another routine with the face, width and type of a given one, from elements of arrays.
class CallWriter {
 public:
  explicit CallWriter(const CallReader& like) : like_(like) {}
  CallWriter(const CallWriter&) = delete;
  CallWriter& operator=(const CallWriter&) = delete;

  void layout(int value);
  void letter_at(const void* letters, std::int64_t place);
  void integer_at(const void* integers, std::int64_t place);
  void scalar_at(const void* scalars, std::int64_t place);
  void array(const void* address);
  // Reads what was written. This must outlive it.
  CallReader reader() const;

 private:
  void add(std::uint64_t word) { words_[count_++] = word; }
  static constexpr std::size_t kMost = 16;

  const CallReader& like_;
  std::uint64_t words_[kMost] = {};
  std::size_t count_ = 0;
};

}  // namespace reprosum::blas
