// What is asked before the run, and which sentences it judges.
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>

#include "account.h"
#include "ringside/base/median.h"
#include "ringside/base/units.h"
#include "ringside/lesson/claim_forms.h"
#include "ringside/lesson/prediction.h"
#include "ringside/lesson/question_forms.h"
#include "ringside/lesson/ratio_claim.h"
#include "ringside/lesson/tr.h"
#include "ringside/planner/buckets.h"
#include "scenario.h"

namespace ringside::step_time {
namespace {

constexpr double kAny = 1e9;
constexpr double kBusy = 2;    // times the link's latency: what a call may take
constexpr double kNear = 1.2;  // of a fitted time
const ClaimResult kNotRun = not_testable(tr("it was not run"));

// ---- How many times as long -------------------------------------------------------

const Words kFactors = {"about as long", "up to 1.45 times as long", "1.45 to 2 times as long",
                        "more than 2 times as long"};
Words factor(double ratio) { return {kFactors[ratio < 1.05 ? 0 : ratio < 1.45 ? 1 : ratio < 2 ? 2 : 3]}; }

std::optional<Words> measured_factor(const Trace& trace) {
  const auto last = step_seconds(trace, 3), first = step_seconds(trace, 0);
  if (last.empty() || last.size() != first.size()) return std::nullopt;
  const RatioInterval ratio = ratio_interval(last, first);
  return factor(side_of(ratio, 1) == Side::kAround ? 1 : ratio.median);
}

// ---- What nothing hides -----------------------------------------------------------

struct Candidate {
  std::string name;
  int stage;
  Kind kind;
};
const std::vector<Candidate> kCandidates = {{"stage 0's sum of gradients", 0, Kind::kGradients},
                                            {"stage 1's gather after the update", 1, Kind::kUpdated},
                                            {"stage 3's gathers in forward", 3, Kind::kForward},
                                            {"stage 3's gathers in backward", 3, Kind::kBackward}};
constexpr double kAsMuch = 0.03;  // shares that differ by less are one

std::optional<Words> most_exposed(const Trace& trace) {
  std::vector<double> shares;
  for (const Candidate& candidate : kCandidates) {
    const auto step = median_step(trace, candidate.stage);
    if (!step || !(step->of(candidate.kind).wire > 0)) return std::nullopt;
    shares.push_back(step->of(candidate.kind).exposed / step->of(candidate.kind).wire);
  }
  const size_t most = static_cast<size_t>(std::max_element(shares.begin(), shares.end()) - shares.begin());
  return Words{kCandidates[shares[1] > shares[most] - kAsMuch ? 1 : most].name};
}

// ---- How many collectives -----------------------------------------------------------

double reductions(const Config& config) {
  TrainerConfig trainer = trainer_config(config);
  trainer.stage = 1;
  const auto buckets = make_buckets(classifier_shapes(trainer.model), trainer, trainer.ranks);
  return static_cast<double>(std::ranges::count_if(buckets, &Bucket::trainable));
}

double parameters() {
  return static_cast<double>(count_parameters(classifier_shapes(TrainerConfig().model)));
}

// ---- What small buckets cost --------------------------------------------------------

const Words kTimes = {"as long: the bytes are the same", "up to 2 times as long", "2 to 20 times as long",
                      "more than 20 times as long"};
Words times(double ratio) { return {kTimes[ratio < 1.05 ? 0 : ratio < 2 ? 1 : ratio < 20 ? 2 : 3]}; }

Words times_by_formula(const Config& config) {
  const LinkModel link = parse_link(config.text("link"));
  const auto ranks = static_cast<int>(config.integer("ranks"));
  const int64_t hop = hops(Op::kReduceScatter, ranks), bytes = 2 * (int64_t{1} << 20) / ranks * (ranks - 1);
  return times(link.simulated() ? link.seconds(1024 * hop, bytes) / link.seconds(hop, bytes) : 30);
}

std::optional<Words> measured_times(const Trace& trace) {
  const Sweep sweep = sweep_of(trace);
  if (sweep.medians.empty()) return std::nullopt;
  return times(sweep.medians.front().seconds / sweep.medians.back().seconds);
}

// ---- Claims -------------------------------------------------------------------------

ClaimResult compare(const Trace& trace, int stage, double least, double most, const std::string& words) {
  return judge_ratio(step_seconds(trace, stage), step_seconds(trace, 0), least, most, words);
}

ClaimResult as_its_bytes(const Trace& trace) {
  const auto first = median_step(trace, 0), last = median_step(trace, 3);
  if (!first || !last || !(first->all().bytes > 0)) return kNotRun;
  const double bytes = last->all().bytes / first->all().bytes;
  return compare(trace, 3, 0.95 * bytes, 1.05 * bytes, tr("times as long for {:.2f} times the bytes", bytes));
}

ClaimResult is_hidden(const Trace& trace) {
  std::vector<double> hidden;
  for (int stage = 0; stage < kStages; ++stage) {
    const auto step = median_step(trace, stage);
    if (!step || !(step->all().wire > 0)) return kNotRun;
    hidden.push_back(step->all().hidden() / step->all().wire);
  }
  const std::string evidence =
      tr("stages 0 to 3 hide {:.2f} of their time on the wire", fmt::join(hidden, ", "));
  const auto [least, most] = std::minmax_element(hidden.begin(), hidden.end());
  if (*least < 0.9 && *most >= 0.5) return {Verdict::kPartly, evidence};
  return holds_if(*least >= 0.9, evidence);
}

ClaimResult larger_is_faster(const Trace& trace) {
  const Sweep sweep = sweep_of(trace);
  const auto enough = large_enough(sweep);
  if (!enough) return sweep.buckets.empty() ? kNotRun : not_testable(tr("too few rounds to tell"));
  const double ratio = sweep.medians.front().seconds / sweep.medians.back().seconds;
  const std::string evidence = tr(
      "{} elements take {:.1f} times as long as {}; from {} on none is told apart",
      format_count(sweep.buckets.front()), ratio, format_count(sweep.buckets.back()), format_count(*enough));
  if (*enough == sweep.buckets.front()) return {Verdict::kFails, evidence};
  return {*enough == sweep.buckets.back() ? Verdict::kHolds : Verdict::kPartly, evidence};
}

ClaimResult is_a_plus_bn(const Trace& trace) {
  const Sweep sweep = sweep_of(trace);
  const auto line = fit(sweep.medians);
  const SectionView* section = trace.find(kSweep);
  if (!line || !section->has(kLatency)) return not_testable(tr("no bucket was summed on a simulated link"));
  const std::string found =
      tr("a = {} a call, b = {:.3g} ns a byte", format_duration(line->a), line->b * 1e9);
  const double of_link =
      section->number(kLatency) * static_cast<double>(hops(Op::kReduceScatter, section->ranks()));
  if (line->a > kBusy * of_link)
    return not_testable(tr("cannot be told here: {}, {} of it the link's; this machine is too busy", found,
                           format_duration(of_link)));
  bool holds = true;
  std::string off;
  for (size_t i = 0; i < sweep.medians.size(); ++i) {
    const std::vector<double> fitted(sweep.seconds[i].size(), line->at(sweep.medians[i]));
    if (!(fitted.front() > 0)) return kNotRun;
    const RatioInterval ratio = ratio_interval(sweep.seconds[i], fitted);
    if (side_of(ratio, 1 / kNear) == Side::kBelow || side_of(ratio, kNear) == Side::kAbove)
      off += (off.empty() ? "" : ", ") +
             tr("{} elements {} times", format_count(sweep.buckets[i]), to_text(ratio));
    holds = holds && side_of(ratio, 1 / kNear) == Side::kAbove && side_of(ratio, kNear) == Side::kBelow;
  }
  if (!off.empty()) return {Verdict::kFails, tr("{}; as long as fitted: {}", found, off)};
  if (!holds) return not_testable(tr("cannot be told here: {}, and the rounds differ by more", found));
  return {Verdict::kHolds, tr("{}; every size takes within {:.0f} % of that", found, 100 * (kNear - 1))};
}

}  // namespace

std::vector<PredictionSpec> predictions() {
  PredictionSpec calls{
      .id = "calls",
      .question = tr("How many collectives sum stage 1's gradients in a step?"),
      .unit = tr("collectives"),
      .formula = reductions,
      .wrong = {{tr("cuts parameters at the bucket's end"),
                 [](const Config& config) {
                   return std::ceil(parameters() / static_cast<double>(config.integer("bucket")));
                 }},
                {tr("one a parameter"),
                 [](const Config& config) {
                   const auto tensors = static_cast<double>(classifier_shapes(TrainerConfig().model).size());
                   return tells_apart(reductions(config), tensors) ? tensors : NAN;  // it is so, nearly
                 }}},
      .measured = [](const Trace& trace) -> std::optional<double> {
        const auto step = median_step(trace, 1);
        if (!step) return std::nullopt;
        return static_cast<double>(step->of(Kind::kGradients).calls);
      },
      .again = {"bucket=4Ki"},
      .figure = "collectives",
      .name = tr("collectives"),
      .why = tr(
          "A bucket is closed before a parameter that would lift it past the limit, and a parameter that is "
          "larger has a bucket to itself. No parameter is cut."),
      .whole = true};
  return {
      ask("factor",
          tr("Stage 3 sends more than stage 0. How long is its step on this link, against stage 0's?"),
          {.right_by =
               [](const Config& config) { return factor(step_at_best(config, 3) / step_at_best(config, 0)); },
           .options_by = always(kFactors),
           .wrong = {{tr("time follows bytes"), {kFactors[2]}},
                     {tr("prefetch hides everything"), {kFactors[0]}},
                     {tr("every layer waits for its gathers"), {kFactors[3]}}},
           .measured = measured_factor,
           .figure = "parts",
           .around =
               {tr("stage 3's step"),
                tr("A step is computation and what is exposed. Stage 3 sends more, but its gathers have "
                   "forward and backward to hide behind.")}}),
      ask("exposed", tr("Which collective can no computation hide?"),
          {.right = {kCandidates[1].name},
           .options_by =
               [](const Config&) {
                 Words names;
                 for (const Candidate& one : kCandidates) names.push_back(one.name);
                 return names;
               },
           .wrong = {{tr("the most bytes are the longest wait"), {kCandidates[0].name}},
                     {tr("what is fetched just in time is waited for"), {kCandidates[2].name}},
                     {tr("backward is busy with gradients"), {kCandidates[3].name}}},
           .measured = most_exposed,
           .figure = "timeline",
           .around =
               {tr("exposed"),
                tr("After the update nothing is left to compute in this step, and the next forward needs the "
                   "parameters at once. Gradients have backward behind them, prefetched gathers a layer.")}}),
      calls,
      ask("buckets",
          tr("1,048,576 gradients are summed on this link in 1,024 buckets instead of one. How long does "
             "it take?"),
          {.right_by = times_by_formula,
           .options_by = always(kTimes),
           .wrong = {{tr("only bytes cost"), {kTimes[0]}}, {tr("a call costs next to nothing"), {kTimes[1]}}},
           .measured = measured_times,
           .figure = "sweep",
           .around = {
               tr("small buckets"),
               tr("Each collective pays its latency: the time is a calls + b bytes. The bytes are the same, "
                  "the calls are 1,024 times as many.")}})};
}

std::vector<ClaimSpec> claims() {
  return {
      {"slower", "a common belief", tr("stage 3's step is longer than stage 0's"),
       [](const Trace& trace) { return compare(trace, 3, 1, kAny, tr("times as long")); }},
      {"as_bytes", "a common belief", tr("the time of a step grows as its bytes do"), as_its_bytes},
      {"free", "a common belief", tr("stage 1 is free: it sends what stage 0 sends"),
       [](const Trace& trace) { return compare(trace, 1, 0, 1.03, tr("times as long as stage 0")); }},
      {"hidden", "arXiv:2006.15704, section 3.2.3", tr("communication is hidden behind backward"), is_hidden},
      {"larger", "arXiv:2006.15704, section 3.2.2", tr("larger buckets are faster"), larger_is_faster},
      {"a_plus_bn", "Hockney 1994", tr("a message of n bytes takes a + b n"), is_a_plus_bn}};
}

}  // namespace ringside::step_time
