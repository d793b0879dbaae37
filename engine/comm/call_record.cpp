#include "ringside/comm/call_record.h"

#include <algorithm>
#include <tuple>

namespace ringside {

std::string to_string(const CallRecord& call) {
  std::string text = call.group + " #" + std::to_string(call.seq) + " ";
  text += to_string(call.op);
  if (call.op == Op::kBarrier) return text;
  if (call.reduce == ReduceOp::kMax) text += " (max)";
  text += " of " + std::to_string(call.elements) + " ";
  text += to_string(call.dtype);
  if (call.root >= 0) text += " from rank " + std::to_string(call.root);
  return text;
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

std::string name_ranks(const std::vector<int>& ranks) {
  std::string text = ranks.size() == 1 ? "rank" : "ranks";
  for (size_t i = 0; i < ranks.size(); ++i) {
    text += i == 0 ? " " : i + 1 == ranks.size() ? " and " : ", ";
    text += std::to_string(ranks[i]);
  }
  return text;
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
    text += (text.empty() ? "" : "; ") + name_ranks(agreeing) +
            (agreeing.size() == 1 ? " calls " : " call ") + to_string(here);
  }
  return text;
}

}  // namespace ringside
