// A figure as JSON: what the document of a run holds, as assets/schema/run.schema.json has it.
#pragma once

#include <nlohmann/json.hpp>

#include "ringside/figures/compute.h"

namespace ringside::figure {

inline constexpr size_t kJsonPoints = 2000;  // of a figure; "left_out" counts the others

// {"id", "title", "kind", "sentence", "instant": {"section", "time"}, "left_out", "value"}: time in seconds
// since the section began; null where there is no section yet. A number that is none is null.
nlohmann::ordered_json to_json(const Lesson& lesson, const FigureSpec& spec, const FigureInput& input);

// The value's own members, all of them; "kind" is its name: "lines", "bars", ...
nlohmann::ordered_json value_json(const Value& value);

}  // namespace ringside::figure
