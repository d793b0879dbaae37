#include "ringside/libtorch/dispatch.h"

#include <ATen/ATen.h>
#include <ATen/core/dispatch/Dispatcher.h>
#include <c10/core/impl/LocalDispatchKeySet.h>

namespace ringside::inline kit {
namespace {

using c10::DispatchKey;
using c10::DispatchKeySet;

// "AutogradCPU: registered at ./torch/csrc/VariableType_2.cpp:16915 [autograd kernel]", a line of the table.
std::string kernel_of(const std::string& table, DispatchKey key) {
  const std::string head = std::string("\n") + c10::toString(key) + ": ";
  const size_t at = ("\n" + table).find(head);
  if (at == std::string::npos) return "";
  const std::string line = table.substr(at + head.size() - 1);
  if (line.starts_with("fallthrough")) return "";
  const size_t file = line.rfind('/', line.find('\n')) + 1;
  return line.substr(file, line.find(' ', file) - file);
}

}  // namespace

std::vector<DispatchStation> dispatch_stations(const std::string& op, const std::string& overload,
                                               const std::vector<c10::IValue>& arguments) {
  const auto handle = c10::Dispatcher::singleton().findSchemaOrThrow(op.c_str(), overload.c_str());
  const std::string table = handle.dumpComputedTable();
  const c10::impl::LocalDispatchKeySet local = c10::impl::tls_local_dispatch_key_set();
  DispatchKeySet keys = local.included_, with_kernel;
  for (const c10::IValue& argument : arguments)
    if (argument.isTensor()) keys = keys | argument.toTensor().key_set();
  keys = keys - local.excluded_;
  for (const DispatchKey key : keys)
    if (!kernel_of(table, key).empty()) with_kernel = with_kernel.add(key);

  std::vector<DispatchStation> stations;
  for (DispatchKey key; (key = keys.highestPriorityTypeId()) != DispatchKey::Undefined;
       keys = keys.remove(key)) {
    stations.push_back({c10::toString(key), kernel_of(table, key), {}});
    if (!with_kernel.has(key)) continue;
    stations.back().enter = [handle, with_kernel, arguments] {
      std::vector<c10::IValue> stack = arguments;
      handle.redispatchBoxed(with_kernel, &stack);
    };
    with_kernel = with_kernel.remove(key);
  }
  return stations;
}

}  // namespace ringside::inline kit
