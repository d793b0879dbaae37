// Values on the CPU and on the device that the kernels of this test run on (kernels/device.h).
#pragma once

#include <cstring>
#include <vector>

#include "catch.h"
#include "ringside/kernels/device.h"

namespace ringside::testing {

template <typename T>
class Twin {
 public:
  explicit Twin(std::vector<T> values) : cpu(std::move(values)), device_(kernels::allocate(bytes())) {
    kernels::copy(device(), cpu.data(), bytes());
  }
  explicit Twin(size_t count) : Twin(std::vector<T>(count)) {}
  T* device() const { return static_cast<T*>(device_.get()); }
  // Whether the device has the bits that the CPU has.
  bool agrees() const {
    std::vector<T> values(cpu.size());
    kernels::copy(values.data(), device(), bytes());
    return cpu.empty() || std::memcmp(values.data(), cpu.data(), bytes()) == 0;
  }
  std::vector<T> cpu;

 private:
  size_t bytes() const { return cpu.size() * sizeof(T); }
  std::shared_ptr<void> device_;
};

inline bool has_device() {
  if (!kernels::has_device()) WARN("not run: there is no GPU here, the kernels are only compiled");
  return kernels::has_device();
}

}  // namespace ringside::testing
