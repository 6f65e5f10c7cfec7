#include "reveal/target/matrix_server.h"

#include <sys/mman.h>

#include <cstdint>
#include <cstring>
#include <new>
#include <utility>

#include "reveal/target/matrix_place.h"
#include "reveal/target/output_hash.h"

namespace reprosum::reveal {
namespace {

// Memory beyond this is given back when a much smaller request follows.
constexpr std::size_t kKeepBytes = std::size_t{64} << 20;

std::size_t round_up(std::size_t value, std::size_t multiple) {
  return (value + multiple - 1) / multiple * multiple;
}

// From the start of an operand's memory, at a multiple of the modulus of its address, to its first
// element; and to its end.
template <typename T>
std::size_t shift(const OperandLayout& layout) {
  static_assert(kGuardElements * sizeof(T) % kLineBytes == 0);
  return round_up(static_cast<std::size_t>(kGuardElements) * sizeof(T),
                  static_cast<std::size_t>(layout.modulus)) +
         static_cast<std::size_t>(layout.align);
}
template <typename T>
std::size_t bytes_of(const OperandLayout& layout) {
  const auto elements = static_cast<std::size_t>(layout.extent + kGuardElements);
  return round_up(shift<T>(layout) + elements * sizeof(T),
                  static_cast<std::size_t>(layout.modulus));
}

// Elements that a probe replaces, until restore() or the end, whatever the call does.
template <typename T>
class Replaced {
 public:
  explicit Replaced(ProbedLibrary& library) : library_(library) {}
  ~Replaced() { restore(); }
  Replaced(const Replaced&) = delete;
  Replaced& operator=(const Replaced&) = delete;

  void replace(T* element, T value) {
    held_.emplace_back(element, *element);
    put(element, value);
  }
  void restore() {
    for (; !held_.empty(); held_.pop_back()) put(held_.back().first, held_.back().second);
  }

 private:
  void put(T* element, T value) {
    *element = value;
    library_.changed(element, sizeof(T));
  }
  ProbedLibrary& library_;
  std::vector<std::pair<T*, T>> held_;
};

template <typename T>
std::size_t operand_bytes_as(const MatrixLayouts& layouts) {
  std::size_t bytes = round_up(static_cast<std::size_t>(layouts[2].extent) * sizeof(T), kLineBytes);
  bytes += static_cast<std::size_t>(layouts[0].modulus);  // the arena begins at a page
  for (const OperandLayout& layout : layouts) bytes += bytes_of<T>(layout);
  return bytes;
}

}  // namespace

Arena::~Arena() {
  if (data_) munmap(data_, size_);
}

std::byte* Arena::take(std::size_t bytes) {
  if (bytes <= size_ && (size_ <= kKeepBytes || bytes >= size_ / 4)) return data_;
  if (data_) munmap(data_, size_);
  data_ = nullptr;
  size_ = 0;
  const std::size_t wanted = round_up(bytes + bytes / 2, std::size_t{1} << 20);
  void* const address = mmap(nullptr, wanted, PROT_READ | PROT_WRITE,
                             MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (address == MAP_FAILED) throw std::bad_alloc();
  data_ = static_cast<std::byte*>(address);
  size_ = wanted;
  return data_;
}

std::size_t operand_bytes(const MatrixLayouts& layouts, spec::Type type) {
  for (const OperandLayout& layout : layouts) {
    if (layout.extent > static_cast<std::int64_t>(kOperandsBytes)) return kOperandsBytes + 1;
  }
  return spec::is_f32(type) ? operand_bytes_as<float>(layouts) : operand_bytes_as<double>(layouts);
}

template <typename T>
T* MatrixServer::first(std::size_t operand) const {
  return reinterpret_cast<T*>(first_[operand]);
}

// Lays out the operands of `call`; their elements are not written.
template <typename T>
void MatrixServer::arrange(const Call& call) {
  layouts_ = layouts_of(call);
  std::byte* at = arena_.take(operand_bytes_as<T>(layouts_));
  const auto begin = reinterpret_cast<std::uintptr_t>(at);
  at += round_up(begin, static_cast<std::size_t>(call.place.modulus)) - begin;
  for (std::size_t turn = 0; turn < layouts_.size(); ++turn) {
    const std::size_t i = call.place.is_reversed ? layouts_.size() - 1 - turn : turn;
    first_[i] = at + shift<T>(layouts_[i]);
    at += bytes_of<T>(layouts_[i]);
  }
  if (call.place.shift) {
    const std::size_t longer = layouts_[0].extent < layouts_[1].extent ? 1 : 0;
    first_[0] = first_[1] = first_[longer];
    place_guards(layouts_[longer], first<T>(longer));
  } else {
    place_guards(layouts_[0], first<T>(0));
    place_guards(layouts_[1], first<T>(1));
  }
  place_guards(layouts_[2], first<T>(2));
  base_c_ = at;
}

MatrixArguments MatrixServer::arguments(const Call& call) const {
  MatrixArguments all;
  all.gemv = call.routine == spec::Routine::gemv;
  all.row_major = call.row_major;
  all.cblas = call.cblas;
  all.conjugate = call.conjugate;
  all.trans_a = call.trans_a;
  all.trans_b = call.trans_b;
  all.m = static_cast<int>(call.m);
  all.n = static_cast<int>(call.n);
  all.k = static_cast<int>(call.k);
  all.a = first_[0];
  all.lda = static_cast<int>(layouts_[0].leading);
  all.b = first_[1];
  all.ldb = static_cast<int>(layouts_[1].leading);
  all.c = first_[2];
  all.ldc = static_cast<int>(layouts_[2].leading);
  return all;
}

// From an operand's first element to the guard behind it.
template <typename T>
void MatrixServer::hold(bool is_new) {
  for (std::size_t i = 0; i < layouts_.size(); ++i)
    library_.hold(static_cast<int>(i), first_[i],
                  static_cast<std::size_t>(layouts_[i].extent + kGuardElements) * sizeof(T),
                  is_new);
}

template <typename T>
void MatrixServer::changed(std::size_t operand) {
  library_.changed(first_[operand], static_cast<std::size_t>(layouts_[operand].extent) * sizeof(T));
}

void MatrixServer::run(int routine, MatrixArguments& arguments, double alpha, double beta) {
  arguments.alpha = alpha;
  arguments.beta = beta;
  library_.call(routine, arguments);
  control_.calls.fetch_add(1, std::memory_order_relaxed);
}

template <typename T>
void MatrixServer::place(const MatrixRequest& request) {
  const auto* values = reinterpret_cast<const double*>(shared_ + kValuesOffset + request.values_at);
  arrange<T>(request.call);
  const std::int64_t counts[] = {request.a_values, request.b_values, request.c_values};
  for (std::size_t i = 0; i < 2; ++i) {
    const OperandLayout& layout = layouts_[i];
    if (counts[i] == layout.outer * layout.inner) {
      place_all(layout, values, first<T>(i));
    } else {
      typed_values_.resize(static_cast<std::size_t>(layout.inner) * sizeof(T));
      T* const typed = reinterpret_cast<T*>(typed_values_.data());
      std::transform(values, values + layout.inner, typed,
                     [](double value) { return static_cast<T>(value); });
      place_repeated(layout, typed, first<T>(i));
    }
    values += counts[i];
  }
  const OperandLayout& c = layouts_[2];
  if (request.c_values == c.outer * c.inner) {
    place_all(c, values, first<T>(2));
  } else {
    // Without a C that beta could multiply, one that must not be read.
    place_constant(
        c, request.c_values == 0 ? std::numeric_limits<T>::quiet_NaN() : static_cast<T>(*values),
        first<T>(2));
  }
  std::memcpy(base_c_, first_[2], static_cast<std::size_t>(c.extent) * sizeof(T));
}

template <typename T>
void MatrixServer::answer_as(const MatrixRequest& request) {
  if (request.place) place<T>(request);
  hold<T>(request.place);
  MatrixArguments call = arguments(request.call);
  const OperandLayout& c = layouts_[2];
  const auto* wanted =
      reinterpret_cast<const WantedOutput*>(shared_ + kWantedOffset + request.wanted_at);
  auto* output = reinterpret_cast<double*>(shared_ + kResultsOffset + request.results_at);
  const std::byte* edits = shared_ + kEditsOffset + request.edits_at;
  Replaced<T> held(library_);  // in A and B
  for (std::int64_t probe = 0; probe < request.probes; ++probe) {
    std::memcpy(first_[2], base_c_, static_cast<std::size_t>(c.extent) * sizeof(T));
    changed<T>(2);
    std::int64_t count = 0;
    std::memcpy(&count, edits, sizeof count);
    edits += sizeof count;
    for (; count > 0; --count, edits += sizeof(MatrixEditRecord)) {
      MatrixEditRecord edit;
      std::memcpy(&edit, edits, sizeof edit);
      const auto operand = static_cast<std::size_t>(edit.operand);
      T* const element =
          first<T>(operand) + layouts_[operand].place(edit.operand, edit.row, edit.column);
      if (edit.operand == MatrixEdit::Operand::c)
        *element = static_cast<T>(edit.value);  // of which all is sent anyway
      else
        held.replace(element, static_cast<T>(edit.value));
    }
    run(request.routine, call, request.alpha, request.beta);
    T* const results = first<T>(2);
    library_.fetch(results, static_cast<std::size_t>(c.extent) * sizeof(T));
    if (request.all_outputs) {
      for (std::int64_t o = 0; o < c.outer; ++o) {
        for (std::int64_t i = 0; i < c.inner; ++i) *output++ = results[c.position(o, i)];
      }
    } else {
      for (std::int64_t i = 0; i < request.outputs; ++i) {
        *output++ = results[c.position(wanted[i].column, wanted[i].row)];
      }
    }
    held.restore();
  }
}

template <typename T>
void MatrixServer::answer_signatures_as() {
  const SignatureRequest& request = control_.signatures;
  arrange<T>(request.call);
  hold<T>(true);
  MatrixArguments call = arguments(request.call);
  const OperandLayout& c = layouts_[2];
  const auto k = static_cast<std::size_t>(request.call.k);
  // The loop over C runs along its memory: lines of `line` elements, `line_stride` apart.
  const bool by_inner = c.outer == 1 || c.inner_stride == 1;
  const std::int64_t line = by_inner ? c.inner : c.outer;
  const std::int64_t lines = by_inner ? c.outer : c.inner;
  const std::int64_t line_stride = by_inner ? c.outer_stride : c.inner_stride;
  const std::int64_t stride = by_inner ? c.inner_stride : c.outer_stride;
  const std::size_t line_bytes = static_cast<std::size_t>(line) * sizeof(T);
  // Lines whose bits were those of the line before in every probe so far: most are. Their hashes
  // are not made.
  std::vector<char> is_repeated(static_cast<std::size_t>(lines), by_inner && stride == 1);
  if (lines > 0) is_repeated[0] = false;
  hashes_.assign(static_cast<std::size_t>(c.outer * c.inner), kHashSeed);
  typed_values_.resize(k * sizeof(T));
  T* const typed = reinterpret_cast<T*>(typed_values_.data());
  const auto* values = reinterpret_cast<const double*>(shared_ + kValuesOffset);
  const double* placed[2] = {};
  for (std::int64_t probe = 0; probe < request.probes; ++probe) {
    const double alpha = *values++, beta = *values++;
    const T old = static_cast<T>(*values++);
    for (std::size_t i = 0; i < 2; ++i, values += k) {
      // The library does not write to its operands: those of the probe before are still there.
      if (probe > 0 && std::memcmp(values, placed[i], k * sizeof(double)) == 0) continue;
      placed[i] = values;
      std::transform(values, values + k, typed, [](double value) { return static_cast<T>(value); });
      place_repeated(layouts_[i], typed, first<T>(i));
      changed<T>(i);
    }
    place_constant(c, old, first<T>(2));
    changed<T>(2);
    run(request.routine, call, alpha, beta);
    library_.fetch(first<T>(2), static_cast<std::size_t>(c.extent) * sizeof(T));
    // From the last line on: one that differs for the first time begins with what its forerunner's
    // hashes were before this probe.
    for (std::int64_t l = lines - 1; l >= 0; --l) {
      const T* const results = first<T>(2) + c.origin + l * line_stride;
      std::uint64_t* const hash = hashes_.data() + l * line;
      if (is_repeated[l]) {
        if (std::memcmp(results, results - line_stride, line_bytes) == 0) continue;
        std::int64_t before = l - 1;
        while (is_repeated[before]) --before;
        std::copy_n(hashes_.data() + before * line, line, hash);
        is_repeated[l] = false;
      }
      for (std::int64_t i = 0; i < line; ++i) {
        hash[i] = hash_step(hash[i], canonical_bits(results[i * stride]));
      }
    }
  }
  auto* const output = reinterpret_cast<std::uint64_t*>(shared_ + kResultsOffset);
  for (std::int64_t l = 0; l < lines; ++l) {
    if (is_repeated[l]) {  // its output is contiguous, like its results
      std::copy_n(output + (l - 1) * line, line, output + l * line);
      continue;
    }
    const std::uint64_t* const hash = hashes_.data() + l * line;
    for (std::int64_t i = 0; i < line; ++i) {
      output[by_inner ? l * line + i : i * lines + l] = hash_end(hash[i]);
    }
  }
}

void MatrixServer::answer() {
  for (std::size_t at = 0; at < control_.matrix_count; ++at) {
    control_.matrix_at = at;
    const MatrixRequest& request = control_.matrices[at];
    spec::is_f32(request.call.type) ? answer_as<float>(request) : answer_as<double>(request);
  }
}

void MatrixServer::answer_signatures() {
  spec::is_f32(control_.signatures.call.type) ? answer_signatures_as<float>()
                                              : answer_signatures_as<double>();
}

}  // namespace reprosum::reveal
