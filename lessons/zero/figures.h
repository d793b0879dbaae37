// What the room draws of the lesson beside its panel's own pictures, and the terminal prints.
#pragma once

#include <vector>

#include "attributes.h"
#include "ringside/lesson/figure.h"

namespace ringside::zero_lesson {

// Of a stage's line, wherever one is drawn.
inline constexpr figure::Ink kStageInks[kStages] = {figure::Ink::kText, figure::Ink::kOptimizer,
                                                    figure::Ink::kGradients, figure::Ink::kParameters};

std::vector<FigureSpec> figures();
// Which trainings end with the same bits, and where the others part. Ids "bits", "orders".
std::vector<FigureSpec> bit_figures();

// Its parts.
FigureSpec blocks_figure();   // what each rank holds at an instant, and whether it is a part or a copy
FigureSpec traffic_figure();  // what each stage sends, over N
// Ids of the questions whose ids begin so.
std::vector<std::string> questions_about(std::initializer_list<std::string_view> subjects);

}  // namespace ringside::zero_lesson
