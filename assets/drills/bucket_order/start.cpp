// In which buckets do gradients travel under ZeRO-1 and 2 of DeepSpeed?
// Backward reaches the last parameter first.
//   sizes  elements of each parameter, in the order of the forward pass
//   most   elements that a bucket may have
// Returns the buckets as they are sent, each with the indices of its parameters
// as their gradients become ready. A gradient that would lift the open bucket
// above `most` closes it first and begins the next; one larger than `most` is
// alone. Nothing is split, no bucket is empty.
// DDP's rule is another one: PyTorch adds the gradient first and closes a
// bucket whose bytes have reached the limit (25 MiB; the first one 1 MiB).
// Source: DeepSpeed's runtime/zero/stage_1_and_2.py; engine/planner/include/ringside/planner/reducer.h.
#include <vector>

std::vector<std::vector<int>> bucket_order(const std::vector<long>& sizes,
                                           long most) {
  return {};
}
