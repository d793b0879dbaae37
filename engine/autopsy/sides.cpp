#include "sides.h"

#include <set>

#include <fmt/format.h>

#include "ringside/base/units.h"

namespace ringside::inline logs {
namespace {

// Ranks of these have sizes of their own, or a partner of their own.
bool is_asymmetric(const std::string& op) {
  return op.starts_with("ALLTOALL") || op == "SEND" || op == "RECV" || op == "COALESCED" || op == "GATHER" ||
         op == "SCATTER" || op.empty();
}

}  // namespace

std::string call_words(const LoggedCall& call) {
  std::string words = call.op.empty() ? "a call" : call.op;
  if (call.numel_in > 0)
    words += fmt::format(" of {} element{}", format_count(call.numel_in), call.numel_in == 1 ? "" : "s");
  if (call.seq >= 0) words = fmt::format("#{} {}", call.seq, words);
  return words;
}

std::string in_group(const std::string& group) { return group.empty() ? "" : " of group " + group; }

std::vector<int> ranks_of(const Group& group) {
  std::set<int> ranks;
  for (const Waiting* one : group)
    if (one->rank >= 0) ranks.insert(one->rank);
  return {ranks.begin(), ranks.end()};
}

std::map<std::string, Group> by_group(const Clues& clues) {
  std::map<std::string, Group> groups;
  for (const Waiting& one : clues.waiting) groups[one.group].push_back(&one);
  // What is of one call is of one group: a line without the group's name joins those of the same call.
  if (groups.size() == 2 && groups.contains("")) {
    auto& known = std::ranges::find_if(groups, [](const auto& g) { return !g.first.empty(); })->second;
    for (const Waiting* one : groups[""]) known.push_back(one);
    groups.erase("");
  }
  return groups;
}

std::map<int, const Waiting*> heads_of(const Group& group) {
  std::map<int, const Waiting*> heads;
  for (const Waiting* one : group) {
    const Waiting*& head = heads[one->rank];
    if (head == nullptr || (one->call.seq >= 0 && one->call.seq < head->call.seq)) head = one;
  }
  return heads;
}

Sides sides_of(const std::map<int, const Waiting*>& heads) {
  Sides sides;
  const Waiting* one = nullptr;
  for (const auto& [rank, head] : heads) {
    if (rank < 0) continue;
    sides.all[call_words(head->call)].push_back(head);
    if (one == nullptr || one->call.op.empty()) one = head;
    if (head->call.op.empty() || one->call.op.empty()) continue;
    sides.seqs |= head->call.seq != one->call.seq;
    sides.ops |= head->call.op != one->call.op;
    sides.sizes |= !is_asymmetric(head->call.op) && head->call.numel_in != one->call.numel_in &&
                   head->call.numel_in >= 0 && one->call.numel_in >= 0;
  }
  return sides;
}

}  // namespace ringside::inline logs
