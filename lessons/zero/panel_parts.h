// What the parts of the ZeRO lesson's panel share.
#pragma once

#include <optional>
#include <string>

#include "attributes.h"
#include "ringside/panel/figures.h"

namespace ringside::zero_panel {

using zero_lesson::kStages;
using zero_lesson::question_id;
using zero_lesson::stage_name;
using zero_lesson::stage_named;
using zero_lesson::stage_of;

// The point of a picture in a sentence: of the blocks at this instant, of the ring.
std::string words_at(const View& view);
std::string ring_words(const View& view);
bool asks_what_is_sent(const View& view);  // a question about traffic is still open
// The figure of what is sent over N, with guesses and other runs of this room.
std::optional<figure::Value> with_this_room(const View& view, const FigureSpec& spec,
                                            const figure::Value& value);

}  // namespace ringside::zero_panel
