// What the dispatcher would do with a call: the keys of its set, and what the operator's table has for each.
#pragma once

#include <ATen/core/ivalue.h>

#include <functional>
#include <string>
#include <vector>

namespace ringside::inline kit {

struct DispatchStation {
  std::string key;     // "AutogradCPU"
  std::string kernel;  // where it was registered, "VariableType_2.cpp:16915"; "": none, the key is masked
  std::function<void()> enter;  // calls the kernel, which dispatches again by the keys below; none: masked
};
// Of a call on this thread: of all tensors' keys and the thread's included ones, without its excluded ones,
// the highest first. The mode that this thread is in, such as InferenceMode, must still be the same when one
// enters.
std::vector<DispatchStation> dispatch_stations(const std::string& op, const std::string& overload,
                                               const std::vector<c10::IValue>& arguments);

}  // namespace ringside::inline kit
