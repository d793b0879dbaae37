#include <nlohmann/json.hpp>

#include "ringside/flight/report.h"

namespace ringside {
namespace {

using Ordered = nlohmann::ordered_json;

Ordered call_json(const FlightEntry& call) {
  return {{"group", call.group},
          {"seq", call.is_p2p() ? call.p2p_seq_id : call.collective_seq_id},
          {"op", to_string(call.op)},
          {"dtype", to_string(call.dtype)},
          {"elements_in", call.elements_in},
          {"elements_out", call.elements_out},
          {"peer", call.peer},
          {"tag", call.tag},
          {"unit", call.unit},
          {"state", to_string(call.state)}};
}
Ordered call_json(const std::optional<FlightEntry>& call) { return call ? call_json(*call) : Ordered(); }

Ordered stuck_json(const StuckCollective& stuck) {
  return {
      {"state", to_string(stuck.state)}, {"call", call_json(stuck.call)},    {"in_it", stuck.in_it},
      {"missing", stuck.missing},        {"disagreeing", stuck.disagreeing}, {"waited_ns", stuck.waited_ns},
      {"queued", stuck.queued}};
}

Ordered story_json(const RankStory& story) {
  return {{"rank", story.rank},
          {"dumped", story.dumped},
          {"waits_in", call_json(story.waits_in)},
          {"last_completed", call_json(story.last_completed)},
          {"last_seq_completed", story.last_seq_completed},
          {"last_seq_scheduled", story.last_seq_scheduled},
          {"did_last", story.did_last}};
}

}  // namespace

std::string report_json(const FlightReport& report) {
  Ordered json = {{"sentence", report.sentence},
               {"suspects", report.suspects},
               {"certain", report.certain},
               {"groups", report.groups},
               {"members", report.members},
               {"stuck", Ordered::array()},
               {"mispaired", report.mispaired ? stuck_json(*report.mispaired) : Ordered()},
               {"cycle", Ordered::array()},
               {"ranks", Ordered::array()}};
  for (const StuckCollective& stuck : report.stuck) json["stuck"].push_back(stuck_json(stuck));
  for (const Wait& wait : report.cycle)
    json["cycle"].push_back(
        Ordered{{"from", wait.from}, {"group", wait.group}, {"seq", wait.seq}, {"on", wait.on}});
  for (const RankStory& story : report.ranks) json["ranks"].push_back(story_json(story));
  return json.dump(1, ' ', false, Ordered::error_handler_t::replace) + "\n";
}

}  // namespace ringside
