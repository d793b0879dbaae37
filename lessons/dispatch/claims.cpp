#include <cmath>

#include "record.h"
#include "ringside/lesson/claim_forms.h"
#include "ringside/lesson/question_forms.h"
#include "ringside/lesson/tr.h"

namespace ringside::dispatch_lesson {
namespace {

// A claim about what was seen of one call, compared with another.
ClaimSpec about(std::string id, std::string statement, const char* call, const char* other,
                ClaimResult (*judge)(const Call& of, const Call& other)) {
  return {std::move(id), "B14", std::move(statement), [=](const Trace& trace) {
            const auto a = call_of(trace, call), b = call_of(trace, other);
            return a && b ? judge(*a, *b) : not_testable(tr("the calls that it compares were not made"));
          }};
}

const Words kShares = {"under 1 %", "about 5 %", "about half", "nearly all"};

std::optional<Words> share(const Trace& trace) {
  const SectionView* size = trace.find(kOneElement);
  const double share = median_ns(size, kLoop) / median_ns(size, kCpp);
  if (std::isnan(share)) return std::nullopt;
  return Words{kShares[share < 0.01 ? 0 : share < 0.2 ? 1 : share < 0.8 ? 2 : 3]};
}

std::optional<Words> first(const Trace& trace) {
  const auto call = call_of(trace, "plain");
  return call ? std::optional(Words{call->first_kernel}) : std::nullopt;
}

std::optional<double> operators(const Trace& trace) {
  const auto call = call_of(trace, "int_float");
  return call ? std::optional(static_cast<double>(call->called)) : std::nullopt;
}

}  // namespace

std::vector<ClaimSpec> claims() {
  return {
      claim_of_times("not_the_addition", "B14", tr("for one element 99 % of the time is not the addition"),
                     {kOneElement, kLoop, kCpp, 0, 0.01}),
      claim_of_times("python", "B14", tr("Python is the slow part: more than half of the time"),
                     {kOneElement, kPython, kCpp, 2}),
      claim_of_times("grad_is_free", "B14", tr("requires_grad costs the forward call nothing"),
                     {kOneElement, kWithGrad, kCpp, 0, 1.1}),
      claim_of_times("finding", "B14", tr("finding the kernel is a tenth of the call or more"),
                     {kOneElement, kAutograd, kCpp, 0, 0.9}),
      about("by_dtype", tr("the dispatcher chooses the kernel by dtype"), "plain", "bfloat16",
            [](const Call& a, const Call& b) {
              return holds_if(a.keys != b.keys, tr("float32: {}; bfloat16: {}", a.keys, b.keys));
            }),
      about("skips_autograd", tr("without a gradient a call does not pass through autograd"), "plain",
            "no_grad",
            [](const Call& a, const Call& b) {
              return holds_if(a.first_kernel == "CPU" && b.first_kernel == "CPU",
                              tr("{} is entered first, and under no_grad() {}; nodes: {}, {}", a.first_kernel,
                                 b.first_kernel, a.node, b.node));
            }),
      about("autocast", tr("under autocast a + b is computed in bfloat16"), "autocast", "autocast_mm",
            [](const Call& a, const Call& b) {
              return holds_if(a.result == "BFloat16", tr("a + b gives {}, a @ b {}", a.result, b.result));
            }),
      about("cast_in_kernel", tr("int64 + float32: the kernel casts as it reads"), "int_float", "plain",
            [](const Call& a, const Call& b) {
              return holds_if(a.memory == b.memory, tr("{}; memory {}", a.operators, a.memory));
            }),
      about("broadcast_copies", tr("broadcasting copies the smaller tensor"), "broadcast", "plain",
            [](const Call& a, const Call& b) {
              return holds_if(a.memory != b.memory, tr("memory {}; strides {}", a.memory, a.iterator));
            }),
  };
}

std::vector<PredictionSpec> questions() {
  return {
      ask("share", tr("Two tensors of one float each, a + b in C++: what share of the time is the addition?"),
          {.right = {kShares[0]},
           .options = kShares,
           .wrong = {{tr("the arithmetic is what takes time"), {kShares[3]}},
                     {tr("the call costs as much as the work"), {kShares[2]}}},
           .measured = share,
           .figure = "share",
           .around = {tr("share"), tr("For one element the loop runs once. Before it the operator is looked "
                                      "up, keys are computed, "
                                      "and memory for the result is asked for.")}}),
      ask("first", tr("No tensor requires a gradient. Which key's kernel is entered first?"),
          {.right = {"AutogradCPU"},
           .options = {"CPU", "AutogradCPU", "ADInplaceOrView", "BackendSelect"},
           .wrong = {{tr("autograd is there only where a gradient is asked for"), {"CPU"}}},
           .measured = first,
           .figure = "path",
           .around =
               {tr("first kernel"),
                tr("Every tensor that was made outside of inference mode has the key AutogradCPU, with or "
                   "without a gradient. Its kernel looks whether one is needed, and makes no node.")}}),
      ask("operators", tr("int64 + float32 on a CPU: how many operators does this one a + b call?"),
          {.unit = tr("operators"),
           .right = 5,
           .wrong = {{tr("the kernel casts as it reads"), 1}, {tr("a cast and an addition"), 2}},
           .measured = operators,
           .figure = "calls",
           .around = {tr("operators"), tr("The common dtype is float32, and on the CPU the int64 tensor is "
                                          "copied into a new one of it. "
                                          "The copy is made of operators of its own.")},
           .whole = true})};
}

}  // namespace ringside::dispatch_lesson
