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
auto each_member(auto& row, auto&& f, Members<1>) {
  auto& [a] = row;
  return f(a);
}
auto each_member(auto& row, auto&& f, Members<2>) {
  auto& [a, b] = row;
  return f(a, b);
}
auto each_member(auto& row, auto&& f, Members<3>) {
  auto& [a, b, c] = row;
  return f(a, b, c);
}
auto each_member(auto& row, auto&& f, Members<4>) {
  auto& [a, b, c, d] = row;
  return f(a, b, c, d);
}
auto each_member(auto& row, auto&& f, Members<5>) {
  auto& [a, b, c, d, e] = row;
  return f(a, b, c, d, e);
}
auto each_member(auto& row, auto&& f, Members<6>) {
  auto& [a, b, c, d, e, g] = row;
  return f(a, b, c, d, e, g);
}
auto each_member(auto& row, auto&& f, Members<7>) {
  auto& [a, b, c, d, e, g, h] = row;
  return f(a, b, c, d, e, g, h);
}
auto each_member(auto& row, auto&& f, Members<8>) {
  auto& [a, b, c, d, e, g, h, i] = row;
  return f(a, b, c, d, e, g, h, i);
}
auto each_member(auto& row, auto&& f, Members<9>) {
  auto& [a, b, c, d, e, g, h, i, j] = row;
  return f(a, b, c, d, e, g, h, i, j);
}
auto each_member(auto& row, auto&& f, Members<10>) {
  auto& [a, b, c, d, e, g, h, i, j, k] = row;
  return f(a, b, c, d, e, g, h, i, j, k);
}
auto each_member(auto& row, auto&& f, Members<11>) {
  auto& [a, b, c, d, e, g, h, i, j, k, l] = row;
  return f(a, b, c, d, e, g, h, i, j, k, l);
}
auto each_member(auto& row, auto&& f, Members<12>) {
  auto& [a, b, c, d, e, g, h, i, j, k, l, m] = row;
  return f(a, b, c, d, e, g, h, i, j, k, l, m);
}

template <size_t N>
auto with_members(auto& row, auto&& f) {
  return each_member(row, f, Members<N>());
}
auto with_members(auto& row, auto&& f) {
  return with_members<count_members<std::remove_cvref_t<decltype(row)>>()>(row, f);
}

}  // namespace ringside::inline base
