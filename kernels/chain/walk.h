// A chain block by block. Included by chain_avx2.cpp and chain_avx512.cpp inside their namespaces.

// The order itself.
template <class T, Op kOp>
[[gnu::always_inline]] inline T one_by_one(T a, const T* x, std::int64_t incx, const T* y,
                                           std::int64_t incy, std::int64_t n) {
  for (std::int64_t k = 0; k < n; ++k) {
    const T from_x = x[k * incx];
    if constexpr (kOp == Op::sum) {
      a += from_x;
    } else {
      const T from_y = y[k * incy];
      if constexpr (kOp == Op::rounded) a += from_x * from_y;
      if constexpr (kOp == Op::fused)
        a = sizeof(T) == 4
                ? static_cast<T>(__builtin_fmaf(static_cast<float>(from_x),
                                                static_cast<float>(from_y), static_cast<float>(a)))
                : static_cast<T>(__builtin_fma(from_x, from_y, a));
    }
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
    a_ = one_by_one<T, kOp>(a_, x_, 1, y_, 1, n);
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

// Bytes on the stack for packed summands of x, and as many for y: room for a group and the block
// that it allows.
inline constexpr std::int64_t kPackedBytes = 3072;

// Four at a time: a loop of one takes as long as an addition waits. Backwards whole registers are
// turned round.
template <class T>
[[gnu::always_inline]] inline const T* packed(const T* from, std::int64_t step, std::int64_t n,
                                              T* to) {
  if (step == 1) return from;
  std::int64_t k = 0;
  if (step == -1) {
    for (; k < n; ++k) to[k] = from[-k];
    return to;
  }
  for (; k + 4 <= n; k += 4, from += 4 * step) {
    to[k] = from[0];
    to[k + 1] = from[step];
    to[k + 2] = from[2 * step];
    to[k + 3] = from[3 * step];
  }
  for (; k < n; ++k, from += step) to[k] = *from;
  return to;
}

// Blocks want neighbours. Summands that go one by one are taken where they lie.
template <class V, Op kOp>
void walk_strided(State<typename V::Element>& state, const typename V::Element* x,
                  std::int64_t incx, const typename V::Element* y, std::int64_t incy,
                  std::int64_t n) {
  using T = typename V::Element;
  constexpr std::int64_t kPacked = kPackedBytes / sizeof(T), kFew = 256;
  T near_x[kPacked], near_y[kPacked];
  std::int64_t most = kFew;  // to be packed at once: in vain where blocks fail
  for (std::int64_t count; n > 0; n -= count) {
    if (state.plain > 0) {
      count = std::min(n, state.plain);
      state.sum = one_by_one<T, kOp>(state.sum, x, incx, y, incy, count);
      state.plain -= count;
      state.one_by_one += count;
    } else {
      count = std::min(n, most);
      const T* const from_x = packed(x, incx, count, near_x);
      const T* const from_y = kOp == Op::sum ? from_x : packed(y, incy, count, near_y);
      Walk<V, kOp>(state, from_x, from_y, count).run();
      most = state.plain > 0 ? kFew : std::min(2 * most, kPacked);
    }
    x += count * incx;
    if (kOp != Op::sum) y += count * incy;
  }
}

template <class V, Op kOp>
void walk(State<typename V::Element>& state, const typename V::Element* x, std::int64_t incx,
          const typename V::Element* y, std::int64_t incy, std::int64_t n) {
  if (incx == 1 && (kOp == Op::sum || incy == 1))
    Walk<V, kOp>(state, x, y, n).run();
  else
    walk_strided<V, kOp>(state, x, incx, y, incy, n);
}
