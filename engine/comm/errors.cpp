#include "ringside/comm/errors.h"

#include <algorithm>
#include <map>
#include <tuple>

#include <fmt/format.h>
#include "ringside/flight/words.h"

namespace ringside::inline comm {

const char* kind_name(Failure::Kind kind) {
  constexpr const char* kNames[] = {"timeout", "peer_lost", "mismatch", "not_finite"};
  return kNames[int(kind)];
}

void throw_error(const Failure& failure, const CallRecord& call) {
  const std::string here = to_string(call);
  const std::string elsewhere = failure.at.empty() || here == failure.at ? "" : failure.at + " ";
  const std::string message = fmt::format("rank {}: {}: {}{}", call.rank, here, elsewhere, failure.text);
  using Kind = Failure::Kind;
  if (failure.kind == Kind::kTimeout) throw TimeoutError(call, failure.ranks, message);
  if (failure.kind == Kind::kMismatch) throw MismatchError(call, failure.ranks, message);
  if (failure.kind == Kind::kNotFinite) throw NonFiniteError(call, failure.ranks, message);
  throw PeerLostError(call, failure.ranks, message);
}

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
  return compared(a) == compared(b) && (a.contents == b.contents || a.contents == 0 || b.contents == 0);
}

std::vector<int> disagreeing(const std::vector<const CallRecord*>& by_place) {
  const auto votes = [&](const CallRecord* one) {
    return std::ranges::count_if(by_place, [&](const CallRecord* other) { return agree(*one, *other); });
  };
  std::vector<int> places;
  if (by_place.empty() || votes(by_place.front()) == std::ssize(by_place)) return places;
  const CallRecord& majority = **std::ranges::max_element(by_place, {}, votes);
  const bool tie = std::ranges::any_of(by_place, [&](const CallRecord* one) {
    return votes(one) == votes(&majority) && !agree(*one, majority);
  });
  for (size_t place = 0; place < by_place.size(); ++place)
    if (tie || !agree(*by_place[place], majority)) places.push_back(int(place));
  return places;
}

std::string describe_disagreement(const std::vector<const CallRecord*>& by_place) {
  std::map<uint64_t, size_t> carried;  // numbered, as a hash says nothing to people
  for (const CallRecord* call : by_place)
    if (call->contents != 0) carried.emplace(call->contents, carried.size());
  flight::RanksByText callers;
  for (const CallRecord* call : by_place) {
    const bool named = carried.size() > 1 && call->contents != 0;
    const char letter = char('A' + (named ? carried.at(call->contents) % 26 : 0));
    flight::add_alike(callers, to_string(*call) + (named ? fmt::format(" with contents {}", letter) : ""),
                      call->rank);
  }
  std::string text;
  for (const auto& [call, ranks] : callers)
    text += fmt::format("{}{} {} {}", text.empty() ? "" : "; ", flight::name_ranks(ranks),
                        ranks.size() == 1 ? "calls" : "call", call);
  return text;
}

}  // namespace ringside::inline comm
