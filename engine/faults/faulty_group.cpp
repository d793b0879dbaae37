#include "faulty_group.h"

#include <algorithm>
#include <cstring>
#include <functional>
#include <limits>
#include <utility>

#include "ringside/base/check.h"
#include "ringside/comm/deadlines.h"

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
    : GroupDecorator(std::move(inner)), injector_(injector) {}

FaultyGroup::~FaultyGroup() { inner_.reset(); }

WorkPtr FaultyGroup::start(Collective call) {
  const Fault* fault = injector_.next(world_rank(), name(), call.tag);
  if (fault == nullptr) return inner_->start(std::move(call));
  injector_.count_strike();
  const Dtype dtype = payload(call).dtype;
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
      return inner_->start(call);
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

WorkPtr FaultyGroup::with_extra(const Fault& fault, Collective call) {
  const WorkPtr extra =
      inner_->all_reduce(scratch(fault.elements, Dtype::kFloat32), {"extra", ""}, ReduceOp::kSum);
  return std::make_shared<ThenWork>(inner_->start(call), [extra] { extra->wait(); });
}

// The same call on buffers of our own: of another type, or longer by `more` elements a rank, or holding
// another tensor. What comes back is copied to where it was wanted, as far as it goes.
WorkPtr FaultyGroup::on_scratch(Collective call, Dtype dtype, int64_t more, bool reversed) {
  if (call.op == Op::kBarrier) return inner_->start(call);
  const int64_t ranks = size();
  const auto grown = [&](int64_t count, bool of_all_ranks) {
    return count + more * (of_all_ranks ? ranks : 1);
  };
  const bool all_in = call.op == Op::kReduceScatter || call.op == Op::kAllToAll;
  const bool all_out = call.op == Op::kAllGather || call.op == Op::kAllToAll;
  const bool in_place = call.op == Op::kAllReduce || call.op == Op::kBroadcast;
  Collective other = call;
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
  return std::make_shared<ThenWork>(inner_->start(other), bring_back);
}

WorkPtr FaultyGroup::interrupted(const Fault& fault, Collective call) {
  const bool ends_rank = fault.kind == FaultKind::kKill || fault.kind == FaultKind::kRaise;
  switch (fault.when) {
    case FaultMoment::kBefore:
      interrupt(fault);
      return inner_->start(call);
    case FaultMoment::kInside: {
      call.hold = fault.kind == FaultKind::kDelay ? fault.time : kHoldForEver;
      if (!ends_rank) return inner_->start(call);
      on_scratch(call, payload(call).dtype, 0,
                 false);  // peers may read it for longer than the rank's own buffers live
      injector_.sleep(kToEnter);
      interrupt(fault);
      break;
    }
    case FaultMoment::kAfter:
      break;
  }
  return std::make_shared<ThenWork>(inner_->start(call), [this, &fault] { interrupt(fault); });
}

void FaultyGroup::interrupt(const Fault& fault) {
  switch (fault.kind) {
    case FaultKind::kDelay:
      return injector_.sleep(fault.time);
    case FaultKind::kStop:
      return injector_.sleep(kHoldForEver);
    case FaultKind::kKill:
      throw RankKilled(world_rank(), fault.silent);
    default:
      throw PlannedError("rank " + std::to_string(world_rank()) + ": planned fault at step " +
                         std::to_string(fault.step));
  }
}

View FaultyGroup::scratch(int64_t count, Dtype dtype) {
  scratch_.emplace_back(static_cast<size_t>(count * size_of(dtype)));
  return {scratch_.back().data(), count, dtype};
}

// One element of this rank's own input, where that type has a NaN.
void FaultyGroup::poison(const Collective& call) {
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
