#include "names.h"

#include <algorithm>
#include <array>
#include <map>
#include <set>
#include <tuple>

#include <fmt/format.h>
#include "ringside/base/text.h"
#include "ringside/flight/report.h"

namespace ringside::inline flight {
namespace {

struct OpNames {
  std::string_view dump;                 // written for PyTorch's analyzer
  std::string_view watchdog;             // c10d's opTypeToString (torch/csrc/distributed/c10d/Work.cpp)
  std::array<std::string_view, 3> also;  // read too: COLLECTIVES of torch/distributed/flight_recorder
};
// In the order of Op.
constexpr std::array<OpNames, 8> kOps = {
    {{"all_reduce", "ALLREDUCE", {}},
     {"_reduce_scatter_base",
      "_REDUCE_SCATTER_BASE",
      {"reduce_scatter", "reduce_scatter_single", "reduce_scatter_tensor_coalesced"}},
     {"_all_gather_base",
      "_ALLGATHER_BASE",
      {"all_gather", "all_gather_single", "all_gather_into_tensor_coalesced"}},
     {"broadcast", "BROADCAST", {"_broadcast_oop"}},
     {"all_to_all", "ALLTOALL_BASE", {"all_to_all_single"}},
     {"send", "SEND", {}},
     {"recv", "RECV", {}},
     {"barrier", "BARRIER", {"all_reduce_barrier"}}}};

// In the order of Dtype; c10::toString's words.
constexpr std::array<std::string_view, 9> kDtypes = {"Float", "BFloat16", "Double", "Long", "Byte",
                                                     "Half",  "Int",      "Char",   "Bool"};

// The 2 of a send's "1->2" and of a recv's "1<-2".
std::optional<int> parse_peer(std::string_view text, std::string_view arrow) {
  const size_t at = text.find(arrow);
  if (at == std::string_view::npos) return std::nullopt;
  const auto self = read_number<int>(text.substr(0, at)),
             peer = read_number<int>(text.substr(at + arrow.size()));
  return self.value_or(-1) >= 0 && peer.value_or(-1) >= 0 ? peer : std::nullopt;
}

constexpr int64_t kMostNumber = int64_t{1} << 48;

}  // namespace

std::string profiling_name(const FlightEntry& entry, int self, Words words) {
  const std::string name = words == Words::kOurs ? fmt::format("ringside:{}", to_string(entry.op))
                                                 : fmt::format("nccl:{}", kOps[size_t(entry.op)].dump);
  if (!entry.is_p2p()) return name;
  return fmt::format("{} {}{}{}", name, self, entry.op == Op::kSend ? "->" : "<-", entry.peer);
}

std::string_view dtype_name(Dtype dtype, Words words) {
  return words == Words::kOurs ? to_string(dtype) : kDtypes[size_t(dtype)];
}

bool parse_profiling_name(std::string_view text, FlightEntry& entry) {
  const size_t colon = text.rfind(':');
  if (colon == std::string_view::npos) return false;
  const std::string_view name = text.substr(colon + 1);
  const std::string_view word = name.substr(0, name.find(' '));
  const auto found = std::ranges::find_if(kOps, [&](const OpNames& op) {
    return !word.empty() && (op.dump == word || std::ranges::count(op.also, word) > 0);
  });
  if (found == kOps.end()) return false;
  entry.op = static_cast<Op>(found - kOps.begin());
  entry.peer = -1;
  if (!entry.is_p2p()) return word.size() == name.size();
  if (word.size() == name.size()) return false;
  entry.peer = parse_peer(name.substr(word.size() + 1), entry.op == Op::kSend ? "->" : "<-").value_or(-1);
  return entry.peer >= 0;
}

std::optional<Dtype> parse_dtype_name(std::string_view text) {
  if (const std::optional<Dtype> ours = from_text<Dtype>(text)) return ours;
  const auto found = std::ranges::find(kDtypes, text);
  return found == kDtypes.end() ? std::nullopt : std::optional(static_cast<Dtype>(found - kDtypes.begin()));
}

std::string watchdog_line(int rank, const FlightEntry& entry) {
  return fmt::format(
      "[rank{}] Watchdog caught collective operation timeout: WorkNCCL(SeqNum={}, OpType={}, NumelIn={}, "
      "NumelOut={}, Timeout(ms)={})",
      rank, entry.is_p2p() ? entry.p2p_seq_id : entry.collective_seq_id, kOps[size_t(entry.op)].watchdog,
      entry.elements_in, entry.elements_out, entry.timeout_ms);
}

bool is_version_1(const Json& entry) {
  return entry.is_object() && entry.contains("pg_id") && !entry.contains("process_group");
}

Json as_version_2(const Json& entry) {
  const JsonObject old(entry);
  Json made = entry;
  made["process_group"] = Json::array({std::to_string(old.integer("pg_id", 0, kMostNumber)), ""});
  made["collective_seq_id"] = old.integer("seq_id", 0, kMostNumber);
  made["input_dtypes"] = made["output_dtypes"] = Json::array();
  return made;
}

void number_apart(FlightDump& dump) {
  std::set<std::string> mixed;  // groups with a send or recv
  for (const FlightEntry& entry : dump.entries)
    if (entry.is_p2p()) mixed.insert(entry.group);
  if (mixed.empty()) return;
  if (dump.forgotten > 0)
    throw JsonRejected(
        "version 1 counts sends and receives with the collectives, and {} older calls of group '{}' may be "
        "forgotten",
        dump.forgotten, *mixed.begin());
  std::map<std::string, int64_t> collectives;
  std::map<std::tuple<std::string, Op, int>, int64_t> messages;
  for (FlightEntry& entry : dump.entries) {
    if (!mixed.contains(entry.group)) continue;
    int64_t& last = collectives[entry.group];
    if (entry.is_p2p())
      entry.p2p_seq_id = ++messages[{entry.group, entry.op, entry.peer}];
    else
      ++last;
    entry.collective_seq_id = last;
  }
}

}  // namespace ringside::inline flight
