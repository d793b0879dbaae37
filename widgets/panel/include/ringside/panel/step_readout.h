// What rank 0 has sent in the step under the playhead, in words and as bars by what was carried; what it
// keeps, and its peak.
#pragma once

#include <map>
#include <string>

#include "ringside/figures/section_index.h"
#include "ringside/panel/panel.h"

namespace ringside {

struct AskedOfStep {  // questions whose answers these are: nothing is told while they are open
  std::string sent, state;
};
// At the cursor. `state`: "sent", "sent_of" in Ψ, "state" in bytes.
void draw_step(View& view, const figure::SectionIndex& index, const AskedOfStep& asked,
               std::map<std::string, std::string>& state);

}  // namespace ringside
