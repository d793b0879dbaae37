#include "ringside/lesson/ratio_claim.h"

namespace ringside {

ClaimResult judge_ratio(const RatioInterval& ratio, double least, double most, const std::string& words) {
  const Side of_least = side_of(ratio, least), of_most = side_of(ratio, most);
  std::string evidence = to_text(ratio) + " " + words + ", " + std::to_string(ratio.rounds) +
                         (ratio.rounds == 1 ? " round" : " rounds in turns");
  if (of_least == Side::kAbove && of_most == Side::kBelow) return {Verdict::kHolds, evidence};
  if (of_least == Side::kBelow || of_most == Side::kAbove) return {Verdict::kFails, evidence};
  if (!ratio.tells()) evidence += ", too few to tell";
  return {Verdict::kNotTestable, "cannot be told here: " + evidence};
}

}  // namespace ringside
