// What is due and how strong somebody is, as text and as JSON.
#pragma once

#include <iosfwd>

#include "options.h"
#include "session_plan.h"
#include "strength.h"

namespace ringside {

void list_plan(const SessionPlan& plan, int64_t now, int width, std::ostream& out);
void list_strengths(const std::vector<TopicStrength>& topics, int width, std::ostream& out);
void plan_as_json(const SessionPlan& plan, const std::vector<TopicStrength>& topics,
                  const SessionWishes& wishes, std::ostream& out);

}  // namespace ringside
