// Calls of LibTorch, looked at from inside and timed from each place where they can be entered.
#include <ATen/ScalarOps.h>
#include <ATen/TensorIterator.h>
#include <ATen/core/dispatch/Dispatcher.h>
#include <c10/core/InferenceMode.h>
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <time.h>
#include <torch/csrc/autograd/function.h>

#include "record.h"
#include "ringside/base/units.h"
#include "ringside/tensor/watch_call.h"

namespace ringside::dispatch_lesson {
namespace {

using c10::DispatchKey;
using c10::DispatchKeySet;

// Two tensors of ones and what is called with them.
struct Prepared {
  std::shared_ptr<void> mode;  // ends with it, on the same thread
  at::Tensor a, b, out;
  std::string op = "aten::add", overload = "Tensor";
  at::Tensor run() {
    if (out.defined()) return at::add_out(out, a, b);
    return op == "aten::mm" ? at::mm(a, b) : at::add(a, b);
  }
};

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
  return made;
}

// What the operator's table has for a key: "VariableType_2.cpp:16915", "falls through".
std::string kernel_of(const std::string& table, DispatchKey key) {
  const std::string head = fmt::format("\n{}: ", c10::toString(key));
  const size_t at = ("\n" + table).find(head);
  const std::string line = at == std::string::npos ? "fallthrough" : table.substr(at + head.size() - 1);
  const size_t file = line.rfind('/', line.find('\n')) + 1;
  return line.starts_with("fallthrough") ? kFallsThrough : line.substr(file, line.find(' ', file) - file);
}

std::vector<Seen> watched(Prepared& call, at::Tensor& result) {
  const WatchedCall seen = watch_call([&] { result = call.run(); });
  std::vector<Seen> rows;
  for (const std::string& name : seen.operators) rows.push_back({"operator", name, ""});
  for (const auto& [bytes, below] : seen.allocations)
    rows.push_back({"memory", format_bytes(static_cast<double>(bytes)), below ? kBelow : ""});
  for (const auto& [function, library] : seen.stack)
    rows.push_back({"frame", function.empty() ? "(no name)" : function, library});
  return rows;
}

Seen iterator_of(const Prepared& call) {
  const auto iterator = at::TensorIterator::borrowing_binary_op(call.out, call.a, call.b);
  std::string strides;
  for (int i = 0; i < 3; ++i) strides += fmt::format(" {}", fmt::join(iterator.strides(i), ","));
  return {"iterator", c10::toString(iterator.common_dtype()),
          fmt::format("{}:{}", fmt::join(iterator.shape(), "×"), strides)};
}

// The additions and nothing else.
[[gnu::noinline, gnu::optimize("O3")]] void add_floats(const float* a, const float* b, float* c, int64_t n) {
  for (int64_t i = 0; i < n; ++i) c[i] = a[i] + b[i];
}

// This thread's own time: what else the machine does is not in it.
double cpu_ns() {
  timespec time{};
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time);
  return 1e9 * static_cast<double>(time.tv_sec) + static_cast<double>(time.tv_nsec);
}

struct Way {
  std::string name;
  NsOfCall ns_of_call;
  int64_t calls = 1;  // in a round
};
template <typename Once>
Way way(const char* name, Once once) {  // ns: the mean of some calls, after one that is not counted
  return {name, [once](int64_t calls) mutable {
            once();
            const double start = cpu_ns();
            for (int64_t i = 0; i < calls; ++i) once();
            return (cpu_ns() - start) / static_cast<double>(calls);
          }};
}

std::vector<Way> ways(int64_t elements) {
  using Add = at::Tensor(const at::Tensor&, const at::Tensor&, const at::Scalar&);
  using AddOut = at::Tensor&(const at::Tensor&, const at::Tensor&, const at::Scalar&, at::Tensor&);
  c10::Dispatcher& dispatcher = c10::Dispatcher::singleton();
  const auto add = dispatcher.findSchemaOrThrow("aten::add", "Tensor").typed<Add>();
  const auto add_out = dispatcher.findSchemaOrThrow("aten::add", "out").typed<AddOut>();
  const DispatchKeySet cpu(DispatchKey::CPU), both = cpu.add(DispatchKey::AutogradCPU);
  const at::Tensor a = at::ones({elements}), b = at::ones({elements}), c = at::empty({elements});
  const float *x = a.data_ptr<float>(), *y = b.data_ptr<float>();
  float* z = c.data_ptr<float>();
  std::vector<Way> all = {way(kCpp, [=] { at::add(a, b); }),
                          way(kAutograd, [=] { add.redispatch(both, a, b, 1); }),
                          way(kCpu, [=] { add.redispatch(cpu, a, b, 1); }),
                          way(kOut, [=, out = c]() mutable { add_out.redispatch(cpu, a, b, 1, out); }),
                          way(kLoop, [=, keep = c] { add_floats(x, y, z, elements); })};
  for (const char* call : {"requires_grad", "no_grad", "inference_mode", "int_float"})
    all.push_back({call, [=](int64_t calls) {  // in its mode
                     Prepared made = prepare(call, {elements});
                     return way(call, [&] { made.run(); }).ns_of_call(calls);
                   }});
  return all;
}

}  // namespace

void look_at(const std::string& name, Recorder& recorder) {
  Prepared call = prepare(name, {2, 3});
  const c10::OperatorHandle op =
      c10::Dispatcher::singleton().findSchemaOrThrow(call.op.c_str(), call.overload.c_str());
  const std::string table = op.dumpComputedTable();
  int64_t step = 0;
  at::Tensor result;
  std::vector<Seen> rows;
  const auto station = [&](const char* unit, const auto& act) {
    const SpanScope span(recorder, "station", step++, unit);
    act();
  };

  station(call.op.c_str(), [&] { rows = watched(call, result); });
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
  if (call.op == "aten::add") station("TensorIterator", [&] { rows.push_back(iterator_of(call)); });
  if (!call.out.defined()) station("memory", [&] { at::empty_like(result); });
  rows.push_back({"result", c10::toString(result.scalar_type()), ""});
  rows.push_back({"node", result.grad_fn() ? result.grad_fn()->name() : "none", ""});
  for (const Seen& row : rows) record_row(recorder, row);
}

void time_ways(int64_t elements, int64_t rounds, Recorder& recorder, RunControl& control, NsOfCall python) {
  constexpr double kRoundNs = 0.5e6;  // of each way in a round
  std::vector<Way> all = ways(elements);
  if (python) all.push_back({kPython, std::move(python)});
  for (Way& way : all)
    way.calls = static_cast<int64_t>(std::clamp(kRoundNs / std::max(1.0, way.ns_of_call(3)), 3.0, 1e5));
  for (int64_t round = 0; round < rounds; ++round) {
    control.pass_step();
    for (const Way& way : all) recorder.scalar(way.name, round, way.ns_of_call(way.calls));
    std::reverse(all.begin(), all.end());  // A B, B A, ...
  }
}

}  // namespace ringside::dispatch_lesson
