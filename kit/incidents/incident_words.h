// What the ranks of an incident say, beside the calls they wait in: each draws one of several forms.
#pragma once

#include <string>
#include <vector>

#include "ringside/autopsy/diagnosis.h"
#include "ringside/base/random.h"

namespace ringside::inline kit {

using Words = std::vector<std::string>;

// A rank's own failure, minor: of PyTorch 2.x. A killed one may say nothing.
Words own_words(Cause cause, int minor, RandomStream& random);
Words late_words(RandomStream& random);     // what a rank is busy with
Words network_words(RandomStream& random);  // of NCCL
Words setup_words(int rank, int ranks, RandomStream& random);
Words rendezvous_words(bool port_taken, RandomStream& random);  // of a rank that waits for the others
Words port_taken_words();                                       // of rank 0, which cannot open its store
Words lost_peer_words(int rank, RandomStream& random);          // what another rank's end leaves
Words stack_words(RandomStream& random);                        // of a rank that is somewhere else
Words checkpoint_words(int64_t step, RandomStream& random);     // begun and done
std::string chatter(RandomStream& random);                      // a line that is no sign of anything

}  // namespace ringside::inline kit
