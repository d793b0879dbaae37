// How the live panel says its figures.
#pragma once

#include <functional>
#include <string>

#include "ringside/figures/live.h"
#include "ringside/panel/panel.h"

namespace ringside {

inline constexpr const char *kMemoryPart = "memory", *kTrafficPart = "traffic", *kResultsPart = "results";
inline const char* name_of_part(LivePart part) {
  return part == LivePart::kMemory ? kMemoryPart : part == LivePart::kTraffic ? kTrafficPart : kResultsPart;
}

std::string bytes_text(int64_t bytes);
std::string seconds_text(int64_t ns);
std::string number_text(double value, const std::string& unit);  // "12.00 MiB", "2.25 Ψ"
std::string kind_words(const figure::LiveSent& kind);            // "all-reduce, gradients"
std::string sent_words(const figure::LiveSent& kind);            // "3 × 1.50 MiB": of this step, in all
// "ranks 0, 1 wait for rank 3: all-reduce #45 of dp, 0.83 s, and 0.17 s are left"
std::string wait_words(const figure::LiveWait& wait, const std::function<std::string(int)>& name_of);
// "A call waits for 0.83 s; 0.17 s left until the deadline": nobody is named.
std::string waited_words(const figure::LiveWait& wait);
const figure::LiveSent* find_kind(const figure::LiveTraffic& traffic, const figure::LiveSent& kind);
std::string pinned_id(const KeptRun& run);
bool is_closed(const View& view, const std::string& figure);  // it answers a question that is still open

}  // namespace ringside
