#include "ringside/kernels/on_device.h"

#include <limits>

#include "ringside/kernels/device.h"
#include "ringside/kernels/norms.h"
#include "ringside/kernels/sums.h"
#include "ringside/kernels/update.h"

namespace ringside::kernels {
namespace {

// A number in the device's memory, for kernels on one stream.
class Number {
 public:
  Number(const void* value, size_t bytes, void* stream)
      : bytes_(bytes), stream_(stream), memory_(allocate_on(stream, bytes)) {
    copy_on(stream_, memory_.get(), value, bytes_);
  }
  template <typename T>
  T* as() const {
    return static_cast<T*>(memory_.get());
  }
  void read(void* value) const {  // waits
    copy_on(stream_, value, memory_.get(), bytes_);
    wait_for(stream_);
  }

 private:
  const size_t bytes_;
  void* const stream_;
  const std::shared_ptr<void> memory_;
};

}  // namespace

std::shared_ptr<void> OnDevice::allocate(int64_t bytes) const {
  return kernels::allocate(static_cast<size_t>(bytes));
}

// A rank's thread has launched on the rank's stream; the threads that carry its calls have nothing there.
void OnDevice::wait() const {
  if (stream() != nullptr) wait_for(stream());
}

std::function<bool()> OnDevice::mark() const { return stream() != nullptr ? mark_of(stream()) : nullptr; }

void OnDevice::copy(void* to, const void* from, int64_t bytes) const {
  wait();
  copy_on(own_stream(), to, from, static_cast<size_t>(bytes));
  wait_for(own_stream());
}

void OnDevice::reduce(MutableView out, const std::vector<ConstView>& inputs, ReduceOp op) const {
  wait();
  std::vector<const void*> all;
  for (const ConstView& input : inputs) all.push_back(input.data);
  (op == ReduceOp::kSum ? ordered_sum : largest)(out.data, all, out.count, out.dtype, own_stream());
  wait_for(own_stream());
}

std::optional<int64_t> OnDevice::first_non_finite(ConstView view) const {
  constexpr uint64_t kNone = std::numeric_limits<uint64_t>::max();
  wait();
  uint64_t first = kNone;
  const Number number(&first, sizeof first, own_stream());
  kernels::first_non_finite(number.as<uint64_t>(), view.data, view.count, view.dtype, own_stream());
  number.read(&first);
  return first == kNone ? std::nullopt : std::optional(static_cast<int64_t>(first));
}

std::string OnDevice::name() const { return device_name(); }
std::vector<std::string> OnDevice::optimizers() const { return optimizers_with_kernels(); }

void OnDevice::update(const std::string& optimizer, const Elements& elements, const Values& values,
                      const UpdateOptions& options) const {
  kernels::update(optimizer, elements, values, options, stream());
}
void OnDevice::run(const norms::LayerNormForward<float>& call) const { kernels::run(call, stream()); }
void OnDevice::run(const norms::LayerNormBackward<float>& call) const { kernels::run(call, stream()); }
void OnDevice::run(const norms::RmsNormForward<float>& call) const { kernels::run(call, stream()); }
void OnDevice::run(const norms::RmsNormBackward<float>& call) const { kernels::run(call, stream()); }

void OnDevice::add_squares(int64_t* limbs, ConstView values) const {
  const Number sum(limbs, kNormLimbs * sizeof *limbs, stream());
  kernels::add_squares(sum.as<int64_t>(), values.data, values.count, values.dtype, stream());
  sum.read(limbs);
}

}  // namespace ringside::kernels
