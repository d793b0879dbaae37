#include "ringside/kernels/device.h"

#include "kernel.h"

namespace ringside::kernels {

#ifdef __CUDACC__

bool has_device() {
  int devices = 0;
  return cudaGetDeviceCount(&devices) == cudaSuccess && devices > 0;
}
std::string device_name() {
  cudaDeviceProp properties;
  check(cudaGetDeviceProperties(&properties, 0), "its name");
  return properties.name;
}
std::shared_ptr<void> allocate(size_t bytes) {
  void* data = nullptr;
  check(cudaMalloc(&data, bytes > 0 ? bytes : 1), "memory");
  return {data, [](void* given) { cudaFree(given); }};
}
void copy(void* to, const void* from, size_t bytes) {
  check(cudaDeviceSynchronize(), "a kernel");
  if (bytes > 0) check(cudaMemcpy(to, from, bytes, cudaMemcpyDefault), "a copy");
}
void wait() { check(cudaDeviceSynchronize(), "a kernel"); }
void* own_stream() { return cudaStreamPerThread; }
std::shared_ptr<void> allocate_on(void* stream, size_t bytes) {
  void* data = nullptr;
  const auto own = static_cast<cudaStream_t>(stream);
  check(cudaMallocAsync(&data, bytes, own), "work space");
  return {data, [own](void* given) { cudaFreeAsync(given, own); }};
}
void copy_on(void* stream, void* to, const void* from, size_t bytes) {
  if (bytes == 0) return;
  check(cudaMemcpyAsync(to, from, bytes, cudaMemcpyDefault, static_cast<cudaStream_t>(stream)), "a copy");
}
void wait_for(void* stream) { check(cudaStreamSynchronize(static_cast<cudaStream_t>(stream)), "a kernel"); }
std::function<bool()> mark_of(void* stream) {
  cudaEvent_t made = nullptr;
  check(cudaEventCreateWithFlags(&made, cudaEventDisableTiming), "an event");
  const std::shared_ptr<CUevent_st> event(made, cudaEventDestroy);
  check(cudaEventRecord(made, static_cast<cudaStream_t>(stream)), "an event");
  return [event] {
    const cudaError_t state = cudaEventQuery(event.get());
    if (state == cudaErrorNotReady)
      cudaGetLastError();  // or the next launch of this thread would report it
    else
      check(state, "a kernel");
    return state == cudaSuccess;
  };
}

#else

bool has_device() { return true; }
std::string device_name() { return "the host"; }
std::shared_ptr<void> allocate(size_t bytes) {
  return {::operator new(bytes), [](void* given) { ::operator delete(given); }};
}
void copy(void* to, const void* from, size_t bytes) {
  if (bytes > 0) std::memcpy(to, from, bytes);
}
void wait() {}
void* own_stream() { return nullptr; }
std::shared_ptr<void> allocate_on(void*, size_t bytes) { return allocate(bytes); }
void copy_on(void*, void* to, const void* from, size_t bytes) {
  if (bytes > 0) std::memmove(to, from, bytes);
}
void wait_for(void*) {}
std::function<bool()> mark_of(void*) { return nullptr; }

#endif

}  // namespace ringside::kernels
