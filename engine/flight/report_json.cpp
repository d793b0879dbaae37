#include <nlohmann/json.hpp>

#include "ringside/flight/report.h"

namespace ringside::inline flight {

using Ordered = nlohmann::ordered_json;

// nlohmann finds these by their name, for lists too.
static void to_json(Ordered& json, const FlightEntry& call) {
  json = {{"group", call.group},
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

static void to_json(Ordered& json, const StuckCollective& stuck) {
  json = {{"state", to_string(stuck.state)},
          {"call", stuck.call},
          {"in_it", stuck.in_it},
          {"missing", stuck.missing},
          {"disagreeing", stuck.disagreeing},
          {"waited_ns", stuck.waited_ns},
          {"queued", stuck.queued}};
}

template <typename T>
static Ordered or_null(const std::optional<T>& value) {
  return value ? Ordered(*value) : Ordered();
}

static void to_json(Ordered& json, const RankStory& story) {
  json = {{"rank", story.rank},
          {"dumped", story.dumped},
          {"waits_in", or_null(story.waits_in)},
          {"last_completed", or_null(story.last_completed)},
          {"last_seq_completed", story.last_seq_completed},
          {"last_seq_scheduled", story.last_seq_scheduled},
          {"did_last", story.did_last}};
}

static void to_json(Ordered& json, const Wait& wait) {
  json = {{"from", wait.from}, {"group", wait.group}, {"seq", wait.seq}, {"on", wait.on}};
}

std::string report_json(const FlightReport& report) {
  const Ordered json = {{"sentence", report.sentence}, {"suspects", report.suspects},
                        {"certain", report.certain},   {"by_majority", report.by_majority},
                        {"by_habit", report.by_habit}, {"possible", report.possible},
                        {"groups", report.groups},     {"members", report.members},
                        {"stuck", report.stuck},       {"mispaired", or_null(report.mispaired)},
                        {"cycle", report.cycle},       {"ranks", report.ranks}};
  return json.dump(1, ' ', false, Ordered::error_handler_t::replace) + "\n";
}

}  // namespace ringside::inline flight
