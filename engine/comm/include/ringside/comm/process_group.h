// ProcessGroup: what a rank sees of its peers. Every collective is
// asynchronous: it progresses on the rank's communication thread without its
// caller, and returns a Work to wait on. Every wait has a deadline; abort()
// wakes every waiter. Buffers are typed views and must stay alive and, for
// inputs, unchanged until the Work has completed.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "ringside/trace/events.h"

namespace ringside {

enum class Device : uint8_t { kCpu, kCuda };
enum class ReduceOp : uint8_t { kSum, kMax };

struct View {  // (count)
  void* data = nullptr;
  int64_t count = 0;  // elements
  Dtype dtype = Dtype::kFloat32;
  Device device = Device::kCpu;
  int64_t bytes() const { return count * size_of(dtype); }
};
struct ConstView {  // (count)
  const void* data = nullptr;
  int64_t count = 0;
  Dtype dtype = Dtype::kFloat32;
  Device device = Device::kCpu;
  ConstView() = default;
  ConstView(const void* from, int64_t elements, Dtype type, Device on = Device::kCpu)
      : data(from), count(elements), dtype(type), device(on) {}
  ConstView(const View& view) : data(view.data), count(view.count), dtype(view.dtype), device(view.device) {}
  int64_t bytes() const { return count * size_of(dtype); }
};

// What a collective carries, for the trace and the ledger. Not compared across ranks.
struct Tag {
  std::string what;  // "gradients", "parameters", "norm", "initial", "evaluation", ...
  std::string unit;  // "bucket 3", "layer 2"
};

class Work {
 public:
  virtual ~Work() = default;
  // Returns once the collective has completed on this rank; rethrows its error
  // (TimeoutError, PeerLostError, MismatchError of comm/errors.h).
  virtual void wait() = 0;
  virtual bool done() const = 0;
};
using WorkPtr = std::shared_ptr<Work>;

// Waits for each, even if one fails, for until then their buffers are in use; then rethrows the first error.
void wait_all(const std::vector<WorkPtr>& works);

class ProcessGroup {
 public:
  virtual ~ProcessGroup() = default;
  virtual int rank() const = 0;
  virtual int size() const = 0;
  virtual const std::string& name() const = 0;

  // buffer: (n) on every rank, any n >= 0; replaced by the reduction over ranks.
  virtual WorkPtr all_reduce(View buffer, Tag tag, ReduceOp op = ReduceOp::kSum) = 0;
  // input: (N c), output: (c) = chunk `rank` of the sum. output may be that chunk of input.
  virtual WorkPtr reduce_scatter(ConstView input, View output, Tag tag) = 0;
  // input: (c), output: (N c), chunk r from rank r. input may be chunk `rank` of output.
  virtual WorkPtr all_gather(ConstView input, View output, Tag tag) = 0;
  // buffer: (n); replaced by root's.
  virtual WorkPtr broadcast(View buffer, int root, Tag tag) = 0;
  // input, output: (N c); chunk r of output is chunk `rank` of rank r's input.
  virtual WorkPtr all_to_all(ConstView input, View output, Tag tag) = 0;
  virtual WorkPtr send(ConstView buffer, int peer, Tag tag) = 0;
  virtual WorkPtr recv(View buffer, int peer, Tag tag) = 0;
  virtual WorkPtr barrier(Tag tag) = 0;

  // Every waiter, here and on the other ranks, throws PeerLostError naming this rank.
  virtual void abort(const std::string& reason) = 0;
};

}  // namespace ringside
