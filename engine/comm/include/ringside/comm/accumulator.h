// What is done to elements: copies; sums (or maxima), held in a wider type than the wire's, and the look for
// NaN.
//
//   acc = in_0;  acc = acc + in_1;  ...;  out = round(acc)
//
// float32 and bfloat16 are added in float32, float64 in float64, int64 in int64; a bfloat16 result is rounded
// once, to nearest even. The other types have no sum.
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <vector>

#include "ringside/comm/process_group.h"

namespace ringside::inline comm {

template <typename View>
View slice(View whole, Chunk part) {
  return slice(whole, part.offset, part.count);
}
// As many bytes as both have; nothing where they are the same memory.
void copy_into(MutableView to, ConstView from);

bool has_sum(Dtype dtype);

// out = round(in_0 + in_1 + ... + in_{N-1}), in that order; or their maximum, where a NaN wins. All: (n), of
// one type. Each block is read from all before it is written, so `out` may be one of the inputs.
void reduce_into(MutableView out, const std::vector<ConstView>& inputs, ReduceOp op = ReduceOp::kSum);
inline void add_into(MutableView into, ConstView from) { reduce_into(into, {into, from}); }

// Adds the elements of a view of float32 or bfloat16, in the host's memory, at the end.
void append_as_float(std::vector<float>& to, ConstView view);

// Index of the first NaN or infinity; none where all are finite, or the type has neither.
std::optional<int64_t> first_non_finite(ConstView view);

// Memory that is a device's: who moves it and adds it up. What is said of views above holds for these too;
// the functions come here where a view is of a device. Everything comes after what the calling thread has
// handed to the device, and is done on return.
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
