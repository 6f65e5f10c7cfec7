// A chain block by block. Included by chain_avx2.cpp and chain_avx512.cpp inside their namespaces.

// The order itself.
template <class T, Op kOp>
[[gnu::always_inline]] inline T one_by_one(T a, const T* x, const T* y, std::int64_t n) {
  for (std::int64_t k = 0; k < n; ++k) {
    if constexpr (kOp == Op::sum) a += x[k];
    if constexpr (kOp == Op::rounded) a += x[k] * y[k];
    if constexpr (kOp == Op::fused)
      a = sizeof(T) == 4
              ? static_cast<T>(__builtin_fmaf(static_cast<float>(x[k]), static_cast<float>(y[k]),
                                              static_cast<float>(a)))
              : static_cast<T>(__builtin_fma(x[k], y[k], a));
  }
  return a;
}

template <class V, Op kOp>
class Walk {
  using T = typename V::Element;

 public:
  Walk(State<T>& state, const T* x, const T* y, std::int64_t n)
      : state_(state), x_(x), y_(y), left_(n), a_(state.sum) {}

  void run() {
    while (left_ >= kGroup) {
      if (state_.plain > 0) {
        const std::int64_t n = std::min(state_.plain, left_);
        plain(n);
        state_.plain -= n;
      } else if (!binade_.enter(a_)) {
        pause();
      } else {
        blocks();
      }
    }
    plain(left_);
    state_.sum = a_;
  }

 private:
  static constexpr int kUnit = V::kUnitVectors * V::kLanes;  // summands
  static constexpr std::int64_t kGroup = kUnit * V::kLanes;
  static constexpr int kBlockVectors = V::kBlockVectors;
  static constexpr std::int64_t kBlock = std::int64_t{kBlockVectors} * V::kLanes;

  void advance(std::int64_t n) {
    x_ += n;
    if (kOp != Op::sum) y_ += n;
    left_ -= n;
  }

  void plain(std::int64_t n) {
    a_ = one_by_one<T, kOp>(a_, x_, y_, n);
    advance(n);
    state_.one_by_one += n;
  }

  // Blocks have cost more than they have won.
  void pause() {
    state_.plain = state_.pause;
    state_.pause = std::min(2 * state_.pause, kLongestPause);
    state_.credit = 0;
  }

  // In one binade, until an accumulator leaves it or may have.
  void blocks() {
    Reach<T> reach;
    bool far = false;  // from the binade's ends, as the last block moved
    for (;;) {
      if (far && left_ >= kBlock) {
        if (add_block<V, kOp, kBlockVectors>(binade_, x_, y_, a_, reach)) [[likely]] {
          advance(kBlock);
          account(kBlock);
          state_.wait = 0;
          far = has_room(reach, 1);
          continue;
        }
        account(-kCostOfBlock);
        state_.wait = std::min(2 * state_.wait + 1, kLongestWait);
        state_.groups = 0;
        far = false;
      }
      if (left_ < kGroup) return;
      int ties = 0;
      const int units = add_units<V, kOp, V::kUnitVectors>(binade_, x_, y_, a_, reach, ties);
      advance(std::int64_t{units} * kUnit);
      if (ties != 0) account(-kCostOfTies - 4 * ties);
      if (units == V::kLanes) [[likely]] {
        account(kGroup);
        far = ++state_.groups > state_.wait && has_room(reach, kBlock / kGroup);
        if (state_.credit >= 0) continue;
        return pause();
      }
      plain(kUnit);
      account(units * kUnit - kCostOfLeaving);
      if (state_.credit < 0) pause();
      return;
    }
  }

  void account(std::int64_t n) {
    state_.credit += n;
    if (state_.credit < kLargestCredit) return;
    state_.credit = kLargestCredit;
    state_.pause = State<T>::kFirstPause;
  }

  bool has_room(const Reach<T>& reach, int times) const {
    const T most = static_cast<T>(2 * times);
    return (a_ - most * reach.down > binade_.low) & (a_ + most * reach.up < binade_.high) &
           (most * (reach.up + reach.down) < binade_.half);
  }

  static constexpr std::int64_t kCostOfLeaving = (kOp == Op::fused ? V::kCostFused : V::kCost);
  static constexpr std::int64_t kCostOfBlock = kBlock / 4, kCostOfTies = 32 + kGroup / 4;
  static constexpr std::int64_t kLargestCredit = 4 * kCostOfLeaving;
  static constexpr std::int64_t kLongestPause = 4096;
  static constexpr int kLongestWait = 15;

  State<T>& state_;
  const T *x_, *y_;
  std::int64_t left_;
  T a_;
  Binade<V> binade_;
};

template <class V, Op kOp>
void walk(State<typename V::Element>& state, const typename V::Element* x,
          const typename V::Element* y, std::int64_t n) {
  Walk<V, kOp>(state, x, y, n).run();
}
