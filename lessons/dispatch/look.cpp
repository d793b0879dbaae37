// Calls of LibTorch, looked at from inside and timed from each place where they can be entered.
#include <ATen/ScalarOps.h>
#include <ATen/TensorIterator.h>
#include <ATen/core/dispatch/Dispatcher.h>
#include <c10/core/InferenceMode.h>
#include <fmt/ranges.h>
#include <torch/csrc/autograd/function.h>

#include "record.h"
#include "ringside/base/units.h"
#include "ringside/tensor/dispatch.h"
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

}  // namespace

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

void look_at(const std::string& name, Recorder& recorder) {
  Prepared call = prepare(name, {2, 3});
  int64_t step = 0;
  const auto station = [&](const std::string& unit, const auto& act) {
    const SpanScope span(recorder, "station", step++, unit);
    if (act) act();
  };
  const auto record = [&](const Seen& row) { record_row(recorder, row); };

  WatchedCall watched;
  at::Tensor result;
  station(call.op, std::function([&] { watched = watch_call([&] { result = call.run(); }); }));
  for (const std::string& one : watched.operators) record({"operator", one, ""});
  for (const auto& [bytes, below] : watched.allocations)
    record({"memory", format_bytes(static_cast<double>(bytes)), below ? kBelow : ""});
  for (const auto& [function, library] : watched.stack)
    record({"frame", function.empty() ? "(no name)" : function, library});
  std::vector<c10::IValue> arguments = {call.a, call.b};
  if (call.op == "aten::add") arguments.emplace_back(1);
  if (call.out.defined()) arguments.emplace_back(call.out);
  for (const auto& [key, kernel, enter] : dispatch_stations(call.op, call.overload, arguments)) {
    record({"key", key, kernel.empty() ? kFallsThrough : kernel});
    station(key, enter);
  }
  if (call.op == "aten::add") station("TensorIterator", std::function([&] { record(iterator_of(call)); }));
  if (!call.out.defined()) station("memory", std::function([&] { at::empty_like(result); }));
  record({"result", c10::toString(result.scalar_type()), ""});
  record({"node", result.grad_fn() ? result.grad_fn()->name() : "none", ""});
}

}  // namespace ringside::dispatch_lesson
