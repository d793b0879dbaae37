// All-reduces of few steps, on send and recv alone: for small buffers, where a step's latency is what counts.
//
// Recursive halving and doubling, N = 2^k. A rank's range is at first all chunks. In step s = 0 .. k-1 it
// exchanges halves of its range with the rank that differs from it in bit k-1-s: it sends the half that is
// not its own, adds what comes to the other, and keeps that. Then the same steps backward, each doubling the
// range that is whole. 2 k steps in a row; each rank sends 2(N-1)/N n elements, as on a ring.
//
// A binomial tree, any N. Rank r with lowest set bit 2^b has the parent r - 2^b. Sums go up, the result down:
// 2 ceil(log2 N) steps in a row; a rank sends n elements to its parent and n to each of its children.
//
// Sums are in an order that depends on N alone. bfloat16 is rounded at each step. Thakur, Rabenseifner, Gropp
// 2005, doi:10.1177/1094342005051521, sections 4.4 and 4.5.
#pragma once

#include "ringside/comm/process_group.h"

namespace ringside::inline collectives {

// Both block until this rank is done, and throw what send and recv throw (comm/errors.h).
// buffer: (n), any n, replaced by the sum. scratch: (n) of the same type, for what comes in.
// UsageError where N is no power of two.
void halving_doubling_all_reduce(ProcessGroup& group, MutableView buffer, MutableView scratch,
                                 const Tag& tag);
void tree_all_reduce(ProcessGroup& group, MutableView buffer, MutableView scratch, const Tag& tag);

}  // namespace ringside::inline collectives
