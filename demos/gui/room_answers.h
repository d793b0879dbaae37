// What was typed, built or chosen: read, judged, and put down for the record.
#pragma once

#include "ringside/lesson/prediction.h"
#include "room_desk.h"

namespace ringside::gui {

// For the pictures: the same guess at any other N; what was built of blocks is for one N.
Guess guess_from(const PredictionSpec& spec, const Answer& mine, const Reading& reading);
Judgement judge_guess(const PredictionSpec& spec, const Config& config, const Guess& guess);
Attempt attempt_of(const Lesson& lesson, const PredictionSpec& spec, const Config& config, const Answer& mine,
                   const Guess& guess);
// What can still be chosen, where the options have changed. An order begins as the options are declared, or
// backwards where that is the right one.
void fit_words(const WordQuestion& question, const Config& config, Words& words);
// Asked side by side with its board: built of blocks, or a number with a formula. Others of a board follow
// each other.
bool is_drawn_together(const PredictionSpec& spec);

}  // namespace ringside::gui
