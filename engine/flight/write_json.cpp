#include <fmt/format.h>
#include <fmt/ranges.h>
#include <nlohmann/json.hpp>

#include "names.h"
#include "pg_status.h"
#include "ringside/flight/files.h"
#include "utf8.h"

namespace ringside {
namespace {

using namespace flight;
using Json = nlohmann::ordered_json;

std::string text_of(const Json& json) { return json.dump(-1, ' ', false, Json::error_handler_t::replace); }

Json groups_json(const FlightDump& dump) {
  Json groups = Json::object();
  for (size_t i = 0; i < dump.groups.size(); ++i) {
    const FlightGroup& group = dump.groups[i];
    groups[valid_utf8(group.name)] = {{"name", group.name},
                                      {"desc", group.description},
                                      {"ranks", fmt::format("[{}]", fmt::join(group.ranks, ", "))},
                                      {"index", i}};
  }
  return groups;
}

Json status_json(const FlightDump& dump) {
  Json all = Json::object();
  for (size_t i = 0; i < dump.groups.size(); ++i) {
    const GroupStatus status = status_of(dump, dump.groups[i].name);
    all[std::to_string(i)] = {{"last_enqueued_collective", status.last_enqueued},
                              {"last_started_collective", status.last_started},
                              {"last_completed_collective", status.last_completed}};
  }
  return all;
}

Json entry_json(const FlightDump& dump, const FlightEntry& entry) {
  size_t group = 0;
  while (group < dump.groups.size() && dump.groups[group].name != entry.group) ++group;
  const std::string description = group < dump.groups.size() ? dump.groups[group].description : "";
  const Json dtypes = Json::array({dtype_name(entry.dtype, Words::kOurs)});
  Json json = {{"record_id", entry.record_id},
               {"pg_id", group},
               {"process_group", Json::array({entry.group, description})},
               {"collective_seq_id", entry.collective_seq_id},
               {"p2p_seq_id", entry.p2p_seq_id},
               {"op_id", entry.record_id},
               {"profiling_name", profiling_name(entry, place_in_group(dump, entry.group), Words::kOurs)},
               {"input_sizes", Json::array({Json::array({entry.elements_in})})},
               {"input_dtypes", dtypes},
               {"output_sizes", Json::array({Json::array({entry.elements_out})})},
               {"output_dtypes", dtypes},
               {"time_created_ns", entry.time_created_ns},
               {"time_discovered_started_ns", entry.time_discovered_started_ns},
               {"time_discovered_completed_ns", entry.time_discovered_completed_ns},
               {"timeout_ms", entry.timeout_ms},
               {"is_p2p", entry.is_p2p()},
               {"state", to_string(entry.state)},
               {"retired", entry.retired},
               {"peer", entry.peer},
               {"tag", entry.tag},
               {"unit", entry.unit}};
  if (const std::optional<double> duration = duration_ms(entry)) json["duration_ms"] = *duration;
  return json;
}

Json broken_json(const FlightBreak& broken) {
  return {{"group", broken.group}, {"kind", broken.kind}, {"ranks", broken.ranks}, {"text", broken.text}};
}

}  // namespace

// A line an entry: a person can read it, and a thousand of them need no document in memory.
std::string flight_json(const FlightDump& dump) {
  std::string text = fmt::format(
      "{{\"version\":\"{}\",\"rank\":{},\"forgotten\":{},\"time_ns\":{},\n\"pg_config\":{},\n\"pg_status\":{}"
      ","
      "\n{}\"entries\":[",
      kFlightVersion, dump.rank, dump.forgotten, dump.time_ns, text_of(groups_json(dump)),
      text_of(status_json(dump)),
      dump.broken ? "\"broken\":" + text_of(broken_json(*dump.broken)) + ",\n" : "");
  const char* separator = "\n";
  for (const FlightEntry& entry : dump.entries) {
    text += separator + text_of(entry_json(dump, entry));
    separator = ",\n";
  }
  return text + "]}\n";
}

}  // namespace ringside
