// A device that every machine has (RINGSIDE_TEST_TRANSPORT=device): memory of the host whose views say kCuda,
// and the host's build of the kernels. What is tested of the CPU is tested of the calls to a GPU. With
// RINGSIDE_TEST_TRANSPORT=gpu trainings run on a real one.
#pragma once

#include "connected_ranks.h"
#if __has_include("ringside/kernels/on_device.h")
#include "ringside/kernels/on_device.h"
#endif

namespace ringside::testing {

#if __has_include("ringside/kernels/on_device.h")
// A stream has come to a mark when it has been asked for once.
class StandInDevice final : public kernels::OnDevice {
 public:
  std::function<bool()> mark() const override {
    return [asked = false]() mutable { return std::exchange(asked, true); };
  }
};
#endif

// Where this program's tests compute; kCuda: on the stand-in.
inline Device tested_device() {
#if __has_include("ringside/kernels/on_device.h")
  static const StandInDevice stand_in;
  if (is_over("device") && device_memory() == nullptr) set_device_kernels(&stand_in);
  if (is_over("device")) return Device::kCuda;
#endif
  return is_over("gpu") ? Device::kCuda : Device::kCpu;
}

// The same calls on buffers that are the stand-in's.
class OnTestedDevice final : public GroupDecorator {
 public:
  using GroupDecorator::GroupDecorator;
  WorkPtr start(Collective call) override {
    if (is_over("device")) call.input.device = call.output.device = tested_device();
    return inner_->start(std::move(call));
  }
};

}  // namespace ringside::testing
