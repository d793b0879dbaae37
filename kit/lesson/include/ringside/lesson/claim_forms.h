// Short ways to say what came of a claim.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "ringside/base/ratio.h"
#include "ringside/lesson/lesson.h"

namespace ringside::inline kit {

inline ClaimResult holds_if(bool holds, std::string evidence) {
  return {holds ? Verdict::kHolds : Verdict::kFails, std::move(evidence)};
}

// With the values of the sentence `found` in the claim's block, in their order.
inline ClaimResult judged(Verdict verdict, const auto&... values) { return {verdict, "", {values...}}; }
inline ClaimResult judged(bool holds, const auto&... values) {
  return judged(holds ? Verdict::kHolds : Verdict::kFails, values...);
}

inline Verdict both(bool a, bool b) {  // one alone: partly
  return a && b ? Verdict::kHolds : a || b ? Verdict::kPartly : Verdict::kFails;
}

inline ClaimResult not_testable(std::string why) { return {Verdict::kNotTestable, std::move(why)}; }

// About time, judged by an interval.
// Whether the ratio is between least and most: holds where all of the interval is, fails where none of it is,
// and is not testable where it lies across an end or has too few rounds: "cannot be told here: 1.04
// [0.96, 1.12] times as long ...". `words` go on after the interval.
ClaimResult judge_ratio(const RatioInterval& ratio, double least, double most, const std::string& words);
// Of the times of two ways, one a round; not testable where there is none, or not as many of both.
ClaimResult judge_ratio(const std::vector<double>& a, const std::vector<double>& b, double least, double most,
                        const std::string& words);
// Whether a claim is not testable because of that: two times that the interval does not tell apart.
bool not_told_apart(const ClaimRow& claim);

}  // namespace ringside::inline kit
