// The order of the rules: what names a cause by itself comes first; then a rank that failed by itself, for
// all others only wait for it; then the calls; then what only says that somebody waited.

#include "clues.h"
#include "ringside/base/text.h"

namespace ringside::inline logs {

using namespace logs;

Diagnosis diagnose(const Log& log, const std::vector<FlightDump>& dumps, const AutopsyOptions& options) {
  Diagnosis diagnosis;
  JobSettings settings = options.settings;
  if (!options.config_file.empty()) settings.model_config = options.config_file;
  add_settings_of(log, settings);
  const Clues clues = clues_of(log, settings);
  diagnosis.torch = log.torch;
  diagnosis.lines = log.lines;
  diagnosis.ranks = int(log.ranks.size());
  diagnosis.dumps = int(dumps.size());
  const bool told = by_setup(clues, diagnosis) || by_mismatch(clues, diagnosis) ||
                    by_own_failure(clues, diagnosis) || by_dumps(dumps, diagnosis) ||
                    by_network(clues, diagnosis) || by_waiting(clues, diagnosis) ||
                    by_store(clues, diagnosis) || by_peer(clues, diagnosis);
  if (!told)
    add_finding(diagnosis.first, Cause::kNothing, Sure::kCannotBeTold,
                "No line tells of a failure that is known here");
  add_waits_for(clues, dumps, diagnosis);
  for (Finding& found : diagnosis.first)
    if (const std::string place = place_of_ranks(settings, found.ranks); !place.empty())
      found.sentence += " (" + place + ")";
  add_progress(clues, diagnosis);
  add_job(clues, diagnosis);
  add_carried(clues, dumps, options, diagnosis);
  add_advice(clues, diagnosis);
  // Words of a log are in it; a terminal acts on none of them.
  for_each_text(diagnosis, [](std::string& text) { text = printable(text); });
  return diagnosis;
}

Diagnosis autopsy(std::string_view text, const AutopsyOptions& options) {
  return diagnose(read_log(text, "log"), {}, options);
}

}  // namespace ringside::inline logs
