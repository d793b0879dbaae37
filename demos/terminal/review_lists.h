// What is due and how strong somebody is, as text and as JSON.
#pragma once

#include <iosfwd>

#include "options.h"
#include "session_plan.h"

namespace ringside {

std::string in_short_time(int64_t ms);  // "10 min", "4 d"
void list_plan(const SessionPlan& plan, int64_t now, int width, std::ostream& out);
void list_strengths(const std::vector<TopicStrength>& topics, int width, std::ostream& out);
void plan_as_json(const SessionPlan& plan, const std::vector<TopicStrength>& topics,
                  const SessionWishes& wishes, std::ostream& out);

}  // namespace ringside
