// The members of a plain struct, without naming them: with_members<3>(row, f) is f(row.a, row.b, row.c). It
// must have as many as are asked for, at most 12, all public and of its own; else it does not compile.
#pragma once

#include <cstddef>
#include <type_traits>

namespace ringside::inline base {

struct OfAnyType {
  template <typename T>
  operator T() const;  // only declared: it stands for whatever a member is made of
};

// How many there are: as many as the struct can be made of.
template <typename T, typename... Found>
constexpr size_t count_members() {
  if constexpr (requires { T{Found()..., OfAnyType()}; })
    return count_members<T, Found..., OfAnyType>();
  else
    return sizeof...(Found);
}

template <size_t N>
using Members = std::integral_constant<size_t, N>;

auto each_member(auto&, auto&& f, Members<0>) { return f(); }
#define RINGSIDE_EACH_MEMBER(count, ...)                  \
  auto each_member(auto& row, auto&& f, Members<count>) { \
    auto& [__VA_ARGS__] = row;                            \
    return f(__VA_ARGS__);                                \
  }
RINGSIDE_EACH_MEMBER(1, a)
RINGSIDE_EACH_MEMBER(2, a, b)
RINGSIDE_EACH_MEMBER(3, a, b, c)
RINGSIDE_EACH_MEMBER(4, a, b, c, d)
RINGSIDE_EACH_MEMBER(5, a, b, c, d, e)
RINGSIDE_EACH_MEMBER(6, a, b, c, d, e, g)
RINGSIDE_EACH_MEMBER(7, a, b, c, d, e, g, h)
RINGSIDE_EACH_MEMBER(8, a, b, c, d, e, g, h, i)
RINGSIDE_EACH_MEMBER(9, a, b, c, d, e, g, h, i, j)
RINGSIDE_EACH_MEMBER(10, a, b, c, d, e, g, h, i, j, k)
RINGSIDE_EACH_MEMBER(11, a, b, c, d, e, g, h, i, j, k, l)
RINGSIDE_EACH_MEMBER(12, a, b, c, d, e, g, h, i, j, k, l, m)
#undef RINGSIDE_EACH_MEMBER

template <size_t N>
auto with_members(auto& row, auto&& f) {
  return each_member(row, f, Members<N>());
}
auto with_members(auto& row, auto&& f) {
  return with_members<count_members<std::remove_cvref_t<decltype(row)>>()>(row, f);
}

}  // namespace ringside::inline base
