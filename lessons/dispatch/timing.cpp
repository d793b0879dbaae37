// Times a call from each place where it can be entered, and calls that differ in one thing, in turns.
#include <ATen/core/dispatch/Dispatcher.h>

#include "prepare.h"
#include "ringside/base/clock.h"
#include "ringside/base/error.h"

namespace ringside::dispatch_lesson {
namespace {

// The additions and nothing else.
[[gnu::noinline, gnu::optimize("O3")]] void add_floats(const float* a, const float* b, float* c, int64_t n) {
  for (int64_t i = 0; i < n; ++i) c[i] = a[i] + b[i];
}

// Of one call: the mean of some, after one that is not counted.
template <typename Once>
double ns_of(int64_t calls, const Once& once) {
  once();
  const int64_t start = now_ns();
  for (int64_t i = 0; i < calls; ++i) once();
  return static_cast<double>(now_ns() - start) / static_cast<double>(calls);
}

struct Way {
  std::string name;
  NsOfCall ns_of_call;
  int64_t calls = 1;  // in a round
};

// Each of the first five begins further down: what it leaves out is what its distance to the one before
// costs.
std::vector<Way> ways(int64_t elements) {
  using Add = at::Tensor(const at::Tensor&, const at::Tensor&, const at::Scalar&);
  using AddOut = at::Tensor&(const at::Tensor&, const at::Tensor&, const at::Scalar&, at::Tensor&);
  c10::Dispatcher& dispatcher = c10::Dispatcher::singleton();
  const auto add = dispatcher.findSchemaOrThrow("aten::add", "Tensor").typed<Add>();
  const auto add_out = dispatcher.findSchemaOrThrow("aten::add", "out").typed<AddOut>();
  const c10::DispatchKeySet cpu(c10::DispatchKey::CPU), both = cpu.add(c10::DispatchKey::AutogradCPU);
  const at::Tensor a = at::ones({elements}), b = at::ones({elements});
  at::Tensor c = at::empty({elements});
  const float *x = a.data_ptr<float>(), *y = b.data_ptr<float>();
  float* z = c.data_ptr<float>();
  std::vector<Way> all = {
      {kCpp, [=](int64_t n) { return ns_of(n, [&] { at::add(a, b); }); }},
      {kAutograd, [=](int64_t n) { return ns_of(n, [&] { add.redispatch(both, a, b, 1); }); }},
      {kCpu, [=](int64_t n) { return ns_of(n, [&] { add.redispatch(cpu, a, b, 1); }); }},
      {kOut, [=](int64_t n) mutable { return ns_of(n, [&] { add_out.redispatch(cpu, a, b, 1, c); }); }},
      {kLoop, [=](int64_t n) { return ns_of(n, [&] { add_floats(x, y, z, elements); }); }}};
  for (const char* call : {"requires_grad", "no_grad", "inference_mode", "int_float"})
    all.push_back({call, [=](int64_t n) {
                     const Prepared made = prepare(call, {elements});
                     return ns_of(n, made.run);
                   }});
  return all;
}

}  // namespace

void time_ways(int64_t elements, int64_t rounds, Recorder& recorder, RunControl& control, NsOfCall python) {
  constexpr double kRoundNs = 1.5e6;  // of each way in a round
  std::vector<Way> all = ways(elements);
  if (python) all.push_back({kPython, std::move(python)});
  for (Way& way : all)
    way.calls = std::clamp<int64_t>(kRoundNs / std::max(1.0, way.ns_of_call(3)), 3, 100'000);
  for (int64_t round = 0; round < rounds; ++round) {
    if (!control.may_proceed()) throw CancelledError();
    for (const Way& way : all)
      record_row<Timed>(recorder, {way.name, elements, round, way.ns_of_call(way.calls)});
    std::reverse(all.begin(), all.end());  // A B, B A, ...
  }
}

}  // namespace ringside::dispatch_lesson
