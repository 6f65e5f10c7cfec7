#include "kernels/launch/matrix_launches.h"

#include <fmt/format.h>

#include <cmath>
#include <utility>

#include "spec/error.h"
#include "spec/expand.h"
#include "spec/surface.h"

namespace reprosum::kernels::launch {
namespace {

using spec::MatrixClass;
using spec::Routine;
using spec::Trans;
using text::DeviceStep;
using text::DeviceTile;

constexpr std::size_t kMostLaunches = 4096;   // of a call
constexpr std::size_t kShort = 250;           // nodes of a plan
constexpr std::int64_t kLarge = 512;          // outputs down and across
constexpr DeviceTile kByRows{0, 0, 0, 0};     // stands for lanes as work-items
constexpr std::size_t kKeptSizes = 64;        // classes at one k
constexpr std::size_t kLongComment = 20'000;  // characters

// Shapes of tiles: few kinds, so that few texts are compiled. A long plan has its statements for
// each output of a work-item.
DeviceTile shape_for(std::int64_t rows, std::int64_t columns, const Plan& plan, spec::Type type) {
  if (columns == 1) return {1, 1, 128, 1};
  if (rows == 1) return {1, 1, 1, 128};
  if (rows < 48 || columns < 48 || cost(plan) > kShort) return {1, 1, 16, 8};
  const bool is_large = rows >= kLarge && columns >= kLarge && spec::is_f32(type);
  if (is_large && cost(plan) <= kShort / 4) return {8, 8, 16, 16, 4, true};
  return {4, 4, 16, 16, 4, true};
}

std::int64_t ceil_div(std::int64_t a, std::int64_t b) { return a / b + (a % b > 0 ? 1 : 0); }

}  // namespace

// The launches of one call, rectangle by rectangle.
class MatrixLaunches::Rectangles {
 public:
  Rectangles(const MatrixLaunches& owner, const MatrixCall& call) : owner_(owner), call_(call) {
    result_.operands = 3;
    const bool gemv = call.routine == Routine::gemv;
    x_ = {call.a_at, call.lda, 1};
    if (call.trans_a == Trans::yes) std::swap(x_.step, x_.output);
    y_ = {call.b_at, 1, call.ldb};
    if (gemv)
      y_ = {call.b_at, call.incb, 0};
    else if (call.trans_b == Trans::yes)
      std::swap(y_.step, y_.output);
    c_ = {BufferNumber{2}, call.c_at, gemv ? call.incc : 1, gemv ? 0 : call.ldc};
  }

  void add(const spec::Rectangle& r, const MatrixClass& kind) {
    const Side x = x_, y = y_;
    const Output c = c_;
    x_.at += r.row * x_.output;
    y_.at += r.column * y_.output;
    c_.at += r.row * c_.row + r.column * c_.column;
    rows_ = r.rows;
    columns_ = r.columns;
    of_class(kind);
    x_ = x, y_ = y, c_ = c;
  }
  Launches result() { return std::move(result_); }

 private:
  struct Side {
    std::int64_t at = 0, step = 1, output = 0;  // from one summand, one output to the next
  };
  struct Output {
    BufferNumber buffer;
    std::int64_t at = 0, row = 1, column = 0;
  };

  void of_class(const MatrixClass& kind) {
    const double beta = call_.beta;
    if (call_.alpha == 0 && kind.alpha_zero == MatrixClass::AlphaZero::skip) {
      const MatrixClass::BetaZero rule = kind.beta_zero_at(call_.k);
      return MatrixClass::multiplies(rule, beta)
                 ? step(DeviceStep::multiply, 0)
                 : step(DeviceStep::set, MatrixClass::stored_zero(rule, beta));
    }
    // Code that multiplies C by beta = -0 then starts at -0, whatever C was.
    if (beta == 0 && std::signbit(beta) &&
        kind.beta_zero_at(call_.k) == MatrixClass::BetaZero::store_beta)
      step(DeviceStep::set, 1);
    const std::shared_ptr<const ClassCode> code = owner_.class_at(kind, call_.k, beta);
    if (!code->why.empty()) throw UserError(code->why);
    all(*code, code->steps);
  }

  void all(const ClassCode& code, const std::vector<ClassCode::Step>& steps) {
    for (std::size_t k = 0; k < steps.size(); ++k) {
      const ClassCode::Step& one = steps[k];
      switch (one.kind) {
        case FoldStep::Kind::zero:
          k == 0 ? step(DeviceStep::set, 0) : step(DeviceStep::add_zero, 0);
          break;
        case FoldStep::Kind::output:
          if (call_.beta != 1) step(DeviceStep::multiply, 0);
          break;
        case FoldStep::Kind::sum:
          sum(code, one);
          break;
        case FoldStep::Kind::piece:
          piece(code, one);
          break;
      }
    }
  }

  Argument number(double value) const {
    return spec::is_f32(owner_.type_) ? Argument(static_cast<float>(value)) : Argument(value);
  }
  void append(Launch launch) {
    if (result_.launches.size() >= kMostLaunches)
      throw UserError("more steps than a call is given");
    if (launch.groups > kMostGroups) throw UserError("more outputs than a launch has");
    result_.launches.push_back(std::move(launch));
  }
  std::size_t text(const std::shared_ptr<const text::DeviceText>& wanted) {
    for (std::size_t k = 0; k < result_.texts.size(); ++k)
      if (result_.texts[k] == wanted) return k;
    result_.texts.push_back(wanted);
    return result_.texts.size() - 1;
  }

  // `alpha`: the number that is set; values: of an ending, else no matter what.
  void step(DeviceStep what, double alpha, BufferNumber values = {2}) {
    append({text(owner_.steps()),
            static_cast<std::size_t>(what),
            ceil_div(rows_, text::kDeviceSteps) * columns_,
            {c_.buffer, c_.at, c_.row, c_.column, rows_, columns_, number(alpha),
             number(call_.beta), values}});
  }

  // A sum that is made apart has a buffer in place of C.
  void sum(const ClassCode& code, const ClassCode::Step& one) {
    const Output c = c_;
    const std::size_t size = spec::bytes(owner_.type_);
    result_.scratch.push_back({static_cast<std::size_t>(rows_ * columns_) * size, nullptr});
    c_ = {BufferNumber{result_.operands + result_.scratch.size() - 1}, 0, 1, rows_};
    const BufferNumber values = c_.buffer;
    all(code, one.steps);
    c_ = c;
    step(text::end_step(one.ending), call_.alpha, values);
  }

  void piece(const ClassCode& code, const ClassCode::Step& one) {
    const DeviceTile shape = shape_for(rows_, columns_, code.tiles->plan(one.piece), owner_.type_);
    // The matrix of a product by a vector is read along its lines, if the order has lanes.
    const bool is_by_rows = columns_ == 1 && x_.step == 1 && x_.output != 1;
    Tile made;
    if (is_by_rows) made = owner_.tile(code, one, kByRows);
    const std::int64_t outputs = made.outputs;
    if (outputs == 0) made = owner_.tile(code, one, shape);
    const double beta = one.goes_on ? 1 : call_.beta;
    append({text(made.text),
            0,
            outputs > 0 ? ceil_div(rows_, outputs)
                        : ceil_div(rows_, shape.rows()) * ceil_div(columns_, shape.columns()),
            {BufferNumber{0}, x_.at + one.at * x_.step, x_.step, x_.output, BufferNumber{1},
             y_.at + one.at * y_.step, y_.step, y_.output, c_.buffer, c_.at, c_.row, c_.column,
             rows_, columns_, one.piece.q, one.piece.r, number(call_.alpha), number(beta)}});
  }

  const MatrixLaunches& owner_;
  const MatrixCall& call_;
  Side x_, y_;
  Output c_;
  std::int64_t rows_ = 0, columns_ = 0;
  Launches result_;
};

MatrixLaunches::MatrixLaunches(const spec::Spec& spec, const spec::Entry& entry)
    : type_(entry.type) {
  for (const spec::MatrixRegime& regime : entry.regimes)
    for (const MatrixClass& kind : regime.classes) {
      const spec::Order& order = spec.orders.at(kind.order);
      if (spec::has_fused_nodes(order)) throw UserError("nodes that fuse several terms");
      orders_.try_emplace(kind.order, order);
    }
}

Launches MatrixLaunches::call(const spec::RegionMap& map, const MatrixCall& call) const {
  if (call.k < 1) throw UserError("k must be positive, not " + std::to_string(call.k));
  Rectangles all(*this, call);
  for (const spec::Rectangle& r : spec::rectangles(map))
    if (r.rows > 0 && r.columns > 0)
      all.add(r, map.regime->classes.at(static_cast<std::size_t>(r.kind)));
  return all.result();
}

std::shared_ptr<const ClassCode> MatrixLaunches::class_at(const MatrixClass& kind, std::int64_t k,
                                                          double beta) const {
  const auto it = orders_.find(kind.order);
  if (it == orders_.end()) throw UserError("the map is of another entry");
  const OutputMode mode = output_mode(kind.beta_zero_at(k), beta);
  if (depends_on_data(it->second, k, mode))
    throw UserError("what takes the place of C depends on the data");
  const std::scoped_lock lock(mutex_);
  const auto key = std::tuple(kind.order, mode, k);
  if (const auto known = codes_.find(key); known != codes_.end()) return known->second;
  auto& tiles = tiles_[{kind.order, mode}];
  // The plans are the same for all machines; nothing is generated.
  if (tiles == nullptr)
    tiles = std::make_shared<OrderTiles>(with_output(it->second, mode), type_, Isa::avx2, "");
  if (codes_.size() >= kKeptSizes) codes_.erase(codes_.begin());
  return codes_[key] = std::make_shared<const ClassCode>(class_code(tiles, k, mode));
}

MatrixLaunches::Tile MatrixLaunches::tile(const ClassCode& code, const ClassCode::Step& step,
                                          const DeviceTile& shape) const {
  const Plan& plan = code.tiles->plan(step.piece);
  const std::scoped_lock lock(mutex_);
  const auto key = std::tuple(&plan, step.ending, shape);
  if (const auto known = texts_.find(key); known != texts_.end()) return known->second;
  Tile tile;
  text::DeviceText made;
  if (shape == kByRows) {
    text::DeviceRowsTile rows = text::device_tile_rows(plan, type_, step.ending, "tile_rows");
    if (rows.outputs == 0) return texts_[key] = tile;
    tile.outputs = rows.outputs;
    made = std::move(rows.text);
  } else {
    made = text::device_tile(plan, type_, step.ending, shape, "tile");
  }
  std::string order = spec::print(code.tiles->order());
  if (order.size() > kLongComment) order.resize(kLongComment);
  made.text = text::device_macros() + "\n" + text::device_comment(order) + made.text;
  tile.text = std::make_shared<const text::DeviceText>(std::move(made));
  return texts_[key] = tile;
}

std::shared_ptr<const text::DeviceText> MatrixLaunches::steps() const {
  const std::scoped_lock lock(mutex_);
  if (steps_ == nullptr)
    steps_ = std::make_shared<const text::DeviceText>(text::device_steps(type_));
  return steps_;
}

}  // namespace reprosum::kernels::launch
