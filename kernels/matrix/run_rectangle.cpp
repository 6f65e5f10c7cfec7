#include "kernels/matrix/run_rectangle.h"

#include <algorithm>
#include <cstdlib>
#include <new>
#include <utility>

#include "kernels/matrix/end_values.h"
#include "kernels/matrix/pack.h"
#include "kernels/matrix/run_dots.h"
#include "kernels/matrix/tile_choice.h"

namespace reprosum::kernels {
namespace {

using spec::Routine;
using spec::Trans;

constexpr std::int64_t kVectorPanels = 256 << 10;  // bytes; a share of the second-level cache
constexpr std::int64_t kScalarPanels = 4 << 20;    // bytes; a share of the last-level cache
constexpr std::int64_t kFarColumns = 2 << 20;      // bytes; beyond, slices
constexpr std::int64_t kSlicedColumns = 16;
constexpr std::int64_t kSlicedRows = 2048;
constexpr std::int64_t kBuffer = 1 << 20;   // bytes of a sum that is made apart, if
constexpr std::int64_t kLeastColumns = 96;  // it has more columns than these

std::int64_t ceil_div(std::int64_t a, std::int64_t b) { return (a + b - 1) / b; }

template <class T>
class Runner {
 public:
  Runner(const ClassCode& code, const spec::MatrixArguments<T>& call, const spec::Rectangle& r,
         Workspace& workspace, RecordedCalls<T>* record)
      : code_(code),
        call_(call),
        workspace_(workspace),
        functions_(workspace.functions),
        record_(record),
        lanes_(code.tiles->vector_bits() / static_cast<int>(8 * sizeof(T))) {
    const bool gemv = call.routine == Routine::gemv;
    // Vectors lie where they are filled best; down on equal terms, where C is in place.
    const bool is_down = r.rows >= std::min<std::int64_t>(r.columns, lanes_);
    Operand<T> a{call.at_a(r.row, 0), 1, call.lda};
    if (call.trans_a == Trans::yes) std::swap(a.output_step, a.summand_step);
    Operand<T> b{call.at_b(0, r.column), call.ldb, 1};
    if (gemv)
      b = {call.b, 0, call.incb};
    else if (call.trans_b == Trans::yes)
      std::swap(b.output_step, b.summand_step);
    c_ = call.at_c(r.row, r.column);
    c_down_ = gemv ? call.incc : 1;
    c_across_ = gemv ? 0 : call.ldc;
    vector_ = a;
    scalar_ = b;
    down_ = r.rows;
    across_ = r.columns;
    is_down_ = is_down;
    if (is_down) return;
    std::swap(vector_, scalar_);
    std::swap(down_, across_);
    std::swap(c_down_, c_across_);
  }

  // Whether there are functions for all steps; asked before C is touched, since what the steps have
  // begun the interpreter could not finish.
  bool prepare() { return prepare(code_.steps); }

  void run() { run(code_.steps); }

 private:
  bool prepare(const std::vector<ClassCode::Step>& steps) {
    for (const ClassCode::Step& step : steps) {
      if (step.kind == FoldStep::Kind::sum) {
        if (!prepare_sum(step)) return false;
      } else if (step.kind == FoldStep::Kind::piece && has_rows(step)) {
        if (!each_group(step.rows, [&](int rows, std::int64_t, std::int64_t) {
              return rows_function(step, rows) != nullptr;
            }))
          return false;
      } else if (step.kind == FoldStep::Kind::piece && !has_dots(step)) {
        if (is_sliced(step) ? !prepare_slices(step) : !prepare_piece(step)) return false;
      }
    }
    return true;
  }

  bool prepare_sum(const ClassCode::Step& step) {
    const std::int64_t all = across_, c_down = c_down_, most = columns_at_once();
    bool ready = true;
    c_down_ = 1;  // of the buffer
    for (const std::int64_t across : {std::min(most, all), all % most}) {
      across_ = across;
      ready = ready && (across == 0 || prepare(step.steps));
    }
    across_ = all;
    c_down_ = c_down;
    return ready;
  }

  bool prepare_piece(const ClassCode::Step& step) {
    choose(step);
    return prepare_block(step, down_);
  }

  bool prepare_slices(const ClassCode::Step& step) {
    choose_anew(slice_of(step));
    if (!prepare_block(slice_of(step), std::min(kSlicedRows, down_)) ||
        !prepare_block(slice_of(step), down_ % kSlicedRows))
      return false;
    if (code_.tiles->cut(step.piece)->rest.nodes.empty()) return true;
    choose_anew(rest_of(step));
    return prepare_block(rest_of(step), down_);
  }

  // The functions that block() asks for: those of full tiles and of the smaller ones at the edges.
  bool prepare_block(const ClassCode::Step& step, std::int64_t down) {
    const std::int64_t height = tile_.height();
    for (std::int64_t j = 0, columns = 0; j < across_; j += columns) {
      if (j == tile_.columns) j = across_ - across_ % tile_.columns;  // full ones are alike
      if (j >= across_) break;
      columns = tile_.columns_for(std::min(tile_.columns - j % tile_.columns, across_ - j));
      for (std::int64_t i = 0, rows = 0; i < down; i += rows) {
        if (i == height) i = down - down % height;
        if (i >= down) break;
        const std::int64_t left = std::min(height - i % height, down - i);
        const auto [count, masked] = tile_.vectors_for(left);
        rows = masked ? left : count * lanes_;
        if (function(step, count, masked, static_cast<int>(columns)) == nullptr) return false;
      }
    }
    return true;
  }

  void run(const std::vector<ClassCode::Step>& steps) {
    for (std::size_t k = 0; k < steps.size(); ++k) {
      const ClassCode::Step& step = steps[k];
      if (step.kind == FoldStep::Kind::sum)
        sum(step);
      else if (step.kind != FoldStep::Kind::piece)
        constant(step.kind, k == 0);
      else if (has_rows(step))
        rows(step);
      else if (has_dots(step))
        dots(step);
      else if (is_sliced(step))
        slices(step);
      else
        piece(step);
    }
  }

  std::int64_t columns_at_once() const {
    return std::max(kLeastColumns, kBuffer / (down_ * std::int64_t(sizeof(T))));
  }

  // A sum that is made apart, some columns at a time, with a buffer in place of C.
  void sum(const ClassCode::Step& step) {
    do_not_record();
    const std::int64_t most = columns_at_once();
    T* const c = c_;
    const T* const first = scalar_.first;
    const std::int64_t all = across_, c_down = c_down_, c_across = c_across_;
    T* const buffer = workspace_.get<T>(3, static_cast<std::size_t>(down_ * std::min(most, all)));
    for (std::int64_t j = 0; j < all; j += most) {
      across_ = std::min(most, all - j);
      scalar_.first = first + j * scalar_.output_step;
      c_ = buffer;
      c_down_ = 1;
      c_across_ = down_;
      run(step.steps);
      for (std::int64_t column = 0; column < across_; ++column)
        end_values(step.ending, buffer + column * down_, down_, call_.alpha, call_.beta,
                   c + (j + column) * c_across, c_down);
    }
    c_ = c;
    c_down_ = c_down;
    c_across_ = c_across;
    across_ = all;
    scalar_.first = first;
  }

  // The output as the start of the sum, or +0 as its start or as an addend.
  void constant(FoldStep::Kind kind, bool first) {
    RecordedCalls<T>::start(kind, first, call_.beta, c_, down_, c_down_, across_, c_across_);
    if (record_ != nullptr)
      record_->add_constant(kind, first, c_, down_, c_down_, across_, c_across_);
  }
  void do_not_record() {
    if (record_ != nullptr) record_->give_up();
  }

  // One product of a matrix whose outputs' summands are neighbours by a vector: transposing it into
  // panels would cost more than the sums.
  bool is_by_rows() const {
    return across_ == 1 && vector_.summand_step == 1 && vector_.output_step != 1;
  }
  bool has_rows(const ClassCode::Step& step) const { return step.rows > 0 && is_by_rows(); }
  TileFunction rows_function(const ClassCode::Step& step, int rows) const {
    TileShape shape;
    shape.rows = rows;
    shape.vector_is_x = is_down_;
    shape.ending = step.ending;
    return code_.tiles->function(step.piece, shape);
  }
  void rows(const ClassCode::Step& step) {
    TileCall<T> tile;
    tile.vector_row = vector_.output_step;
    tile.scalar = neighbours(scalar_) + step.at;
    tile.q = step.piece.q;
    tile.r = step.piece.r;
    tile.alpha = call_.alpha;
    tile.c_column = c_down_;
    each_group(step.rows, [&](int rows, std::int64_t i, std::int64_t count) {
      tile.vector = vector_.at(i, step.at);
      tile.c = c_ + i * c_down_;
      tile.down = count;
      call(rows_function(step, rows), tile, step.goes_on);
      return true;
    });
  }
  // f(rows, first, count) for the outputs that are done `rows` at a time: as many as can be with
  // the most, then with half of that, and so on. False as soon as f says so.
  template <class F>
  bool each_group(int most, F&& f) const {
    std::int64_t i = 0;
    for (int rows = most; rows > 0; rows /= 2) {
      const std::int64_t count = (down_ - i) / rows * rows;
      if (count > 0 && !f(rows, i, count)) return false;
      i += count;
    }
    return true;
  }
  // The one column of an operand as a vector of neighbours.
  const T* neighbours(const Operand<T>& operand) {
    if (operand.summand_step == 1) return operand.first;
    do_not_record();
    T* const copy = workspace_.get<T>(1, static_cast<std::size_t>(call_.k));
    for (std::int64_t p = 0; p < call_.k; ++p) copy[p] = *operand.at(0, p);
    return copy;
  }

  bool has_dots(const ClassCode::Step& step) const {
    return is_down_ && is_by_rows() && code_.tiles->has_dot<T>(step.piece);
  }
  void dots(const ClassCode::Step& step) {
    do_not_record();
    run_dots(*code_.tiles->dot<T>(step.piece), step, vector_, neighbours(scalar_), down_,
             call_.alpha, call_.beta, c_, c_down_);
  }

  // A long matrix by a vector: column after column of a few at a time, the sums kept in C, so that
  // memory is read along its lines and not one line in each of thousands of pages.
  bool is_sliced(const ClassCode::Step& step) const {
    const std::int64_t reach = step.n * vector_.summand_step * std::int64_t(sizeof(T));
    return across_ == 1 && vector_.output_step == 1 && c_down_ == 1 && reach >= kFarColumns &&
           (step.ending == Ending::store || step.ending == Ending::scaled) &&
           code_.tiles->cut(step.piece) != nullptr;
  }
  static ClassCode::Step slice_of(const ClassCode::Step& step) {
    ClassCode::Step part = step;
    part.ending = Ending::store;
    if (!part.piece.is_repeat()) part.piece.part = PiecePlan::Part::slice;
    part.piece.r = 0;
    return part;
  }
  static ClassCode::Step rest_of(const ClassCode::Step& step) {
    ClassCode::Step part = step;
    part.piece.part = PiecePlan::Part::rest;
    return part;
  }
  void slices(const ClassCode::Step& step) {
    const Cut* const cut = code_.tiles->cut(step.piece);
    if (!step.goes_on)
      constant(cut->starts_at_output ? FoldStep::Kind::output : FoldStep::Kind::zero, true);
    ClassCode::Step part = slice_of(step);
    const std::int64_t count = cut->run.count.at(step.piece.q, step.piece.r);  // q of a repeat
    const std::int64_t at = step.at + cut->run.at.at(step.piece.q, step.piece.r);
    const std::int64_t each = std::max<std::int64_t>(
        1, kSlicedColumns / std::max<std::int64_t>(1, std::abs(cut->run.step)));
    choose_anew(part);
    for (std::int64_t i = 0; i < down_; i += kSlicedRows) {
      const std::int64_t down = std::min(kSlicedRows, down_ - i);
      for (std::int64_t k = 0; k < count; k += each) {
        part.piece.q = std::min(each, count - k);
        part.at = at + k * cut->run.step;
        block(part, i, down, nullptr, 0, 1, nullptr, true);
      }
    }
    if (cut->rest.nodes.empty() && step.ending == Ending::store) return;
    if (cut->rest.nodes.empty()) {
      do_not_record();
      for (std::int64_t i = 0; i < down_; ++i) c_[i] = call_.alpha * c_[i];
      return;
    }
    part = rest_of(step);
    choose_anew(part);
    block(part, 0, down_, nullptr, 0, 1, nullptr, true);
  }

  // For the functions that are asked for next. What prepare() has found last, run() finds again.
  void choose(const ClassCode::Step& step) {
    if (chosen_ == &step && chosen_for_ == across_) return;
    choose_anew(step);
    chosen_ = &step;
    chosen_for_ = across_;
  }
  void choose_anew(const ClassCode::Step& step) {
    functions_.clear();
    tile_ = choose_tile(
        code_.tiles->plan(step.piece),
        {lanes_, code_.tiles->vector_bits() >= 512, down_, across_,
         step.n * std::int64_t(sizeof(T)), vector_.output_step == 1, scalar_.output_step == 1});
    chosen_ = nullptr;
  }

  TileFunction function(const ClassCode::Step& step, int vectors, bool masked, int columns) {
    for (const auto& [shape, function] : functions_)
      if (shape.vectors == vectors && shape.masked == masked && shape.columns == columns)
        return function;
    TileShape shape;
    shape.vectors = vectors;
    shape.columns = columns;
    shape.masked = masked;
    shape.vector_is_x = is_down_;
    if (vectors == tile_.vectors && columns == tile_.columns && !masked) {
      shape.vector_step = tile_.packs_vector ? static_cast<int>(tile_.height()) : 0;
      shape.scalar_step = tile_.packs_scalar ? tile_.columns : 0;
    }
    shape.ending = step.ending;
    const TileFunction found = code_.tiles->function(step.piece, shape);
    if (found != nullptr) functions_.emplace_back(shape, found);
    return found;
  }

  void piece(const ClassCode::Step& step) {
    choose(step);
    const std::int64_t height = tile_.height(), width = tile_.columns;
    const auto size = static_cast<std::int64_t>(sizeof(T));
    const auto fit = [&](std::int64_t bytes, std::int64_t unit, std::int64_t all) {
      const std::int64_t units = std::max<std::int64_t>(1, bytes / (step.n * size * unit));
      return std::min(units * unit, ceil_div(all, unit) * unit);
    };
    const std::int64_t across_block =
        tile_.packs_scalar ? fit(kScalarPanels, width, across_) : across_;
    const std::int64_t down_block = tile_.packs_vector ? fit(kVectorPanels, height, down_) : down_;
    T* const vectors = tile_.packs_vector
                           ? workspace_.get<T>(0, static_cast<std::size_t>(down_block * step.n))
                           : nullptr;
    T* const scalars = tile_.packs_scalar
                           ? workspace_.get<T>(1, static_cast<std::size_t>(across_block * step.n))
                           : nullptr;
    for (std::int64_t j = 0; j < across_; j += across_block) {
      const std::int64_t across = std::min(across_block, across_ - j);
      if (tile_.packs_scalar)
        pack<T>({scalar_.at(j, step.at), scalar_.output_step, scalar_.summand_step}, across, step.n,
                width, scalars);
      for (std::int64_t i = 0; i < down_; i += down_block) {
        const std::int64_t down = std::min(down_block, down_ - i);
        if (tile_.packs_vector)
          pack<T>({vector_.at(i, step.at), vector_.output_step, vector_.summand_step}, down, step.n,
                  height, vectors);
        block(step, i, down, vectors, j, across, scalars, step.goes_on);
      }
    }
  }

  void block(const ClassCode::Step& step, std::int64_t i0, std::int64_t down, const T* vectors,
             std::int64_t j0, std::int64_t across, const T* scalars, bool goes_on) {
    TileCall<T> tile;
    const std::int64_t height = tile_.height(), width = tile_.columns;
    tile.vector_step = tile_.packs_vector ? height : vector_.summand_step;
    tile.scalar_step = tile_.packs_scalar ? width : scalar_.summand_step;
    tile.scalar_column = tile_.packs_scalar ? 1 : scalar_.output_step;
    tile.q = step.piece.q;
    tile.r = step.piece.r;
    tile.alpha = call_.alpha;
    if (tile_.packs_vector || tile_.packs_scalar) do_not_record();
    for (std::int64_t j = 0, columns = 0; j < across; j += columns) {
      columns = tile_.columns_for(std::min(width - j % width, across - j));
      tile.scalar = tile_.packs_scalar ? scalars + j / width * width * step.n + j % width
                                       : scalar_.at(j0 + j, step.at);
      for (std::int64_t i = 0, rows = 0; i < down; i += rows) {
        const std::int64_t left = std::min(height - i % height, down - i);
        const auto [count, masked] = tile_.vectors_for(left);
        rows = masked ? left : count * lanes_;
        const auto made = function(step, count, masked, static_cast<int>(columns));
        tile.vector = tile_.packs_vector ? vectors + i / height * height * step.n + i % height
                                         : vector_.at(i0 + i, step.at);
        tile.down = rows;
        T* const c = c_ + (i0 + i) * c_down_ + (j0 + j) * c_across_;
        if (c_down_ == 1) {
          tile.c = c;
          tile.c_column = c_across_;
          call(made, tile, goes_on);
        } else {
          tile.beta = goes_on ? T(1) : call_.beta;
          through_copy(step, made, tile, c, static_cast<int>(columns));
        }
      }
    }
  }

  void call(TileFunction made, TileCall<T>& tile, bool goes_on) {
    tile.beta = goes_on ? T(1) : call_.beta;
    made(&tile);
    if (record_ != nullptr) record_->add(made, tile, is_down_, goes_on);
  }

  // C is not in place where vectors lie across its columns, or where it has an increment.
  void through_copy(const ClassCode::Step& step, TileFunction call, TileCall<T>& tile, T* c,
                    int columns) {
    do_not_record();
    const std::int64_t height = tile_.height();
    T* const copy = workspace_.get<T>(2, static_cast<std::size_t>(height * tile_.columns));
    tile.c = copy;
    tile.c_column = height;
    if (step.reads_output)
      for (std::int64_t j = 0; j < columns; ++j)
        for (std::int64_t i = 0; i < tile.down; ++i)
          copy[j * height + i] = c[i * c_down_ + j * c_across_];
    call(&tile);
    for (std::int64_t j = 0; j < columns; ++j)
      for (std::int64_t i = 0; i < tile.down; ++i)
        c[i * c_down_ + j * c_across_] = copy[j * height + i];
  }

  const ClassCode& code_;
  const spec::MatrixArguments<T>& call_;
  Workspace& workspace_;
  std::vector<std::pair<TileShape, TileFunction>>& functions_;
  RecordedCalls<T>* const record_;
  const std::int64_t lanes_;
  Operand<T> vector_, scalar_;
  T* c_ = nullptr;
  std::int64_t c_down_ = 1, c_across_ = 0, down_ = 0, across_ = 0;
  bool is_down_ = true;
  TileChoice tile_;
  const ClassCode::Step* chosen_ = nullptr;  // the step that these are of, and its columns
  std::int64_t chosen_for_ = 0;
};

}  // namespace

void Workspace::Free::operator()(void* p) const { ::operator delete (p, std::align_val_t{64}); }

template <class T>
T* Workspace::get(int which, std::size_t count) {
  const std::size_t bytes = count * sizeof(T);
  if (bytes > bytes_[which]) {
    memory_[which].reset();
    bytes_[which] = 0;
    memory_[which].reset(::operator new (bytes, std::align_val_t{64}));
    bytes_[which] = bytes;
  }
  return static_cast<T*>(memory_[which].get());
}

template <class T>
bool run_rectangle(const ClassCode& code, const spec::MatrixArguments<T>& call,
                   const spec::Rectangle& r, Workspace& workspace, RecordedCalls<T>* record) {
  Runner<T> runner(code, call, r, workspace, record);
  if (!runner.prepare()) return false;
  runner.run();
  return true;
}

template <class T>
bool prepare_rectangle(const ClassCode& code, const spec::MatrixArguments<T>& call,
                       const spec::Rectangle& r, Workspace& workspace) {
  return Runner<T>(code, call, r, workspace, nullptr).prepare();
}

template bool prepare_rectangle(const ClassCode&, const spec::MatrixArguments<float>&,
                                const spec::Rectangle&, Workspace&);
template bool prepare_rectangle(const ClassCode&, const spec::MatrixArguments<double>&,
                                const spec::Rectangle&, Workspace&);
template bool run_rectangle(const ClassCode&, const spec::MatrixArguments<float>&,
                            const spec::Rectangle&, Workspace&, RecordedCalls<float>*);
template bool run_rectangle(const ClassCode&, const spec::MatrixArguments<double>&,
                            const spec::Rectangle&, Workspace&, RecordedCalls<double>*);

}  // namespace reprosum::kernels
