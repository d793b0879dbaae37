// The documents and pages of `ringside plan mesh`.
#pragma once

#include <iosfwd>
#include <string>

#include "json_text.h"
#include "options.h"
#include "ringside/planner/mesh_plan.h"

namespace ringside {

inline constexpr size_t kListedMeshes = 10;

std::string three_figures(double value);       // "1.23", "12.3", "123"
std::string title_of(const MeshShape& shape);  // "dp 32 x tp 2 x pp 1"
void mesh_json(const MeshSetup& setup, const MeshPlan& plan, std::ostream& out);
ExitCode plan_published(const Options& options, std::ostream& out);

}  // namespace ringside
