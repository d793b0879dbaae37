// The placement test: twelve drills, spread over topics and levels, drawn from a seed. Each is answered once
// and judged; its rating follows from the answer alone: right counts as easy (it was known, and comes again
// in days), wrong as again (it is due at once). They are reviews like any others, so first strengths and
// first due cards follow from the log.
#pragma once

#include "cards.h"

namespace ringside::inline kit {

inline constexpr size_t kPlacementQuestions = 12;
// Each topic with drills once before one comes twice; levels in turns, 1, 2, 3, as far as the topic has them.
std::vector<Card> placement_cards(uint64_t seed);

}  // namespace ringside::inline kit
