// A function per kind of figure: std::visit(Kinds{[](const Lines&) {...}, ...}, value).
#pragma once

namespace ringside::figure {

template <typename... Functions>
struct Kinds : Functions... {
  using Functions::operator()...;
};
template <typename... Functions>
Kinds(Functions...) -> Kinds<Functions...>;

}  // namespace ringside::figure
