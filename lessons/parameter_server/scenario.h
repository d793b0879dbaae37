// From the words of a scenario to the engine's configuration.
#pragma once

#include "parts.h"
#include "ringside/parameter_server/stragglers.h"

namespace ringside::parameter_server_lesson {

inline constexpr uint64_t kKeys = 600;

std::shared_ptr<const ps::Samples> samples_of(const Config& config);
// A rule is its staleness: 0 is BSP, -1 is ASP.
int64_t staleness_of(const Config& config);
ps::Consistency consistency_of(int64_t staleness);
std::string name_of_rule(int64_t staleness);  // BSP, SSP(8), ASP
ps::StragglerConfig speeds_of(const Config& config, const std::string& straggler);
ps::Filters filters_of(const std::string& word);
// A group of all keys, on the scenario's servers and workers.
ps::Cluster cluster_of(const Config& config);

}  // namespace ringside::parameter_server_lesson
