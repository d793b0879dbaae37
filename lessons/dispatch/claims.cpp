#include <array>

#include "record.h"
#include "ringside/lesson/ratio_claim.h"
#include "ringside/lesson/tr.h"

namespace ringside::dispatch_lesson {
namespace {

const ClaimResult kNotRun{Verdict::kNotTestable, tr("the calls that it compares were not made")};

ClaimResult holds_if(bool run, bool holds, std::string evidence) {
  return run ? ClaimResult{holds ? Verdict::kHolds : Verdict::kFails, std::move(evidence)} : kNotRun;
}

// How many times as long one way takes as another, at one size.
ClaimResult ratio(const Trace& trace, const SectionView* size, const char* a, const char* b, double least,
                  double most) {
  const auto of_a = size == nullptr ? std::vector<double>() : times(trace, *size, a);
  const auto of_b = size == nullptr ? std::vector<double>() : times(trace, *size, b);
  if (of_a.empty() || of_a.size() != of_b.size()) return kNotRun;
  return judge_ratio(ratio_interval(of_a, of_b), least, most, tr("times as long as {}, {}", b, size->name()));
}
const SectionView* smallest(const Trace& trace) {
  const auto sizes = sections_with(trace, kElements);
  return sizes.empty() ? nullptr : sizes.front();
}

ClaimResult python(const Trace& trace) {
  const SectionView* small = smallest(trace);
  if (small == nullptr) return kNotRun;
  if (small->has(kNoPython)) return {Verdict::kNotTestable, small->text(kNoPython)};
  const ClaimResult first = ratio(trace, small, kPython, kCpp, 2, 1e9);
  const ClaimResult last = ratio(trace, sections_with(trace, kElements).back(), kPython, kCpp, 2, 1e9);
  const bool partly = first.verdict == Verdict::kHolds && last.verdict == Verdict::kFails;
  return {partly ? Verdict::kPartly : first.verdict, first.evidence + "; " + last.evidence};
}

std::string names(const Trace& trace, const char* call, const char* kind) {
  std::string all;
  for (const Seen& row : seen(trace, call, kind)) all += (all.empty() ? "" : ", ") + row.name;
  return all;
}

ClaimResult by_dtype(const Trace& trace) {
  const std::string f = names(trace, "plain", "key"), b = names(trace, "bfloat16", "key"),
                    i = names(trace, "int_float", "key");
  return holds_if(!f.empty(), f != b || f != i,
                  tr("float32: {}; bfloat16: {}; int64 with float32: {}", f, b == f ? tr("the same") : b,
                     i == f ? tr("the same") : i));
}

ClaimResult skips_autograd(const Trace& trace) {
  const auto memory = seen(trace, "plain", "memory");
  const bool below = !memory.empty() && memory[0].detail == kBelow;
  return holds_if(!memory.empty(), !below,
                  tr("the first kernel is {}'s; when memory is asked for, autograd's keys are {}",
                     first_kernel(trace, "plain"), below ? tr("excluded: it has run") : tr("not excluded")));
}

ClaimResult no_grad(const Trace& trace) {
  const std::string with = first_kernel(trace, "no_grad"), without = first_kernel(trace, "inference_mode");
  return holds_if(!with.empty(), !with.starts_with("Autograd"),
                  tr("no_grad enters {} first and makes {} node, inference_mode enters {}", with,
                     names(trace, "no_grad", "node"), without));
}

ClaimResult autocast(const Trace& trace) {
  const std::string add = names(trace, "autocast", "result"), mm = names(trace, "autocast_mm", "result");
  return holds_if(!add.empty(), add == "BFloat16", tr("a + b gives {}, a @ b {}", add, mm));
}

ClaimResult cast_in_kernel(const Trace& trace) {
  const std::string called = names(trace, "int_float", "operator");
  return holds_if(!called.empty(), called.find("copy") == std::string::npos,
                  tr("one addition calls {}; memory {}", called, names(trace, "int_float", "memory")));
}

ClaimResult broadcast_copies(const Trace& trace) {
  const auto memory = seen(trace, "broadcast", "memory"), built = seen(trace, "broadcast", "iterator");
  return holds_if(
      !built.empty(), memory.size() > 1,
      tr("{} allocation; shape and strides {}", memory.size(), built.empty() ? "" : built[0].detail));
}

// ---- Questions ------------------------------------------------------------------

// Where the first one of the options begins to hold is the answer.
PredictionSpec chosen(std::string id, std::string question, AnswerKind kind, Words options, Words right,
                      std::vector<WrongWords> wrong,
                      std::function<std::optional<Words>(const Trace&)> measured, std::string figure) {
  PredictionSpec spec{.id = std::move(id), .question = std::move(question)};
  spec.words = WordQuestion{kind, always(std::move(right)), always(std::move(options)),
                            always(std::move(wrong)), std::move(measured)};
  spec.figure = std::move(figure);
  return spec;
}

const Words kShares = {"under 1 %", "about 5 %", "about half", "nearly all"};
const Words kStations = {"the operator aten::add", "autograd's kernel", "TensorIterator",
                         "memory for the result", "the additions"};

std::optional<Words> share(const Trace& trace) {
  const SectionView* size = smallest(trace);
  if (size == nullptr || times(trace, *size, kLoop).empty()) return std::nullopt;
  const double percent = 100 * ratio_interval(times(trace, *size, kLoop), times(trace, *size, kCpp)).median;
  return Words{kShares[percent < 1 ? 0 : percent < 20 ? 1 : percent < 80 ? 2 : 3]};
}

// The stack, outermost first, has them in this order; what is added into needs the memory first.
std::optional<Words> order(const Trace& trace) {
  std::vector<Seen> frames = seen(trace, "plain", "frame");
  std::array<size_t, 3> at{};
  for (size_t i = 0; i < frames.size(); ++i)
    for (size_t k = 0; const char* part : {"::call", "::redispatch", "TensorIterator"}) {
      if (at[k] == 0 && frames[i].name.find(part) != std::string::npos) at[k] = i + 1;
      ++k;
    }
  if (at[0] == 0 || at[1] <= at[0] || at[2] <= at[1]) return std::nullopt;
  return kStations;
}

}  // namespace

std::vector<ClaimSpec> claims() {
  const auto of_one = [](const char* a, double least, double most) {
    return [=](const Trace& trace) { return ratio(trace, smallest(trace), a, kCpp, least, most); };
  };
  return {
      {"not_the_addition", "B14", tr("for one element 99 % of the time is not the addition"),
       of_one(kLoop, 0, 0.01)},
      {"python", "B14", tr("Python is the slow part: more than half of the time"), python},
      {"by_dtype", "B14", tr("the dispatcher chooses the kernel by dtype"), by_dtype},
      {"skips_autograd", "B14", tr("without requires_grad a call does not pass through autograd"),
       skips_autograd},
      {"no_grad", "B14", tr("no_grad() takes autograd's kernel out of the way"), no_grad},
      {"grad_is_free", "B14", tr("requires_grad costs the forward call nothing"),
       of_one("requires_grad", 0, 1.1)},
      {"autocast", "B14", tr("under autocast a + b is computed in bfloat16"), autocast},
      {"cast_in_kernel", "B14", tr("int64 + float32: the kernel casts as it reads"), cast_in_kernel},
      {"broadcast_copies", "B14", tr("broadcasting copies the smaller tensor"), broadcast_copies},
  };
}

std::vector<PredictionSpec> questions() {
  const auto first = [](const Trace& trace) -> std::optional<Words> {
    const std::string key = first_kernel(trace, "plain");
    return key.empty() ? std::nullopt : std::optional(Words{key});
  };
  PredictionSpec operators{
      .id = "operators",
      .question = tr("int64 + float32, both on the CPU: how many operators does that one a + b call?"),
      .unit = tr("operators")};
  operators.formula = always(5.0);
  operators.wrong = {{tr("the kernel casts as it reads"), always(1.0)},
                     {tr("a cast and an addition"), always(2.0)}};
  operators.measured = [](const Trace& trace) -> std::optional<double> {
    const size_t called = seen(trace, "int_float", "operator").size();
    return called == 0 ? std::nullopt : std::optional(static_cast<double>(called));
  };
  operators.figure = "calls";
  return {
      chosen("share",
             tr("Two tensors of one float each, a + b in C++: what share of the time is the addition?"),
             AnswerKind::kChoice, kShares, {kShares[0]},
             {{tr("the arithmetic is what takes time"), {kShares[3]}},
              {tr("the call costs as much as the work"), {kShares[2]}}},
             share, "share"),
      chosen("first", tr("No tensor requires a gradient. Which key's kernel is entered first?"),
             AnswerKind::kChoice, {"CPU", "AutogradCPU", "ADInplaceOrView", "BackendSelect"}, {"AutogradCPU"},
             {{tr("autograd is only there where a gradient is asked for"), {"CPU"}}}, first, "path"),
      operators,
      chosen("order", tr("Put the stations in the order in which the call comes to them."),
             AnswerKind::kOrder, kStations, kStations, {}, order, "stack"),
  };
}

}  // namespace ringside::dispatch_lesson
