// Ranks as threads of one process. A call meets its peers at a rendezvous, a condition variable with a
// deadline; the last to arrive compares the records; then each rank copies straight out of the others'
// buffers.
//
// All-reduce is direct, in rank order: rank r reads its chunk of every peer's buffer, 0 .. N-1, adds in fp32
// and rounds once; then it reads the other chunks from their owners. Chunk r of n elements: [r n / N, (r+1) n
// / N). Results do not depend on timing. The ring, in collectives/ring.h, is deterministic too but adds in
// another order.
//
// Sends and receives meet two by two, first in, first out per direction. A send completes when its peer has
// copied its buffer.
#pragma once

#include <memory>
#include <vector>

#include "ringside/comm/wiring.h"
#include "ringside/flight/recorder.h"

namespace ringside {

// flights: (rank) whose newest calls are looked at for a cycle of waits over several groups.
std::unique_ptr<Wiring> make_thread_wiring(std::vector<FlightRecorder*> flights);

}  // namespace ringside
