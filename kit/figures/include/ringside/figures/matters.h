// Which picture an instant is about. Figures say it as data (FigureSpec::matters): where they matter, as
// "SECTION", "SECTION::KIND", or "::KIND" of any section; a section's name may end in "*". KIND is what
// happens: a phase of a rank, the operation or tag of a call or a message that is under way, a note, a table
// of rows.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <span>
#include <string>

#include "ringside/trace/trace.h"

namespace ringside::figure {

// What happens at an instant, and since when: phases, calls and messages that have not ended, and the newest
// note and row of each name.
using Happening = std::map<std::string, int64_t, std::less<>>;
Happening happening_at(const Trace& trace, const SectionView& section, int64_t time_ns);

// Since when a figure that says so matters at that instant: since the newest of what happens, or since the
// section began; none where it does not.
std::optional<int64_t> matters_since(std::span<const std::string> matters, const SectionView& section,
                                     const Happening& now);

}  // namespace ringside::figure
