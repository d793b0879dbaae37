#include <fmt/format.h>

#include "record.h"
#include "ringside/base/units.h"
#include "ringside/lesson/ratio_claim.h"
#include "ringside/lesson/tr.h"

namespace ringside::dispatch_lesson {
namespace {

const ClaimResult kNotRun{Verdict::kNotTestable, "the calls that it compares were not made"};
constexpr double kMore = 1e9;

ClaimResult holds_if(bool holds, std::string evidence) {
  return {holds ? Verdict::kHolds : Verdict::kFails, std::move(evidence)};
}

// How many times as long one way takes as another.
ClaimResult ratio(const Trace& trace, const char* a, const char* b, bool large, double least, double most) {
  const std::vector<int64_t> all = sizes(trace);
  const int64_t n = all.empty() ? 0 : large ? all.back() : all.front();
  const std::vector<double> of_a = times(trace, a, n), of_b = times(trace, b, n);
  if (of_a.empty() || of_a.size() != of_b.size()) return kNotRun;
  return judge_ratio(ratio_interval(of_a, of_b), least, most,
                     tr("times as long as {} ({} elements)", b, format_count(n)));
}

ClaimResult python(const Trace& trace) {
  if (sizes(trace).empty()) return kNotRun;
  if (times(trace, kPython, sizes(trace).front()).empty())
    return {Verdict::kNotTestable, tr("there is no torch for Python here: install python3-torch")};
  const ClaimResult small = ratio(trace, kPython, kCpp, false, 2, kMore),
                    large = ratio(trace, kPython, kCpp, true, 2, kMore);
  if (small.verdict == large.verdict) return {small.verdict, small.evidence + "; " + large.evidence};
  return {small.verdict == Verdict::kHolds ? Verdict::kPartly : small.verdict,
          small.evidence + "; " + large.evidence};
}

ClaimResult by_dtype(const Trace& trace) {
  std::vector<std::string> sets;
  for (const char* call : {"plain", "bfloat16", "int_float"}) {
    sets.emplace_back();
    for (const Seen& key : seen(trace, call, "key"))
      sets.back() += (sets.back().empty() ? "" : ", ") + key.name;
  }
  if (sets[0].empty()) return kNotRun;
  const bool same = sets[0] == sets[1] && sets[1] == sets[2];
  return holds_if(!same, same ? tr("float32, bfloat16 and int64 have one set of keys: {}", sets[0])
                              : tr("float32 {}; bfloat16 {}; int64 {}", sets[0], sets[1], sets[2]));
}

ClaimResult skips_autograd(const Trace& trace) {
  const std::string first = first_kernel(trace, "plain");
  const auto memory = seen(trace, "plain", "memory");
  if (first.empty() || memory.empty()) return kNotRun;
  const bool entered = first.starts_with("Autograd") && memory[0].detail == kBelow;
  return holds_if(
      !entered, tr("the first kernel is {}'s; when memory is asked for, the thread {}", first,
                   entered ? "excludes autograd's keys: that kernel did it" : "excludes no key of autograd"));
}

ClaimResult no_grad(const Trace& trace) {
  const std::string with = first_kernel(trace, "no_grad"), inference = first_kernel(trace, "inference_mode");
  if (with.empty() || inference.empty()) return kNotRun;
  return holds_if(!with.starts_with("Autograd"),
                  tr("no_grad: {} is entered, and makes no node; inference_mode: {}", with, inference));
}

ClaimResult autocast(const Trace& trace) {
  const auto add = seen(trace, "autocast", "result"), mm = seen(trace, "autocast_mm", "result");
  if (add.empty() || mm.empty()) return kNotRun;
  return holds_if(add[0].name == "BFloat16", tr("a + b gives {} by {} operator; a @ b {} by {}", add[0].name,
                                                seen(trace, "autocast", "operator").size(), mm[0].name,
                                                seen(trace, "autocast_mm", "operator").size()));
}

ClaimResult cast_in_kernel(const Trace& trace) {
  std::string names;
  for (const Seen& op : seen(trace, "int_float", "operator")) names += (names.empty() ? "" : ", ") + op.name;
  if (names.empty()) return kNotRun;
  return holds_if(names.find("copy") == std::string::npos,
                  tr("{}; {} allocations", names, seen(trace, "int_float", "memory").size()));
}

ClaimResult broadcast_copies(const Trace& trace) {
  const auto memory = seen(trace, "broadcast", "memory"), built = seen(trace, "broadcast", "iterator");
  if (memory.empty() || built.empty()) return kNotRun;
  return holds_if(memory.size() > 1,
                  tr("{} allocation, the result's; strides {}", memory.size(), built[0].detail));
}

}  // namespace

std::vector<ClaimSpec> claims() {
  return {
      {"not_the_addition", "B14", "for one element 99 % of the time is not the addition",
       [](const Trace& trace) { return ratio(trace, kLoop, kCpp, false, 0, 0.01); }},
      {"python", "B14", "Python is the slow part: more than half of the time", python},
      {"by_dtype", "B14", "the dispatcher chooses the kernel by dtype", by_dtype},
      {"skips_autograd", "B14", "without requires_grad a call does not pass through autograd",
       skips_autograd},
      {"no_grad", "B14", "no_grad() takes autograd's kernel out of the way", no_grad},
      {"autocast", "B14", "under autocast a + b is computed in bfloat16", autocast},
      {"cast_in_kernel", "B14", "int64 + float32: the kernel casts as it reads", cast_in_kernel},
      {"broadcast_copies", "B14", "broadcasting copies the smaller tensor", broadcast_copies},
      {"grad_is_free", "B14", "requires_grad costs a forward call nothing",
       [](const Trace& trace) { return ratio(trace, "requires_grad", kCpp, false, 0.9, 1.1); }},
  };
}

std::vector<PredictionSpec> questions() { return {}; }

}  // namespace ringside::dispatch_lesson
