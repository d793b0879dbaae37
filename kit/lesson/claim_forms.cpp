#include "ringside/lesson/claim_forms.h"

#include "ringside/lesson/tr.h"

namespace ringside::inline kit {
namespace {
const std::string kWithinNoise = "cannot be told here: ";
}

ClaimResult judge_ratio(const RatioInterval& ratio, double least, double most, const std::string& words) {
  const Side of_least = side_of(ratio, least), of_most = side_of(ratio, most);
  std::string evidence = to_text(ratio) + " " + words + ", " + std::to_string(ratio.rounds) +
                         (ratio.rounds == 1 ? " round" : " rounds in turns");
  if (of_least == Side::kAbove && of_most == Side::kBelow) return {Verdict::kHolds, evidence};
  if (of_least == Side::kBelow || of_most == Side::kAbove) return {Verdict::kFails, evidence};
  if (!ratio.tells()) evidence += ", too few to tell";
  return {Verdict::kNotTestable, kWithinNoise + evidence};
}

ClaimResult judge_ratio(const std::vector<double>& a, const std::vector<double>& b, double least, double most,
                        const std::string& words) {
  if (a.empty() || a.size() != b.size()) return {Verdict::kNotTestable, tr("this was not timed")};
  return judge_ratio(ratio_interval(a, b), least, most, words);
}

bool not_told_apart(const ClaimRow& claim) {
  return claim.verdict == Verdict::kNotTestable && claim.evidence.starts_with(kWithinNoise);
}

}  // namespace ringside::inline kit
