// Short ways to say what came of a claim.
#pragma once

#include <string>
#include <utility>

#include "ringside/lesson/lesson.h"

namespace ringside {

inline ClaimResult holds_if(bool holds, std::string evidence) {
  return {holds ? Verdict::kHolds : Verdict::kFails, std::move(evidence)};
}

inline ClaimResult not_testable(std::string why) { return {Verdict::kNotTestable, std::move(why)}; }

}  // namespace ringside
