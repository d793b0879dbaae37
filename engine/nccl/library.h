// What is called of NCCL (2.14 and later) and of the CUDA runtime, as C has it. Their headers are not needed:
// tests/nccl compares these values with nccl.h where it is.
#pragma once

#include <cstddef>
#include <type_traits>

#include "ringside/nccl/nccl.h"

namespace ringside::inline nccl {

struct UniqueId {
  char bytes[128];
};
using Comm = struct OpaqueComm*;
using Stream = struct OpaqueStream*;
using Event = struct OpaqueEvent*;

enum Result : int { kSuccess = 0, kInProgress = 7 };
enum Type : int { kInt8 = 0, kUint8 = 1, kInt32 = 2, kInt64 = 4, kFloat16 = 6, kFloat32 = 7, kFloat64 = 8, kBFloat16 = 9 };
enum Reduction : int { kSum = 0, kMax = 2 };

struct Config {  // ncclConfig_t as of 2.14: NCCL takes what it knows of it
  size_t size = sizeof(Config);
  unsigned magic = 0xcafebeef, version = 21400;
  int blocking = 0;
};

constexpr int kCudaSuccess = 0, kCudaNotReady = 600;
constexpr unsigned kEventWithoutTiming = 2;

// X(name, type of function)
#define RINGSIDE_NCCL_FUNCTIONS(X)                                                                         \
  X(ncclGetVersion, int(int*))                                                                             \
  X(ncclGetErrorString, const char*(int))                                                                  \
  X(ncclGetUniqueId, int(nccl::UniqueId*))                                                                 \
  X(ncclCommInitRankConfig, int(nccl::Comm*, int size, nccl::UniqueId, int rank, nccl::Config*))           \
  X(ncclCommGetAsyncError, int(nccl::Comm, int*))                                                          \
  X(ncclCommAbort, int(nccl::Comm))                                                                        \
  X(ncclGroupStart, int())                                                                                 \
  X(ncclGroupEnd, int())                                                                                   \
  X(ncclAllReduce, int(const void*, void*, size_t, int type, int reduction, nccl::Comm, nccl::Stream))     \
  X(ncclReduceScatter, int(const void*, void*, size_t, int type, int reduction, nccl::Comm, nccl::Stream)) \
  X(ncclAllGather, int(const void*, void*, size_t, int type, nccl::Comm, nccl::Stream))                    \
  X(ncclBroadcast, int(const void*, void*, size_t, int type, int root, nccl::Comm, nccl::Stream))          \
  X(ncclSend, int(const void*, size_t, int type, int peer, nccl::Comm, nccl::Stream))                      \
  X(ncclRecv, int(void*, size_t, int type, int peer, nccl::Comm, nccl::Stream))
#define RINGSIDE_CUDART_FUNCTIONS(X)                             \
  X(cudaSetDevice, int(int))                                     \
  X(cudaDeviceGetPCIBusId, int(char*, int length, int device))   \
  X(cudaStreamCreate, int(nccl::Stream*))                        \
  X(cudaStreamDestroy, int(nccl::Stream))                        \
  X(cudaEventCreateWithFlags, int(nccl::Event*, unsigned flags)) \
  X(cudaEventDestroy, int(nccl::Event))                          \
  X(cudaEventRecord, int(nccl::Event, nccl::Stream))             \
  X(cudaEventQuery, int(nccl::Event))                            \
  X(cudaMalloc, int(void**, size_t))                             \
  X(cudaFree, int(void*))                                        \
  X(cudaGetErrorString, const char*(int))

class NcclLibrary {
 public:
  NcclLibrary();
#define RINGSIDE_MEMBER(name, ...) std::type_identity_t<__VA_ARGS__>* name = nullptr;
  RINGSIDE_NCCL_FUNCTIONS(RINGSIDE_MEMBER)
  RINGSIDE_CUDART_FUNCTIONS(RINGSIDE_MEMBER)
#undef RINGSIDE_MEMBER
  int version = 0;  // 22803
};

}  // namespace ringside::inline nccl
