#include <cstring>
#include <limits>
#include <map>
#include <memory>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "ringside/base/check.h"
#include "ringside/comm/accumulator.h"
#include "ringside/comm/then_work.h"
#include "ringside/faults/injector.h"

namespace ringside::inline faults {
namespace {

// A kill or raise inside a collective strikes so long after the call was made: by then the communication
// thread has entered it.
constexpr std::chrono::milliseconds kToEnter{20};

// Copies the elements in reverse order: a tensor of the same size and type, and not the same one.
void copy_reversed(ConstView from, MutableView to) {
  const auto bytes = size_t(from.bytes()), size = size_t(size_of(from.dtype));
  std::vector<std::byte> all(bytes), reversed(bytes);
  copy_into({all.data(), from.count, from.dtype}, from);
  for (size_t at = 0; at < bytes; at += size)
    std::memcpy(reversed.data() + at, all.data() + bytes - size - at, size);
  copy_into(to, {reversed.data(), from.count, from.dtype});
}

// One rank's handle of a group: it passes every call on, except those that the plan strikes.
class FaultyGroup final : public GroupDecorator {
 public:
  FaultyGroup(FaultInjector& injector, std::unique_ptr<ProcessGroup> inner)
      : GroupDecorator(std::move(inner)), injector_(injector) {}
  ~FaultyGroup() override { inner_.reset(); }  // its communication thread may still read scratch_

  WorkPtr start(Collective call) override {
    const Fault* fault = call.again ? nullptr : injector_.next(world_rank(), name(), call.tag);
    if (fault == nullptr) return inner_->start(std::move(call));
    call.waited_for = false;  // some are left to the communication thread
    const Dtype dtype = payload(call).dtype;
    switch (fault->kind) {
      case FaultKind::kSkip: return std::make_shared<ThenWork>();
      case FaultKind::kExtra: return with_extra(*fault, call);
      case FaultKind::kWrongSize: return on_scratch(call, dtype, fault->elements, false);
      case FaultKind::kWrongDtype:
        return on_scratch(call, dtype == Dtype::kFloat64 ? Dtype::kFloat32 : Dtype::kFloat64, 0, false);
      case FaultKind::kOtherTensor: return on_scratch(call, dtype, 0, true);
      case FaultKind::kNan: poison(call); return inner_->start(call);
      case FaultKind::kStale: return stale(call);
      case FaultKind::kDelay:
      case FaultKind::kStop:
      case FaultKind::kKill:
      case FaultKind::kRaise: return interrupted(*fault, call);
      case FaultKind::kOneBatchMore:
      case FaultKind::kEvaluatesAlone: break;
    }
    RINGSIDE_CHECK(false, to_string(fault->kind) << " does not happen to a collective");
  }

 private:
  WorkPtr with_extra(const Fault& fault, const Collective& call) {
    const WorkPtr extra = inner_->all_reduce(scratch(fault.elements, Dtype::kFloat32, payload(call).device),
                                             {"extra", ""}, ReduceOp::kSum);
    return std::make_shared<ThenWork>(inner_->start(call), [extra] { extra->wait(); });
  }

  // Makes the same call on buffers of the fault's own: of another type, or longer by `more` elements a rank,
  // or with the elements in reverse order. What comes back is copied to where it was wanted, as far as it
  // goes.
  WorkPtr on_scratch(const Collective& call, Dtype dtype, int64_t more, bool reversed) {
    if (call.op == Op::kBarrier) return inner_->start(call);
    const int64_t ranks = size();
    const auto grown = [&](int64_t count, bool of_all_ranks) {
      return count + more * (of_all_ranks ? ranks : 1);
    };
    const bool all_in = call.op == Op::kReduceScatter || call.op == Op::kAllToAll;
    const bool all_out = call.op == Op::kAllGather || call.op == Op::kAllToAll;
    const bool in_place = call.op == Op::kAllReduce || call.op == Op::kBroadcast;
    Collective other = call;
    const Device device = payload(call).device;
    const MutableView input = scratch(grown(call.input.count, all_in), dtype, device);
    if (reversed)
      copy_reversed(call.input, input);
    else if (dtype == call.input.dtype)
      copy_into(input, call.input);
    other.input = input;
    other.output = in_place ? input : scratch(grown(call.output.count, all_out), dtype, device);
    const auto bring_back = [to = call.output, from = other.output] {
      if (to.dtype == from.dtype) copy_into(to, from);
    };
    return std::make_shared<ThenWork>(inner_->start(other), bring_back);
  }

  // As one uses a buffer before its gather has ended: what lies there is what the gather before has brought.
  WorkPtr stale(const Collective& call) {
    std::vector<std::byte>& before = before_[{call.tag.what, call.tag.unit, call.output.count}];
    return std::make_shared<ThenWork>(inner_->start(call), [&before, whole = call.output] {
      const MutableView kept{before.data(), whole.count, whole.dtype};
      std::vector<std::byte> fresh(size_t(whole.bytes()));
      copy_into({fresh.data(), whole.count, whole.dtype}, whole);
      if (!before.empty()) copy_into(whole, kept);
      before = std::move(fresh);
    });
  }

  // A delay, stop, kill or raise, before, inside or after the call.
  WorkPtr interrupted(const Fault& fault, Collective call) {
    const bool ends_rank = fault.kind == FaultKind::kKill || fault.kind == FaultKind::kRaise;
    if (fault.when == FaultMoment::kBefore) {
      interrupt(fault);
      return inner_->start(call);
    }
    if (fault.when == FaultMoment::kInside) {
      call.hold = fault.kind == FaultKind::kDelay ? fault.time : kHoldForEver;
      if (!ends_rank) return inner_->start(call);
      // Peers may read the buffers for longer than those of the rank that ends live.
      on_scratch(call, payload(call).dtype, 0, false);
      injector_.sleep(kToEnter);
      interrupt(fault);
    }
    return std::make_shared<ThenWork>(inner_->start(call), [this, &fault] { interrupt(fault); });
  }

  void interrupt(const Fault& fault) {
    if (fault.kind == FaultKind::kDelay) return injector_.sleep(fault.time);
    if (fault.kind == FaultKind::kStop) return injector_.sleep(kHoldForEver);
    if (fault.kind == FaultKind::kKill) throw RankKilled(world_rank(), fault.silent);
    throw PlannedError(fmt::format("rank {}: planned fault at step {}", world_rank(), fault.step));
  }

  MutableView scratch(int64_t count, Dtype dtype, Device device) {  // zeros
    const int64_t bytes = count * size_of(dtype);
    const std::shared_ptr<std::byte[]> zeros(new std::byte[size_t(bytes)]());
    scratch_.push_back(device == Device::kCpu ? zeros : device_memory()->allocate(bytes));
    const MutableView view{scratch_.back().get(), count, dtype, device};
    if (device != Device::kCpu) copy_into(view, {zeros.get(), count, dtype});
    return view;
  }

  // Makes the first element of the rank's own input a NaN, where its type has one.
  static void poison(const Collective& call) {
    if (call.input.count == 0) return;
    const auto put = [&](auto nan) {
      const ConstView& in = call.input;  // the rank's own code may write it
      copy_into({const_cast<void*>(in.data), 1, in.dtype, in.device}, {&nan, 1, in.dtype});
    };
    if (call.input.dtype == Dtype::kFloat32) put(std::numeric_limits<float>::quiet_NaN());
    if (call.input.dtype == Dtype::kFloat64) put(std::numeric_limits<double>::quiet_NaN());
    if (call.input.dtype == Dtype::kBFloat16) put(uint16_t{0x7fc0});
  }

  FaultInjector& injector_;
  std::vector<std::shared_ptr<void>> scratch_;
  // By a call's tag, and its output's elements.
  std::map<std::tuple<std::string, std::string, int64_t>, std::vector<std::byte>> before_;
};

}  // namespace

std::unique_ptr<ProcessGroup> FaultInjector::wrap(std::unique_ptr<ProcessGroup> group) {
  return std::make_unique<FaultyGroup>(*this, std::move(group));
}

}  // namespace ringside::inline faults
