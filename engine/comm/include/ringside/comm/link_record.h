// A link as the section that ran on it records it, and one that stands for another.
#pragma once

#include "ringside/comm/link_model.h"
#include "ringside/trace/trace.h"

namespace ringside::inline comm {

// The same link where all is so many times smaller and everything takes so many times as long.
LinkModel scaled(const LinkModel& link, double bytes, double time);

// Latency and bandwidth as attributes of a section that ran on it, and read from there. None, and a link that
// is not simulated, at memory speed.
Attributes link_attributes(const LinkModel& link);
LinkModel link_in(const SectionView& section);

}  // namespace ringside::inline comm
