// Looks at one call of LibTorch from inside: RecordFunction tells of operators, the allocator's hook of
// memory.
#include <ATen/ScalarOps.h>
#include <ATen/TensorIterator.h>
#include <ATen/core/dispatch/Dispatcher.h>
#include <ATen/record_function.h>
#include <c10/core/Allocator.h>
#include <c10/core/InferenceMode.h>
#include <c10/util/Backtrace.h>
#include <c10/util/ThreadLocalDebugInfo.h>
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <torch/csrc/autograd/function.h>

#include <sstream>

#include "prepare.h"

namespace ringside::dispatch_lesson {
namespace {

using c10::DispatchKey;
using c10::DispatchKeySet;

// What the operator's table has for a key: "VariableType_2.cpp:16915", "falls through".
std::string kernel_of(const std::string& table, DispatchKey key) {
  const std::string head = fmt::format("\n{}: ", c10::toString(key));
  const size_t at = ("\n" + table).find(head);
  if (at == std::string::npos) return kFallsThrough;
  const std::string line = table.substr(at + head.size() - 1, table.find('\n', at) - at - head.size() + 1);
  if (line.starts_with("fallthrough")) return kFallsThrough;
  const size_t file = line.rfind('/') + 1;
  return line.substr(file, line.find(' ', file) - file);
}

// Sees what this thread's LibTorch calls and allocates, and at the first allocation the stack that asked.
class Watch : public c10::MemoryReportingInfoBase {
 public:
  bool memoryProfilingEnabled() const override { return true; }
  // The integer types changed between LibTorch 1.13 and 2.x; one of the two is virtual.
  void reportMemoryUsage(void*, int64_t bytes, int64_t, int64_t, c10::Device) { change(bytes); }
  void reportMemoryUsage(void*, int64_t bytes, size_t, size_t, c10::Device) { change(bytes); }

  std::vector<Seen> rows;

 private:
  void change(int64_t bytes) {
    if (bytes <= 0) return;
    const bool below = c10::impl::tls_local_dispatch_key_set().excluded_.has(DispatchKey::AutogradOther);
    const bool first =
        std::none_of(rows.begin(), rows.end(), [](const Seen& r) { return r.kind == "memory"; });
    rows.push_back({"memory", fmt::format("{} B", bytes), below ? kBelow : ""});
    if (first) stack();
  }

  // "frame #9: at::TensorIteratorBase::build(...) + 0x8a (0x7f.. in /lib/libtorch_cpu.so.1.13)"
  void stack() {
    std::istringstream lines(c10::get_backtrace());
    std::vector<Seen> frames;
    for (std::string line; std::getline(lines, line);) {
      const size_t name = line.find(": ") + 2, library = line.rfind('/') + 1;
      Seen frame{"frame", line.substr(name, line.find_first_of("(+", name) - name),
                 line.substr(library, line.find(".so", library) - library)};
      if (frame.name.starts_with('<')) frame.name = "(no name)";
      frames.push_back(frame);
      if (frame.name.starts_with("at::_ops::") && frame.name.find("::call") != std::string::npos)
        rows.insert(rows.end(), frames.rbegin(), frames.rend()), frames.clear();
    }
  }
};
thread_local Watch* current = nullptr;

std::vector<Seen> watch(const Prepared& call, at::Tensor& result) {
  const auto watch = std::make_shared<Watch>();
  current = watch.get();
  const auto started = [](const at::RecordFunction& function) -> std::unique_ptr<at::ObserverContext> {
    current->rows.push_back({"operator", function.name(), fmt::format("{} inputs", function.num_inputs())});
    return nullptr;
  };
  const c10::DebugInfoGuard guard(c10::DebugInfoKind::PROFILER_STATE, watch);
  const auto handle = at::addThreadLocalCallback(
      at::RecordFunctionCallback(started).needsInputs(true).scopes({at::RecordScope::FUNCTION}));
  result = call.run();
  at::removeCallback(handle);
  return watch->rows;
}

Seen iterator_of(const Prepared& call, const at::Tensor& out) {
  const auto iterator = at::TensorIterator::borrowing_binary_op(out, call.a, call.b);
  std::vector<std::string> strides;
  for (int i = 0; i < 3; ++i) strides.push_back(fmt::format("{}", fmt::join(iterator.strides(i), ",")));
  return {"iterator", c10::toString(iterator.common_dtype()),
          fmt::format("{}: {}", fmt::join(iterator.shape(), "×"), fmt::join(strides, " "))};
}

}  // namespace

Prepared prepare(const std::string& call, at::IntArrayRef shape) {
  Prepared made;
  if (call == "inference_mode") made.mode = std::make_shared<c10::InferenceMode>();
  if (call.starts_with("autocast")) {  // a key that a thread excludes, or does not
    c10::impl::LocalDispatchKeySet local = c10::impl::tls_local_dispatch_key_set();
    local.excluded_ = local.excluded_.remove(DispatchKey::AutocastCPU);
    made.mode = std::make_shared<c10::impl::ForceDispatchKeyGuard>(local);
  }
  const bool integers = call == "int_float" || call == "number";
  const at::ScalarType of_b = call == "bfloat16" ? at::kBFloat16 : at::kFloat;
  made.a = at::ones(shape, integers ? at::kLong : of_b);
  made.b = at::ones(call == "broadcast" ? shape.slice(1) : shape, of_b);
  if (call == "number") made.b = at::native::wrapped_scalar_tensor(1.5);  // as operator+ does
  if (call == "out") made.out = at::empty(shape), made.overload = "out";
  if (call == "autocast_mm") made.op = "aten::mm", made.overload = "", made.b = made.b.t();
  if (call == "requires_grad" || call == "no_grad") made.a.requires_grad_();
  if (call == "no_grad") made.mode = std::make_shared<at::NoGradGuard>();
  made.run = [a = made.a, b = made.b, out = made.out, mm = call == "autocast_mm"]() mutable {
    if (out.defined()) return at::add_out(out, a, b);
    return mm ? at::mm(a, b) : a + b;
  };
  return made;
}

void look_at(const std::string& name, Recorder& recorder) {
  const Prepared call = prepare(name, {2, 3});
  const c10::OperatorHandle op =
      c10::Dispatcher::singleton().findSchemaOrThrow(call.op.c_str(), call.overload.c_str());
  const std::string table = op.dumpComputedTable();
  int64_t step = 0;
  const auto station = [&](const char* unit, const auto& act) {
    const SpanScope span(recorder, "station", step++, unit);
    act();
  };

  at::Tensor result;
  std::vector<Seen> rows;
  station(call.op.c_str(), [&] { rows = watch(call, result); });
  // The keys that count: of both tensors and this thread's included ones, but for its excluded ones.
  const c10::impl::LocalDispatchKeySet local = c10::impl::tls_local_dispatch_key_set();
  DispatchKeySet keys = (call.a.key_set() | call.b.key_set() | local.included_) - local.excluded_, kernels;
  for (const DispatchKey key : keys)
    if (kernel_of(table, key) != kFallsThrough) kernels = kernels.add(key);
  for (DispatchKey key; (key = keys.highestPriorityTypeId()) != DispatchKey::Undefined;
       keys = keys.remove(key)) {
    rows.push_back({"key", c10::toString(key), kernel_of(table, key)});
    station(c10::toString(key), [&] {
      if (!kernels.has(key)) return;
      std::vector<c10::IValue> stack = {call.a, call.b};
      if (call.op == "aten::add") stack.emplace_back(1);
      if (call.out.defined()) stack.emplace_back(call.out);
      op.redispatchBoxed(kernels, &stack);  // enters the kernel of the highest of these
    });
    kernels = kernels.remove(key);
  }
  if (call.op == "aten::add") station("TensorIterator", [&] { rows.push_back(iterator_of(call, call.out)); });
  if (!call.out.defined()) station("memory", [&] { at::empty_like(result); });
  rows.push_back({"result", c10::toString(result.scalar_type()), ""});
  rows.push_back({"node", result.grad_fn() ? result.grad_fn()->name() : "none", ""});
  for (const Seen& row : rows) record_row(recorder, row);
}

}  // namespace ringside::dispatch_lesson
