// Memory that is a device's: who moves it and adds it up. What accumulator.h says of views holds for these
// too; its functions come here where a view is of a device.
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <vector>

#include "ringside/comm/process_group.h"

namespace ringside::inline comm {

// Everything comes after what the calling thread has handed to the device, and is done on return.
class DeviceMemory {
 public:
  virtual ~DeviceMemory() = default;
  virtual std::shared_ptr<void> allocate(int64_t bytes) const = 0;
  virtual void copy(void* to, const void* from, int64_t bytes) const = 0;  // either may be the host's
  virtual void reduce(MutableView out, const std::vector<ConstView>& inputs, ReduceOp op) const = 0;
  virtual std::optional<int64_t> first_non_finite(ConstView view) const = 0;
  virtual void wait() const = 0;  // for what the calling thread has handed to the device
  // Whether the device has come so far: asked later, by any thread, which waits for nothing. Error where the
  // device has failed. Empty: the calling thread has nothing there.
  virtual std::function<bool()> mark() const = 0;
};

// Of this process; null where nobody has asked for a device yet.
const DeviceMemory* device_memory();
void set_device_memory(const DeviceMemory* memory);

}  // namespace ringside::inline comm
