// Calls of LibTorch, looked at from inside, and timed from each place where they can be entered.
#include <ATen/ScalarOps.h>
#include <ATen/TensorIterator.h>
#include <ATen/Version.h>
#include <ATen/core/dispatch/Dispatcher.h>
#include <ATen/ops/add_ops.h>
#include <c10/core/GradMode.h>
#include <c10/core/InferenceMode.h>
#include <torch/csrc/autograd/function.h>

#include "embedded.h"
#include "record.h"
#include "ringside/child/child.h"
#include "ringside/child/python.h"
#include "ringside/libtorch/dispatch.h"
#include "ringside/libtorch/watch_call.h"
#include "ringside/tensor/torch_adapter.h"

namespace ringside::lessons::dispatch {
namespace {

using c10::DispatchKey, c10::DispatchKeySet;

// Two tensors of ones and what is called with them.
struct Prepared {
  std::shared_ptr<void> mode;  // ends with it, on the same thread
  at::Tensor a, b;
  std::string op = "aten::add", overload = "Tensor";
  at::Tensor run() { return op == "aten::mm" ? at::mm(a, b) : at::add(a, b); }
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
  if (call == "autocast_mm") made.op = "aten::mm", made.overload = "", made.b = made.b.t();
  if (call == "requires_grad" || call == "no_grad") made.a.requires_grad_();
  if (call == "no_grad") made.mode = std::make_shared<at::NoGradGuard>();
  return made;
}

// What it computes in: "6: 4 4 4", a shape and the strides of result, a and b.
std::string iterator_of(const Prepared& call) {
  const at::Tensor none;
  const auto iterator = at::TensorIterator::borrowing_binary_op(none, call.a, call.b);
  std::string strides;
  for (int i = 0; i < 3; ++i) strides += fmt::format(" {}", fmt::join(iterator.strides(i), ","));
  return fmt::format("{}:{}", fmt::join(iterator.shape(), "×"), strides);
}

// "AVX2": for which instructions this processor's loops are chosen.
std::string instruction_set() {
  const std::string config = at::show_config(), head = "CPU capability usage: ";
  const size_t begin = config.find(head);
  if (begin == std::string::npos) return tr("unknown");
  return config.substr(begin + head.size(), config.find('\n', begin) - begin - head.size());
}

// The additions and nothing else.
[[gnu::noinline, gnu::optimize("O3")]] void add_floats(const float* a, const float* b, float* c, int64_t n) {
  for (int64_t i = 0; i < n; ++i) c[i] = a[i] + b[i];
}

std::vector<Way> ways(int64_t elements) {
  using Add = at::_ops::add_Tensor;
  const DispatchKeySet cpu(DispatchKey::CPU), both = cpu.add(DispatchKey::AutogradCPU);
  const at::Tensor a = at::ones({elements}), b = at::ones({elements}), c = at::empty({elements});
  float *x = a.data_ptr<float>(), *y = b.data_ptr<float>(), *z = c.data_ptr<float>();
  const auto handle = c10::Dispatcher::singleton().findSchemaOrThrow("aten::add", "Tensor");
  const auto look_up = [handle](DispatchKey key) { handle.hasComputedKernelForDispatchKey(key); };
  const at::Tensor with_grad = at::ones({elements}).requires_grad_();
  return {way(kCpp, [=] { at::add(a, b); }),
          way(kWithGrad, [=] { at::add(with_grad, b); }),
          way(kAutograd, [=] { Add::redispatch(both, a, b, 1); }),
          way(kCpu, [=] { Add::redispatch(cpu, a, b, 1); }),
          way(kOut, [=, out = c]() mutable { at::_ops::add_out::redispatch(cpu, a, b, 1, out); }),
          way(kLookups, [=] { look_up(DispatchKey::AutogradCPU), look_up(DispatchKey::CPU); }),
          way(kLoop, [=, keep = c] { add_floats(x, y, z, elements); })};
}

void look_at(const std::string& name, Recorder& recorder) {
  Prepared call = prepare(name, {2, 3});
  int64_t step = 0;
  const auto station = [&](const std::string& unit, const std::string& detail, const auto& act) {
    record_row<Station>(recorder, {unit, detail});
    const SpanScope span(recorder, "station", step++, unit);
    act();
  };
  const auto add = [](std::string& all, const std::string& one) { all += (all.empty() ? "" : ", ") + one; };

  Call row;
  row.name = name;
  WatchedCall watched;
  at::Tensor result;
  station(call.op, "", [&] { watched = watch_call([&] { result = call.run(); }); });
  const TablePtr frames = recorder.declare({kFrames, {{"function"}, {"library"}}});
  for (const auto& [function, library] : watched.stack)
    recorder.row(frames, {function.empty() ? "(no name)" : function, library});
  row.operators = fmt::format("{}", fmt::join(watched.operators, ", "));
  row.called = std::ssize(watched.operators);
  for (const auto& one : watched.allocations) add(row.memory, format_bytes(double(one.bytes)));
  std::vector<c10::IValue> arguments = {call.a, call.b};
  if (call.op == "aten::add") arguments.emplace_back(1);
  for (const auto& [key, kernel, enter] : dispatch_stations(call.op, call.overload, arguments)) {
    add(row.keys, key);
    if (row.first_kernel.empty() && !kernel.empty()) row.first_kernel = key;
    kernel.empty() ? add(row.masked, key) : station(key, kernel, enter);
  }
  row.result = c10::toString(result.scalar_type());
  if (call.op == "aten::add") {
    row.iterator = iterator_of(call);
    station("TensorIterator", row.result + " " + row.iterator, [&] { iterator_of(call); });
  }
  station("memory", "", [&] { at::empty_like(result); });
  if (call.op == "aten::add") station("add_stub", instruction_set() + ", " + row.result, [] {});
  row.node = result.grad_fn() ? result.grad_fn()->name() : "none";
  record_row(recorder, row);
}

const std::vector<std::pair<std::string, std::string>> kCalls = {  // as one writes them in Python
    {"plain", "a + b"},
    {"requires_grad", "a.requires_grad_() + b"},
    {"no_grad", "with no_grad(): a.requires_grad_() + b"},
    {"inference_mode", "with inference_mode(): a + b"},
    {"autocast", "with autocast('cpu'): a + b"},
    {"autocast_mm", "with autocast('cpu'): a @ b.T"},
    {"bfloat16", "a.bfloat16() + b.bfloat16()"},
    {"int_float", "a.long() + b"},
    {"number", "a.long() + 1.5"},
    {"broadcast", "a + b[0]"}};

Way python_way(Child& child, int64_t elements) {
  return {kPython, [&child, elements](int64_t calls) {
            double ns = 0;
            child.send(std::to_string(elements) + " " + std::to_string(calls));
            child.next([&](const JsonObject& event) { ns = json_number(event.at("ns"), "ns", 0, 1e12); });
            return ns;
          }};
}

// Starts the child, and waits until it has imported torch; else says what is missing.
std::string start_python(RunControl& control, std::unique_ptr<Child>& child) try {
  if (const std::string missing = why_no_python({"torch"}, control); !missing.empty()) return missing;
  auto python = std::make_unique<Child>(python_command(embedded("a_plus_b.py")), control);
  if (!python->next([](const JsonObject&) {})) return tr("Python ended before the first call");
  child = std::move(python);
  return "";
} catch (const ChildFailed& error) {  // its torch cannot be imported
  return error.what();
}

}  // namespace

void run(const Config& config, const RunContext& context) {
  use_one_thread();
  std::unique_ptr<Child> child;
  TraceRows rows;
  const std::string missing = config.is_on("python") ? start_python(context.control, child) : "";
  if (!missing.empty()) rows.lines = {tr("a + b in Python is not timed: {}.", missing)};
  context.store.set_rows(rows);
  const int64_t largest = config.integer("elements");
  std::vector<int64_t> sizes = {1};
  while (sizes.back() < largest) sizes.push_back(std::min(10 * sizes.back(), largest));
  RunParts parts(context, std::ssize(sizes));
  for (const int64_t n : sizes) {
    std::vector<Way> all = ways(n);
    if (child) all.push_back(python_way(*child, n));
    const std::string name = n == 1 ? kOneElement : tr("{} elements", format_count(n));
    record_timings(all, {config.integer("rounds"), 0.5e6, [&] { context.control.pass_step(); }},
                   parts.section(name));
  }
  auto calls = kCalls;  // the one that was asked for comes last, and is what is shown
  std::ranges::stable_sort(calls, {}, [&](const auto& call) { return call.first == config.text("call"); });
  for (const auto& [name, words] : calls)
    look_at(name, *context.store.add_section(name, {{kWords, words}}, 1).front());
}

}  // namespace ringside::lessons::dispatch
