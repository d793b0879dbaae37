#include "faulty_group.h"

#include <algorithm>
#include <cstring>
#include <functional>
#include <limits>
#include <utility>

#include "ringside/base/check.h"
#include "ringside/comm/thread_group.h"

namespace ringside {
namespace {

// A kill or raise inside a collective strikes this long after the call was made, so that its communication
// thread has entered.
constexpr std::chrono::milliseconds kToEnter{20};

// A call that is over when `work` is, and then does something more, once, on the thread that waits.
class ThenWork final : public Work {
 public:
  ThenWork(WorkPtr work, std::function<void()> then) : work_(std::move(work)), then_(std::move(then)) {}
  void wait() override {
    if (work_) work_->wait();
    if (then_) std::exchange(then_, nullptr)();
  }
  bool done() const override { return !work_ || work_->done(); }

 private:
  WorkPtr work_;
  std::function<void()> then_;
};

// Element by element from the other end: as many of the same type, and not the same tensor.
void copy_reversed(ConstView from, View to) {
  const int64_t size = size_of(from.dtype);
  for (int64_t i = 0; i < from.count; ++i)
    std::memcpy(static_cast<std::byte*>(to.data) + i * size,
                static_cast<const std::byte*>(from.data) + (from.count - 1 - i) * size,
                static_cast<size_t>(size));
}

void copy(ConstView from, View to) {
  const int64_t bytes = std::min(from.bytes(), to.bytes());
  if (bytes > 0) std::memcpy(to.data, from.data, static_cast<size_t>(bytes));
}

}  // namespace

FaultyGroup::FaultyGroup(FaultInjector& injector, std::unique_ptr<ProcessGroup> inner)
    : injector_(injector), inner_(std::move(inner)) {}

WorkPtr FaultyGroup::all_reduce(View buffer, Tag tag, ReduceOp op) {
  return make({Op::kAllReduce, buffer, buffer, std::move(tag), -1, op});
}
WorkPtr FaultyGroup::reduce_scatter(ConstView input, View output, Tag tag) {
  return make({Op::kReduceScatter, input, output, std::move(tag)});
}
WorkPtr FaultyGroup::all_gather(ConstView input, View output, Tag tag) {
  return make({Op::kAllGather, input, output, std::move(tag)});
}
WorkPtr FaultyGroup::broadcast(View buffer, int root, Tag tag) {
  return make({Op::kBroadcast, buffer, buffer, std::move(tag), root});
}
WorkPtr FaultyGroup::all_to_all(ConstView input, View output, Tag tag) {
  return make({Op::kAllToAll, input, output, std::move(tag)});
}
WorkPtr FaultyGroup::send(ConstView buffer, int peer, Tag tag) {
  return make({Op::kSend, buffer, {}, std::move(tag), peer});
}
WorkPtr FaultyGroup::recv(View buffer, int peer, Tag tag) {
  return make({Op::kRecv, {}, buffer, std::move(tag), peer});
}
WorkPtr FaultyGroup::barrier(Tag tag) { return make({Op::kBarrier, {}, {}, std::move(tag)}); }

WorkPtr FaultyGroup::issue(const Made& call) {
  switch (call.op) {
    case Op::kAllReduce:
      return inner_->all_reduce(call.output, call.tag, call.reduce_op);
    case Op::kReduceScatter:
      return inner_->reduce_scatter(call.input, call.output, call.tag);
    case Op::kAllGather:
      return inner_->all_gather(call.input, call.output, call.tag);
    case Op::kBroadcast:
      return inner_->broadcast(call.output, call.peer, call.tag);
    case Op::kAllToAll:
      return inner_->all_to_all(call.input, call.output, call.tag);
    case Op::kSend:
      return inner_->send(call.input, call.peer, call.tag);
    case Op::kRecv:
      return inner_->recv(call.output, call.peer, call.tag);
    case Op::kBarrier:
      break;
  }
  return inner_->barrier(call.tag);
}

WorkPtr FaultyGroup::make(const Made& call) {
  const Fault* fault = injector_.next(rank(), name(), call.tag);
  if (fault == nullptr) return issue(call);
  injector_.count_strike();
  const Dtype dtype = dtype_of(call);
  switch (fault->kind) {
    case FaultKind::kSkip:
      return std::make_shared<ThenWork>(nullptr, nullptr);
    case FaultKind::kExtra:
      return with_extra(*fault, call);
    case FaultKind::kWrongSize:
      return on_scratch(call, dtype, fault->elements, false);
    case FaultKind::kWrongDtype:
      return on_scratch(call, dtype == Dtype::kFloat64 ? Dtype::kFloat32 : Dtype::kFloat64, 0, false);
    case FaultKind::kOtherTensor:
      return on_scratch(call, dtype, 0, true);
    case FaultKind::kNan:
      poison(call);
      return issue(call);
    case FaultKind::kDelay:
    case FaultKind::kStop:
    case FaultKind::kKill:
    case FaultKind::kRaise:
      return interrupted(*fault, call);
    case FaultKind::kOneBatchMore:
    case FaultKind::kEvaluatesAlone:
      break;
  }
  RINGSIDE_CHECK(false, to_string(fault->kind) << " does not happen to a collective");
}

Dtype FaultyGroup::dtype_of(const Made& call) {
  return call.op == Op::kRecv ? call.output.dtype : call.input.dtype;
}

WorkPtr FaultyGroup::with_extra(const Fault& fault, const Made& call) {
  const WorkPtr extra =
      inner_->all_reduce(scratch(fault.elements, Dtype::kFloat32), {"extra", ""}, ReduceOp::kSum);
  return std::make_shared<ThenWork>(issue(call), [extra] { extra->wait(); });
}

// The same call on buffers of our own: of another type, or longer by `more` elements a rank, or holding
// another tensor. What comes back is copied to where it was wanted, as far as it goes.
WorkPtr FaultyGroup::on_scratch(const Made& call, Dtype dtype, int64_t more, bool reversed) {
  if (call.op == Op::kBarrier) return issue(call);
  const int64_t ranks = size();
  const auto grown = [&](int64_t count, bool of_all_ranks) {
    return count + more * (of_all_ranks ? ranks : 1);
  };
  const bool all_in = call.op == Op::kReduceScatter || call.op == Op::kAllToAll;
  const bool all_out = call.op == Op::kAllGather || call.op == Op::kAllToAll;
  const bool in_place = call.op == Op::kAllReduce || call.op == Op::kBroadcast;
  Made other = call;
  const View input = scratch(grown(call.input.count, all_in), dtype);
  if (reversed)
    copy_reversed(call.input, input);
  else if (dtype == call.input.dtype)
    copy(call.input, input);
  other.input = input;
  other.output = in_place ? input : scratch(grown(call.output.count, all_out), dtype);
  const auto bring_back = [to = call.output, from = other.output] {
    if (to.dtype == from.dtype) copy(from, to);
  };
  return std::make_shared<ThenWork>(issue(other), bring_back);
}

WorkPtr FaultyGroup::interrupted(const Fault& fault, const Made& call) {
  const bool ends_rank = fault.kind == FaultKind::kKill || fault.kind == FaultKind::kRaise;
  switch (fault.when) {
    case FaultMoment::kBefore:
      interrupt(fault);
      return issue(call);
    case FaultMoment::kInside: {
      injector_.hold(rank(), fault.kind == FaultKind::kDelay ? fault.time : kHoldForEver);
      if (!ends_rank) return issue(call);
      on_scratch(call, dtype_of(call), 0,
                 false);  // peers may read it for longer than the rank's own buffers live
      injector_.sleep(kToEnter);
      interrupt(fault);
      break;
    }
    case FaultMoment::kAfter:
      break;
  }
  return std::make_shared<ThenWork>(issue(call), [this, &fault] { interrupt(fault); });
}

void FaultyGroup::interrupt(const Fault& fault) {
  switch (fault.kind) {
    case FaultKind::kDelay:
      return injector_.sleep(fault.time);
    case FaultKind::kStop:
      return injector_.sleep(kHoldForEver);
    case FaultKind::kKill:
      throw RankKilled(rank(), fault.silent);
    default:
      throw PlannedError("rank " + std::to_string(rank()) + ": planned fault at step " +
                         std::to_string(fault.step));
  }
}

View FaultyGroup::scratch(int64_t count, Dtype dtype) {
  scratch_.emplace_back(static_cast<size_t>(count * size_of(dtype)));
  return {scratch_.back().data(), count, dtype};
}

// One element of this rank's own input, where that type has a NaN.
void FaultyGroup::poison(const Made& call) {
  if (call.input.count == 0) return;
  void* first = const_cast<void*>(call.input.data);  // the rank's own buffer, which its code may write
  constexpr uint16_t kBFloat16Nan = 0x7fc0;
  constexpr float kNan = std::numeric_limits<float>::quiet_NaN();
  constexpr double kNan64 = std::numeric_limits<double>::quiet_NaN();
  if (call.input.dtype == Dtype::kFloat32) std::memcpy(first, &kNan, sizeof kNan);
  if (call.input.dtype == Dtype::kBFloat16) std::memcpy(first, &kBFloat16Nan, sizeof kBFloat16Nan);
  if (call.input.dtype == Dtype::kFloat64) std::memcpy(first, &kNan64, sizeof kNan64);
}

}  // namespace ringside
