#include "ringside/flight/words.h"

#include <algorithm>

#include <fmt/format.h>

#include "ringside/base/units.h"

namespace ringside::inline flight {

std::string brief_ranks(const std::vector<int>& ranks) {
  std::string text;
  for (size_t first = 0; first < ranks.size();) {
    size_t last = first;
    while (last + 1 < ranks.size() && ranks[last + 1] == ranks[last] + 1) ++last;
    if (!text.empty()) text += ", ";
    text += std::to_string(ranks[first]);
    if (last > first) text += (last == first + 1 ? ", " : "-") + std::to_string(ranks[last]);
    first = last + 1;
  }
  return text;
}

std::string name_ranks(const std::vector<int>& ranks) {
  constexpr size_t kMaxNamed = 8;
  if (ranks.size() > kMaxNamed) return "ranks " + brief_ranks(ranks);
  std::string text = ranks.size() == 1 ? "rank" : "ranks";
  for (size_t i = 0; i < ranks.size(); ++i)
    text += (i == 0 ? " " : i + 1 == ranks.size() ? " and " : ", ") + std::to_string(ranks[i]);
  return text;
}

void add_alike(RanksByText& all, const std::string& text, int rank) {
  const auto same = std::ranges::find(all, text, &RanksByText::value_type::first);
  if (same == all.end())
    all.push_back({text, {rank}});
  else
    same->second.push_back(rank);
}

std::string short_name(int rank, const FlightEntry& entry) {
  if (!entry.is_p2p()) return fmt::format("{} #{}", entry.group, entry.collective_seq_id);
  const bool sends = entry.op == Op::kSend;
  return fmt::format("{} {}->{} #{}", entry.group, sends ? rank : entry.peer, sends ? entry.peer : rank,
                     entry.p2p_seq_id);
}

std::string what_it_is(const FlightEntry& entry) {
  if (entry.op == Op::kBarrier) return "barrier";
  const int64_t elements = entry.op == Op::kRecv ? entry.elements_out : entry.elements_in;
  std::string text = fmt::format("{} of {} {}", to_string(entry.op), elements, to_string(entry.dtype));
  if (entry.op == Op::kBroadcast) text += fmt::format(" from rank {}", entry.peer);
  return text;
}

std::string contents(const FlightEntry& entry) {
  return entry.tag + (entry.tag.empty() || entry.unit.empty() ? "" : ", ") + entry.unit;
}

std::string with_contents(const FlightEntry& entry) {
  const std::string carries = contents(entry);
  return what_it_is(entry) + (carries.empty() ? "" : " (" + carries + ")");
}

std::string describe(int rank, const FlightEntry& entry) {
  return short_name(rank, entry) + " " + with_contents(entry);
}

std::string seconds(int64_t ns) { return format_duration(double(ns) / 1e9); }

std::string upper_first(std::string text) {
  if (!text.empty() && text[0] >= 'a' && text[0] <= 'z') text[0] = char(text[0] - 'a' + 'A');
  return text;
}

}  // namespace ringside::inline flight
