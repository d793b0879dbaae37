// The order in which a collective's data moves, the same over every transport: what a rank takes of another.
#pragma once

#include <optional>

#include "ringside/comm/process_group.h"

namespace ringside::inline comm {

// What a rank takes of one peer's input, and where in its own output it puts it.
struct TakenPart {
  Chunk from, to;
};
// The order in which data moves, over every transport. An all-reduce has two phases: each rank adds its chunk
// up, then takes the others.
int phases_of(Op op);
// Whether a rank adds up what it takes of all: it then takes the same of each, itself included.
bool adds_up(Op op, int phase);
// By places. None: the reader takes nothing of this peer.
std::optional<TakenPart> part_taken(const Collective& call, int size, int phase, int reader, int peer);
// Bytes: the most that one rank takes of another at a time. The same on all ranks.
int64_t largest_part(const Collective& call, int size);

}  // namespace ringside::inline comm
