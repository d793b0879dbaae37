// The device that the kernels of this build run on: the current GPU, or the host (kernels/host_block.h).
#pragma once

#include <cstddef>
#include <memory>
#include <string>

namespace ringside::kernels {

bool has_device();
std::string device_name();  // "NVIDIA H100 80GB HBM3", "the host"

// Memory of the device. MissingError where there is none left.
std::shared_ptr<void> allocate(size_t bytes);
// Between the device's memory and the host's, either way; waits for what was launched before.
void copy(void* to, const void* from, size_t bytes);
void wait();  // for all that was launched

}  // namespace ringside::kernels
