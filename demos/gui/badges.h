// What stands for a lesson in the rail: a letter or two, another one for each.
#pragma once

#include <string>
#include <vector>

namespace ringside::gui {

// Initials of the ids' words, two at most: "nccl_timeout" is NT, "zero" Z. Where two lessons have the same,
// the later one takes its first letter and another of its own: "zeta" ZE.
std::vector<std::string> badges_of(const std::vector<std::string>& ids);

}  // namespace ringside::gui
