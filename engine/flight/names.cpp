#include "names.h"

#include <algorithm>
#include <array>
#include <charconv>

#include <fmt/format.h>

namespace ringside::flight {
namespace {

struct OpName {
  std::string_view name;
  Op op;
};
// The first of an operation is the one that is written. Names of torch/distributed/flight_recorder's
// COLLECTIVES that mean one of our operations.
constexpr std::array<OpName, 17> kOpNames = {{{"all_reduce", Op::kAllReduce},
                                              {"_reduce_scatter_base", Op::kReduceScatter},
                                              {"reduce_scatter", Op::kReduceScatter},
                                              {"reduce_scatter_single", Op::kReduceScatter},
                                              {"reduce_scatter_tensor_coalesced", Op::kReduceScatter},
                                              {"_all_gather_base", Op::kAllGather},
                                              {"all_gather", Op::kAllGather},
                                              {"all_gather_single", Op::kAllGather},
                                              {"all_gather_into_tensor_coalesced", Op::kAllGather},
                                              {"broadcast", Op::kBroadcast},
                                              {"_broadcast_oop", Op::kBroadcast},
                                              {"all_to_all", Op::kAllToAll},
                                              {"all_to_all_single", Op::kAllToAll},
                                              {"send", Op::kSend},
                                              {"recv", Op::kRecv},
                                              {"barrier", Op::kBarrier},
                                              {"all_reduce_barrier", Op::kBarrier}}};

// In the order of Dtype; c10::toString's words.
constexpr std::array<std::string_view, 9> kDtypeNames = {"Float", "BFloat16", "Double", "Long", "Byte",
                                                         "Half",  "Int",      "Char",   "Bool"};

// "1->2" or "2<-1": the number before the arrow and the one behind it.
std::optional<int> peer_of(std::string_view text, std::string_view arrow) {
  const size_t at = text.find(arrow);
  if (at == std::string_view::npos) return std::nullopt;
  const auto number = [](std::string_view digits) -> std::optional<int> {
    int value = 0;
    const auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), value);
    const bool whole = error == std::errc() && end == digits.data() + digits.size();
    return whole && value >= 0 ? std::optional(value) : std::nullopt;
  };
  if (!number(text.substr(0, at))) return std::nullopt;
  return number(text.substr(at + arrow.size()));
}

}  // namespace

std::string profiling_name(const FlightEntry& entry, int self, Words words) {
  const auto found =
      std::find_if(kOpNames.begin(), kOpNames.end(), [&](const OpName& n) { return n.op == entry.op; });
  std::string name = words == Words::kOurs ? fmt::format("ringside:{}", to_string(entry.op))
                                           : fmt::format("nccl:{}", found->name);
  if (entry.op == Op::kSend) name += fmt::format(" {}->{}", self, entry.peer);
  if (entry.op == Op::kRecv) name += fmt::format(" {}<-{}", self, entry.peer);
  return name;
}

std::string_view dtype_name(Dtype dtype, Words words) {
  return words == Words::kOurs ? to_string(dtype) : kDtypeNames[static_cast<size_t>(dtype)];
}

std::optional<ParsedName> parse_profiling_name(std::string_view text) {
  const size_t colon = text.rfind(':');
  if (colon == std::string_view::npos) return std::nullopt;
  const std::string_view name = text.substr(colon + 1);
  const std::string_view word = name.substr(0, name.find(' '));
  const auto found =
      std::find_if(kOpNames.begin(), kOpNames.end(), [&](const OpName& n) { return n.name == word; });
  if (found == kOpNames.end()) return std::nullopt;
  ParsedName parsed{.op = found->op, .peer = std::nullopt};
  const bool p2p = parsed.op == Op::kSend || parsed.op == Op::kRecv;
  if (!p2p) return word.size() == name.size() ? std::optional(parsed) : std::nullopt;
  if (word.size() == name.size()) return std::nullopt;
  parsed.peer = peer_of(name.substr(word.size() + 1), parsed.op == Op::kSend ? "->" : "<-");
  return parsed.peer ? std::optional(parsed) : std::nullopt;
}

std::optional<Dtype> parse_dtype_name(std::string_view text) {
  if (const std::optional<Dtype> ours = from_text<Dtype>(text)) return ours;
  for (size_t i = 0; i < kDtypeNames.size(); ++i)
    if (kDtypeNames[i] == text) return static_cast<Dtype>(i);
  return std::nullopt;
}

int place_in_group(const FlightDump& dump, const std::string& group) {
  for (const FlightGroup& known : dump.groups) {
    if (known.name != group) continue;
    const auto found = std::find(known.ranks.begin(), known.ranks.end(), dump.rank);
    if (found != known.ranks.end()) return static_cast<int>(found - known.ranks.begin());
  }
  return dump.rank;
}

}  // namespace ringside::flight
