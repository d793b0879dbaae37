// The device that the kernels of this build run on: the current GPU, or the host (kernels/host_block.h).
#pragma once

#include <cstddef>
#include <functional>
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

// Of the calling thread alone, a cudaStream_t; what is launched on it waits for no other thread's work.
void* own_stream();
// The same on a stream: work space from its pool, a copy that is launched, and waiting for that stream.
std::shared_ptr<void> allocate_on(void* stream, size_t bytes);
void copy_on(void* stream, void* to, const void* from, size_t bytes);
void wait_for(void* stream);
// Whether the stream has come to where it is now, whoever asks. MissingError where a kernel has failed.
std::function<bool()> mark_of(void* stream);

}  // namespace ringside::kernels
