#include "version1.h"

#include <map>
#include <set>
#include <string>
#include <tuple>

namespace ringside::inline flight {
namespace {

constexpr int64_t kMostNumber = int64_t{1} << 48;

}  // namespace

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
