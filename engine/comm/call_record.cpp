#include "ringside/comm/call_record.h"

#include <fmt/format.h>

#include <algorithm>
#include <tuple>

#include "ringside/flight/words.h"

namespace ringside {

std::string to_string(const CallRecord& call) {
  const std::string name = fmt::format("{} #{} {}", call.group, call.seq, to_string(call.op));
  if (call.op == Op::kBarrier) return name;
  return fmt::format("{}{} of {} {}{}", name, call.reduce == ReduceOp::kMax ? " (max)" : "", call.elements,
                     to_string(call.dtype), call.root >= 0 ? fmt::format(" from rank {}", call.root) : "");
}

bool agree(const CallRecord& a, const CallRecord& b) {
  if (is_p2p(a.op) && is_p2p(b.op)) return a.elements == b.elements && a.dtype == b.dtype;
  const auto compared = [](const CallRecord& call) {
    return std::tie(call.op, call.elements, call.dtype, call.seq, call.root, call.reduce, call.group);
  };
  return compared(a) == compared(b);
}

std::vector<int> disagreeing(const std::vector<const CallRecord*>& by_place) {
  const CallRecord* majority = nullptr;
  int64_t votes = 0;
  for (const CallRecord* candidate : by_place) {
    const int64_t agreeing = std::count_if(
        by_place.begin(), by_place.end(), [&](const CallRecord* other) { return agree(*candidate, *other); });
    if (agreeing == std::ssize(by_place)) return {};
    if (agreeing > votes) {
      majority = candidate;
      votes = agreeing;
    }
  }
  std::vector<int> places;
  for (size_t place = 0; place < by_place.size(); ++place)
    if (!agree(*by_place[place], *majority)) places.push_back(static_cast<int>(place));
  return places;
}

std::string describe_disagreement(const std::vector<const CallRecord*>& by_place) {
  std::string text;
  for (size_t first = 0; first < by_place.size(); ++first) {
    const CallRecord& here = *by_place[first];
    const auto same = [&](const CallRecord* other) { return agree(*other, here) && other->op == here.op; };
    const auto begin = by_place.begin(), at = begin + static_cast<std::ptrdiff_t>(first);
    if (std::any_of(begin, at, same)) continue;  // told with an earlier rank
    std::vector<int> agreeing;
    for (const CallRecord* other : by_place)
      if (same(other)) agreeing.push_back(other->rank);
    text += fmt::format("{}{} {} {}", text.empty() ? "" : "; ", flight::name_ranks(agreeing),
                        agreeing.size() == 1 ? "calls" : "call", to_string(here));
  }
  return text;
}

}  // namespace ringside
