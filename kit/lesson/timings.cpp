#include "ringside/lesson/timings.h"

#include "ringside/base/median.h"
#include "ringside/lesson/claim_forms.h"
#include "ringside/lesson/tr.h"

namespace ringside::inline kit {

void record_timings(const std::vector<Way>& ways, const WayRounds& options, Recorder& recorder) {
  time_in_turns(ways, options, [&](const std::string& way, int64_t, double ns) {
    record_row<Timing>(recorder, {way, ns});
  });
}

std::vector<double> ns_of(const SectionView* section, const std::string& way) {
  std::vector<double> ns;
  for (const Timing& row : rows_in<Timing>(section))
    if (row.way == way) ns.push_back(row.ns);
  return ns;
}

double median_ns(const SectionView* section, const std::string& way) {
  const std::vector<double> ns = ns_of(section, way);
  return ns.empty() ? figure::kNone : median(ns);
}

std::function<ClaimResult(const Trace&)> judge_times(TimeClaim claim) {
  return [claim = std::move(claim)](const Trace& trace) {
    const SectionView* section = trace.find(claim.section);
    return judge_ratio(ns_of(section, claim.slow), ns_of(section, claim.fast), claim.least, claim.most,
                       !claim.words.empty()
                           ? claim.words
                           : tr("times as long: {} against {}, {}", claim.slow, claim.fast, claim.section));
  };
}

}  // namespace ringside::inline kit
