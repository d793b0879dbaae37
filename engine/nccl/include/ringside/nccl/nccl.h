// Collectives over NCCL, between GPUs of one host or of several: a library's own collectives of a ChannelHub
// (comm/channel.h). Over its channels the ranks first compare each call's record, so that a rank that is
// missing, or calls something else, is named as between threads; then NCCL moves the data of device tensors.
//
//   see_one_gpu(local_rank);
//   const auto own = nccl_collectives(load_nccl(), store, {.rank = rank, .size = size});
//   const auto hub = hub_of_sockets(rank, sockets, "ranks as processes, NCCL", own);
//
// A group has a communicator and a stream of its own, and so has each direction of messages between two ranks
// of it: what waits there holds up nothing else. Communicators do not block: each wait looks at the
// asynchronous error, at the deadline and at stop(), and ends with ncclCommAbort. The streams wait for what
// was launched on the legacy default stream before, as LibTorch does, and the other way round.
//
// NCCL adds in an order of its own: sums are compared by tolerance. algorithm "ordered" is its sends and
// receives, and a sum in rank order in fp32 that is rounded once (reduce_into): the bits of threads. Which
// bytes NCCL sends is not to be seen; that is what the trace says.
#pragma once

#include <chrono>
#include <memory>
#include <string>
#include <vector>

#include "ringside/comm/channel.h"
#include "ringside/launch/store.h"

namespace ringside::inline nccl {

// libnccl and the CUDA runtime, as they are found at run time.
class NcclLibrary;

// RINGSIDE_NCCL and RINGSIDE_CUDART name other files than libnccl.so.2 and libcudart.so. MissingError where a
// library, or a function in it, is not there, or it is older than 2.14: it says what to install.
std::shared_ptr<const NcclLibrary> load_nccl();
std::string nccl_version(const NcclLibrary& library);  // "2.28.3"

// Of the GPUs that CUDA_VISIBLE_DEVICES names, or of all, this process keeps the one of its rank on this
// host: CUDA knows it as GPU 0. A list of one GPU stays as it is, and an empty one, which hides all GPUs. It
// is called before CUDA is first used. UsageError where fewer are named.
void see_one_gpu(int local_rank);

struct NcclOptions {
  int rank = 0, size = 1;
  int gpu = 0;                    // of those that this process sees
  std::string algorithm = {};     // "": NCCL's; "ordered"
  Device memory = Device::kCuda;  // of the views that it takes; the CPU's: in tests
  std::chrono::nanoseconds timeout = std::chrono::seconds(60);  // until all ranks are there
};

// Each rank calls it with the same store. UsageError for another algorithm, and where two ranks have one GPU:
// NCCL takes one rank a GPU. What the store throws.
std::shared_ptr<OwnCollectives> nccl_collectives(std::shared_ptr<const NcclLibrary> library,
                                                 std::shared_ptr<Store> store, const NcclOptions& options);

}  // namespace ringside::inline nccl
