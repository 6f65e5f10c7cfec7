// The rounding test of nearest.h for a class V of vector operations. Included by one file per
// instruction set, after its target pragma, and by nobody else.

namespace {

// nearest_of (nearest.h), with NaN in place of false: an fma leaves one rounding out.
template <class V, class T>
[[gnu::always_inline]] inline typename V::Type nearest_in_lanes(typename V::Type high,
                                                                typename V::Type low,
                                                                typename V::Type radius) {
  using Type = typename V::Type;
  const Type unit = V::all(0x1p-51);
  Type wide = V::fma(V::add(radius, V::abs(low)), unit, radius);
  if constexpr (sizeof(T) == 4) wide = V::fma(V::abs(high), unit, wide);
  Type least = V::add(high, V::sub(low, wide)), most = V::add(high, V::add(low, wide));
  if constexpr (sizeof(T) == 4) least = V::as_floats(least), most = V::as_floats(most);
  return V::equal_or_nan(least, most);
}

}  // namespace
