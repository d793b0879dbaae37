// What one call of LibTorch does, seen from inside: the operators that RecordFunction tells of, the memory
// that the allocator hands out, and the stack that asked for the first of it. A release build has no names
// for its internal functions.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

namespace ringside::inline kit {

struct WatchedCall {
  struct Allocation {
    int64_t bytes = 0;
    bool below_autograd = false;  // this thread excludes autograd's keys: its kernel dispatched again
  };
  struct Frame {
    std::string function, library;  // "at::_ops::add_Tensor::call", "libtorch_cpu"; "": no name
  };
  std::vector<std::string> operators;   // "aten::add", in the order of their calls
  std::vector<Allocation> allocations;  // frees are not among them
  std::vector<Frame> stack;             // the outermost first, from the operator on
};

// Runs it on this thread. What it throws passes. A MemoryHook on the thread does not see its memory.
WatchedCall watch_call(const std::function<void()>& call);

}  // namespace ringside::inline kit
