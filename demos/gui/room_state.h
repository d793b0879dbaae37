// The room for scripts and tests: what can be said to it, and what it shows, as JSON.
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <string>

#include "room_desk.h"

namespace ringside::gui {

// "select zero", "scenario zero ranks=8", "set ranks 8", "step reveal", "ask state_stage_2",
// "predict state_stage_2 2P+14P/N", "confidence 3", "next", "again ranks=8", "watch stage 2",
// "playhead 0.5", "show stage 2:2:backward", "stride event 1", "play 0.01", "live", "pin", "stop", "picture
// bits", "theme light", "font 1.25", "open FILE". UsageError for anything else.
// "say aloud", "say start", "say tick 2", "say had": the pages and acts of Say it.
// An answer in words: "predict
// order b|a|c", options as they are called or by their number; "predict line 3"; "predict printed None".
void run_command(Desk& desk, const std::string& line);

nlohmann::json state_of(Desk& desk);

}  // namespace ringside::gui
