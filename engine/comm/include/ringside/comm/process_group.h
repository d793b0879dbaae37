// ProcessGroup: what a rank sees of its peers. A call is a value, a Collective; start() takes it and returns
// a Work to wait on. Every call is asynchronous: it progresses without its caller. Every wait has a deadline;
// abort() wakes every waiter. Buffers are typed views; they must stay alive and, for inputs, unchanged until
// the Work has completed. What computes a buffer of a device has been launched when its call starts; it need
// not be over, and nobody reads the buffer before.
//
// A group is over any of a run's ranks. Within it they are counted anew: rank() and a Collective's peer are
// places in the group, ranks() gives the ranks of the world. Errors and records name ranks of the world.
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "ringside/trace/events.h"

namespace ringside::inline comm {

enum class Device : uint8_t { kCpu, kCuda };
inline constexpr std::string_view kDeviceTexts[] = {"cpu", "cuda"};
inline std::span<const std::string_view> texts(Device) { return kDeviceTexts; }
enum class ReduceOp : uint8_t { kSum, kMax };

struct ConstView {  // (count)
  const void* data = nullptr;
  int64_t count = 0;  // elements
  Dtype dtype = Dtype::kFloat32;
  Device device = Device::kCpu;
  int64_t bytes() const { return count * size_of(dtype); }
};
struct MutableView {  // (count)
  void* data = nullptr;
  int64_t count = 0;
  Dtype dtype = Dtype::kFloat32;
  Device device = Device::kCpu;
  int64_t bytes() const { return count * size_of(dtype); }
  operator ConstView() const { return {data, count, dtype, device}; }
};

inline MutableView slice(MutableView view, int64_t offset, int64_t count) {
  return {static_cast<std::byte*>(view.data) + offset * size_of(view.dtype), count, view.dtype, view.device};
}
inline ConstView slice(ConstView view, int64_t offset, int64_t count) {
  return {static_cast<const std::byte*>(view.data) + offset * size_of(view.dtype), count, view.dtype,
          view.device};
}

// Chunk r of n elements over N ranks: [r n / N, (r+1) n / N). Sizes differ by one at most.
struct Chunk {
  int64_t offset = 0;
  int64_t count = 0;
};
inline Chunk chunk_of(int64_t elements, int size, int rank) {
  // r n / N without the product, which may not fit: n = q N + m.
  const int64_t quotient = elements / size, remainder = elements % size;
  const auto start = [&](int64_t r) { return r * quotient + r * remainder / size; };
  return {start(rank), start(rank + 1) - start(rank)};
}

// What a collective carries, for the trace and the ledger. Not compared across ranks.
struct Tag {
  std::string what;  // "gradients", "parameters", "norm", "initial", "evaluation", ...
  std::string unit;  // "bucket 3", "layer 2"
  // This rank's input is looked at for NaN before anything is added to it, where the group looks
  // (GroupOptions::check_finite). Of a device where somebody knows its memory (accumulator.h).
  bool look_for_nan = false;
};

// One call of one rank.
struct Collective {
  Op op = Op::kBarrier;
  ConstView input{};     // of an all-reduce and a broadcast: the buffer itself; of a recv: empty
  MutableView output{};  // of a send: empty
  Tag tag{};
  int peer = -1;  // place of a broadcast's root, of a send's or recv's other end
  ReduceOp reduce = ReduceOp::kSum;
  // Of a planned fault: how long this rank stays inside once all have arrived.
  std::optional<std::chrono::nanoseconds> hold{};
  // Asks again what the last call asked, on every rank: it has that call's number and is no call of the run.
  // Neither trace nor flight recorder has it, and no fault strikes it.
  bool again = false;
  bool waited_for = false;  // at once, by who starts it (ProcessGroup::run)
};
inline Collective all_reduce_of(MutableView buffer, Tag tag, ReduceOp op) {
  return {.op = Op::kAllReduce, .input = buffer, .output = buffer, .tag = std::move(tag), .reduce = op};
}
inline bool is_p2p(Op op) { return op == Op::kSend || op == Op::kRecv; }
// The buffer whose type and count the ranks must agree in: the input, of a recv the output.
inline ConstView payload(const Collective& call) { return call.op == Op::kRecv ? call.output : call.input; }

// The longest that a group may give its collectives.
inline constexpr std::chrono::nanoseconds kLongestTimeout = std::chrono::hours(24);

// What holds a rank until its group breaks: longer than any deadline.
inline constexpr std::chrono::nanoseconds kHoldForEver = 2 * kLongestTimeout;

// The communication thread ends every call by the group's timeout. A thread that waits longer than this
// waits for a communication thread that is stuck itself. The hour is for the calls queued before it and for
// a slow simulated link.
constexpr std::chrono::nanoseconds stuck_limit(std::chrono::nanoseconds timeout) {
  return timeout + std::chrono::hours(1);
}

class Work {
 public:
  virtual ~Work() = default;
  // Returns once the call has completed on this rank; rethrows its error
  // (TimeoutError, PeerLostError, MismatchError, NonFiniteError of comm/errors.h).
  virtual void wait() = 0;
  virtual bool done() const = 0;
};
using WorkPtr = std::shared_ptr<Work>;

// Waits for each, even if one fails, for until then their buffers are in use; then rethrows the first error.
void wait_all(const std::vector<WorkPtr>& works);

class ProcessGroup {
 public:
  ProcessGroup(std::string name, std::vector<int> ranks, int place);
  virtual ~ProcessGroup() = default;
  ProcessGroup& operator=(ProcessGroup&&) = delete;

  const std::string& name() const { return name_; }
  int rank() const { return place_; }  // this rank's place, 0 to size() - 1
  int size() const { return int(ranks_.size()); }
  const std::vector<int>& ranks() const { return ranks_; }  // (place) of the world
  int world_rank() const { return ranks_[size_t(place_)]; }

  // UsageError for wrong types, counts, places and memory. Input and output share no memory, but as it says
  // below.
  virtual WorkPtr start(Collective call) = 0;
  // start() and wait(), for who has nothing to do meanwhile: no other thread of this rank is woken for it.
  void run(Collective call) {
    call.waited_for = true;
    start(std::move(call))->wait();
  }
  // Every waiter, here and on the other ranks, throws PeerLostError naming this rank.
  virtual void abort(const std::string& reason) = 0;

  // Words for start(). buffer: (n) on every rank, any n >= 0; replaced by the reduction over ranks.
  WorkPtr all_reduce(MutableView buffer, Tag tag, ReduceOp op = ReduceOp::kSum) {
    return start(all_reduce_of(buffer, std::move(tag), op));
  }
  void all_reduce_now(MutableView buffer, Tag tag, ReduceOp op = ReduceOp::kSum) {  // by run()
    run(all_reduce_of(buffer, std::move(tag), op));
  }
  // input: (N c), output: (c) = chunk `rank` of the sum. output may be that chunk of input.
  WorkPtr reduce_scatter(ConstView input, MutableView output, Tag tag) {
    return start({.op = Op::kReduceScatter, .input = input, .output = output, .tag = std::move(tag)});
  }
  // input: (c), output: (N c), chunk r from rank r. input may be chunk `rank` of output.
  WorkPtr all_gather(ConstView input, MutableView output, Tag tag) {
    return start({.op = Op::kAllGather, .input = input, .output = output, .tag = std::move(tag)});
  }
  // buffer: (n); replaced by root's.
  WorkPtr broadcast(MutableView buffer, int root, Tag tag) {
    return start(
        {.op = Op::kBroadcast, .input = buffer, .output = buffer, .tag = std::move(tag), .peer = root});
  }
  // input, output: (N c), which share no memory; chunk r of output is chunk `rank` of rank r's input.
  WorkPtr all_to_all(ConstView input, MutableView output, Tag tag) {
    return start({.op = Op::kAllToAll, .input = input, .output = output, .tag = std::move(tag)});
  }
  WorkPtr send(ConstView buffer, int peer, Tag tag) {
    return start({.op = Op::kSend, .input = buffer, .tag = std::move(tag), .peer = peer});
  }
  WorkPtr recv(MutableView buffer, int peer, Tag tag) {
    return start({.op = Op::kRecv, .output = buffer, .tag = std::move(tag), .peer = peer});
  }
  WorkPtr barrier(Tag tag) { return start({.op = Op::kBarrier, .tag = std::move(tag)}); }

 private:
  const std::string name_;
  const std::vector<int> ranks_;
  const int place_;
};

// A handle that passes every call on. What watches or spoils calls derives from it and overrides start().
class GroupDecorator : public ProcessGroup {
 public:
  explicit GroupDecorator(std::unique_ptr<ProcessGroup> inner);
  WorkPtr start(Collective call) override { return inner_->start(std::move(call)); }
  void abort(const std::string& reason) override { inner_->abort(reason); }

 protected:
  std::unique_ptr<ProcessGroup> inner_;
};

}  // namespace ringside::inline comm
