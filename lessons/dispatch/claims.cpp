#include "record.h"
#include "ringside/lesson/ratio_claim.h"
#include "ringside/lesson/tr.h"

namespace ringside::dispatch_lesson {
namespace {

// How many times as long one way takes as a + b in C++, at the smallest or the largest size.
ClaimResult ratio(const Trace& trace, const char* way, bool large, double least, double most) {
  const auto sizes = sections_with(trace, kElements);
  const SectionView* size = sizes.empty() ? nullptr : large ? sizes.back() : sizes.front();
  const auto a = size == nullptr ? std::vector<double>() : times(trace, *size, way);
  if (a.empty()) return {Verdict::kNotTestable, tr("this was not timed")};
  return judge_ratio(ratio_interval(a, times(trace, *size, kCpp)), least, most,
                     tr("times as long ({}) as {}, {}", way, kCpp, size->name()));
}

ClaimResult python(const Trace& trace) {
  for (const SectionView* size : sections_with(trace, kNoPython))
    return {Verdict::kNotTestable, size->text(kNoPython)};
  const ClaimResult one = ratio(trace, kPython, false, 2, 1e9), many = ratio(trace, kPython, true, 2, 1e9);
  const bool partly = one.verdict == Verdict::kHolds && many.verdict == Verdict::kFails;
  return {partly ? Verdict::kPartly : one.verdict, one.evidence + "; " + many.evidence};
}

// A claim about what was seen of one call, compared with another.
ClaimSpec about(const char* id, std::string statement, const char* call, const char* other,
                std::pair<bool, std::string> (*judge)(const Facts& of, const Facts& other)) {
  return {id, "B14", std::move(statement), [=](const Trace& trace) -> ClaimResult {
            const Facts a = facts(trace, call), b = facts(trace, other);
            if (a.result.empty() || b.result.empty())
              return {Verdict::kNotTestable, tr("the calls that it compares were not made")};
            const auto& [holds, evidence] = judge(a, b);
            return {holds ? Verdict::kHolds : Verdict::kFails, evidence};
          }};
}

const Words kShares = {"under 1 %", "about 5 %", "about half", "nearly all"};
const Words kStations = {"the operator aten::add", "autograd's kernel", "TensorIterator",
                         "memory for the result", "the additions"};

std::optional<Words> share(const Trace& trace) {
  for (const SectionView* size : sections_with(trace, kElements)) {
    const double share = ratio_interval(times(trace, *size, kLoop), times(trace, *size, kCpp)).median;
    return Words{kShares[share < 0.01 ? 0 : share < 0.2 ? 1 : share < 0.8 ? 2 : 3]};
  }
  return std::nullopt;
}

std::optional<Words> first(const Trace& trace) {
  const std::string key = facts(trace, "plain").first_kernel;
  return key.empty() ? std::nullopt : std::optional(Words{key});
}

// Each of them calls the next: the stack has them in this order. The additions need the memory.
std::optional<Words> order(const Trace& trace) {
  const std::string frames = facts(trace, "plain").frames;
  const size_t call = frames.find("::call"), below = frames.find("::redispatch"),
               iterator = frames.find("TensorIterator");
  return call < below && below < iterator && iterator != std::string::npos ? std::optional(kStations)
                                                                           : std::nullopt;
}

std::optional<double> operators(const Trace& trace) {
  const int64_t called = facts(trace, "int_float").called;
  return called == 0 ? std::nullopt : std::optional(static_cast<double>(called));
}

}  // namespace

std::vector<ClaimSpec> claims() {
  using Result = std::pair<bool, std::string>;
  return {
      {"not_the_addition", "B14", tr("for one element 99 % of the time is not the addition"),
       [](const Trace& trace) { return ratio(trace, kLoop, false, 0, 0.01); }},
      {"python", "B14", tr("Python is the slow part: more than half of the time"), python},
      {"grad_is_free", "B14", tr("requires_grad costs the forward call nothing"),
       [](const Trace& trace) { return ratio(trace, "requires_grad", false, 0, 1.1); }},
      {"finding", "B14", tr("finding the kernel is a tenth of the call or more"),
       [](const Trace& trace) { return ratio(trace, kAutograd, false, 0, 0.9); }},
      about("by_dtype", tr("the dispatcher chooses the kernel by dtype"), "plain", "bfloat16",
            [](const Facts& a, const Facts& b) {
              return Result(a.keys != b.keys, tr("float32: {}; bfloat16: {}", a.keys, b.keys));
            }),
      about("skips_autograd", tr("without requires_grad a call does not pass through autograd"), "plain",
            "plain",
            [](const Facts& a, const Facts&) {
              return Result(
                  !a.below_autograd,
                  tr("{} is entered first; at the first allocation autograd's keys are {}", a.first_kernel,
                     a.below_autograd ? tr("excluded: it has run") : tr("not excluded")));
            }),
      about("no_grad", tr("no_grad() takes autograd's kernel out of the way"), "no_grad", "inference_mode",
            [](const Facts& a, const Facts& b) {
              return Result(!a.first_kernel.starts_with("Autograd"),
                            tr("no_grad() enters {} first, inference_mode() {}; nodes: {}, {}",
                               a.first_kernel, b.first_kernel, a.node, b.node));
            }),
      about("autocast", tr("under autocast a + b is computed in bfloat16"), "autocast", "autocast_mm",
            [](const Facts& a, const Facts& b) {
              return Result(a.result == "BFloat16", tr("a + b gives {}, a @ b {}", a.result, b.result));
            }),
      about("cast_in_kernel", tr("int64 + float32: the kernel casts as it reads"), "int_float", "plain",
            [](const Facts& a, const Facts& b) {
              return Result(a.allocations == b.allocations, tr("{}; memory {}", a.operators, a.memory));
            }),
      about("broadcast_copies", tr("broadcasting copies the smaller tensor"), "broadcast", "plain",
            [](const Facts& a, const Facts& b) {
              return Result(a.allocations > b.allocations, tr("memory {}; strides {}", a.memory, a.iterator));
            }),
  };
}

std::vector<PredictionSpec> questions() {
  const Words mistaken = {kStations[3], kStations[0], kStations[1], kStations[2], kStations[4]};
  using Wrong = std::vector<WrongWords>;
  const WordQuestion of_share{AnswerKind::kChoice, always(Words{kShares[0]}), always(kShares),
                              always(Wrong{{tr("the arithmetic is what takes time"), {kShares[3]}},
                                           {tr("the call costs as much as the work"), {kShares[2]}}}),
                              share};
  const WordQuestion of_first{
      AnswerKind::kChoice, always(Words{"AutogradCPU"}),
      always(Words{"CPU", "AutogradCPU", "ADInplaceOrView", "BackendSelect"}),
      always(Wrong{{tr("autograd is there only where a gradient is asked for"), {"CPU"}}}), first};
  const WordQuestion of_order{AnswerKind::kOrder, always(kStations), always(kStations),
                              always(Wrong{{tr("the result is made before anything is called"), mistaken}}),
                              order};
  return {
      {.id = "share",
       .question = tr("Two tensors of one float each, a + b in C++: what share of the time is the addition?"),
       .words = of_share,
       .figure = "share"},
      {.id = "first",
       .question = tr("No tensor requires a gradient. Which key's kernel is entered first?"),
       .words = of_first,
       .figure = "path"},
      {.id = "operators",
       .question = tr("int64 + float32 on a CPU: how many operators does this one a + b call?"),
       .unit = tr("operators"),
       .formula = always(5.0),
       .wrong = {{tr("the kernel casts as it reads"), always(1.0)},
                 {tr("a cast and an addition"), always(2.0)}},
       .measured = operators,
       .figure = "calls"},
      {.id = "order",
       .question = tr("Put the stations in the order in which the call comes to them."),
       .words = of_order,
       .figure = "stack"}};
}

}  // namespace ringside::dispatch_lesson
