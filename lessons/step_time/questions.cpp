// What is asked before the run, and which sentences it judges.
#include "account.h"
#include "ringside/lesson/prediction.h"
#include "ringside/planner/buckets.h"

namespace ringside::lessons::step_time {
namespace {

constexpr double kAny = 1e9;
constexpr double kBusy = 2;    // times the link's latency: what a call may take
constexpr double kNear = 1.2;  // of a fitted time

// ---- How many times as long -------------------------------------------------------

constexpr const char* kFactors[] = {"about as long", "up to 1.45 times as long", "1.45 to 2 times as long",
                                    "more than 2 times as long"};
Words factor(double ratio) { return {kFactors[ratio < 1.05 ? 0 : ratio < 1.45 ? 1 : ratio < 2 ? 2 : 3]}; }

Words measured_factor(const Trace& trace) {
  const auto ratio = to_stage_0(trace, 3);
  if (!ratio || (!is_told(*ratio) && factor(ratio->high) != factor(1))) return {};
  return factor(ratio->median);
}
Words factor_by_formula(const Config& config) {
  return factor(step_at_best(config, 3) / step_at_best(config, 0));
}

// ---- What nothing hides -----------------------------------------------------------

// Stage and kind of each option.
constexpr std::pair<int, Kind> kCandidates[] = {
    {0, Kind::kGradients}, {1, Kind::kUpdated}, {3, Kind::kForward}, {3, Kind::kBackward}};
constexpr double kAsMuch = 0.03;  // shares that differ by less are one

int most_exposed(const Trace& trace) {  // of the options
  check_not_crowded(trace);
  std::vector<double> shares;
  for (const auto& [stage, kind] : kCandidates) {
    const Carried carried = step_of(trace, stage).of(kind);
    shares.push_back(needed(carried.exposed / carried.wire));
  }
  const auto most = std::max_element(shares.begin(), shares.end());
  return shares[1] > *most - kAsMuch ? 1 : int(most - shares.begin());
}

// ---- How many collectives -----------------------------------------------------------

double reductions(const Config& config) {
  TrainerConfig trainer = trainer_config(config);
  trainer.stage = 1;
  const auto buckets = make_buckets(classifier_shapes(trainer.model), trainer, trainer.ranks);
  return double(std::ranges::count_if(buckets, &Bucket::trainable));
}

double without_whole_parameters(const Config& config) {
  const auto parameters = double(count_parameters(classifier_shapes(TrainerConfig().model)));
  return std::ceil(parameters / double(config.integer("bucket")));
}
double one_a_parameter(const Config& config) {
  const auto tensors = double(classifier_shapes(TrainerConfig().model).size());
  return tells_apart(reductions(config), tensors) ? tensors : NAN;  // it is so, nearly
}

double counted_reductions(const Trace& trace) { return double(step_of(trace, 1).of(Kind::kGradients).calls); }

// ---- What small buckets cost --------------------------------------------------------

constexpr const char* kTimes[] = {"as long: the bytes are the same", "up to 2 times as long",
                                  "2 to 20 times as long", "more than 20 times as long"};
Words times(double ratio) { return {kTimes[ratio < 1.05 ? 0 : ratio < 2 ? 1 : ratio < 20 ? 2 : 3]}; }

Words times_by_formula(const Config& config) {
  const LinkModel link = parse_link(config.text("link"));
  const auto ranks = int(config.integer("ranks"));
  const int64_t hop = hops(Op::kReduceScatter, ranks), bytes = 2 * (int64_t{1} << 20) / ranks * (ranks - 1);
  return times(link.simulated() ? link.seconds(1024 * hop, bytes) / link.seconds(hop, bytes) : 30);
}

double smallest_against_largest(const Sweep& sweep) {
  return needed(sweep.medians).front().seconds / sweep.medians.back().seconds;
}

Words measured_times(const Trace& trace) { return times(smallest_against_largest(sweep_of(trace))); }

// ---- Claims -------------------------------------------------------------------------

ClaimResult compare(const Trace& trace, int stage, double least, double most, const std::string& words) {
  check_not_crowded(trace);
  return judge_ratio(step_seconds(trace, stage), step_seconds(trace, 0), least, most, words);
}
ClaimResult is_slower(const Trace& trace) { return compare(trace, 3, 1, kAny, tr("times as long")); }
ClaimResult is_free(const Trace& trace) { return compare(trace, 1, 0, 1.03, tr("times as long as stage 0")); }

ClaimResult as_its_bytes(const Trace& trace) {
  const double bytes = needed(step_of(trace, 3).all().bytes / step_of(trace, 0).all().bytes);
  return compare(trace, 3, 0.95 * bytes, 1.05 * bytes, tr("times as long for {:.2f} times the bytes", bytes));
}

ClaimResult is_hidden(const Trace& trace) {
  check_not_crowded(trace);
  std::array<double, kStages> hidden{};
  for (int stage = 0; stage < kStages; ++stage) {
    const Carried all = step_of(trace, stage).all();
    hidden[size_t(stage)] = needed(all.hidden() / all.wire);
  }
  return judged(both(std::ranges::min(hidden) >= 0.9, std::ranges::max(hidden) >= 0.5), hidden[0], hidden[1],
                hidden[2], hidden[3]);
}

ClaimResult larger_is_faster(const Trace& trace) {
  const Sweep sweep = sweep_of(trace);
  const double ratio = smallest_against_largest(sweep);
  const auto enough = large_enough(sweep);
  if (!enough) return not_testable(tr("too few rounds to tell"));
  const int64_t least = sweep.buckets.front(), most = sweep.buckets.back();
  return judged(*enough == least  ? Verdict::kFails
                : *enough == most ? Verdict::kHolds
                                  : Verdict::kPartly,
                format_count(least), ratio, format_count(most), format_count(*enough));
}

ClaimResult is_a_plus_bn(const Trace& trace) {
  const Sweep sweep = sweep_of(trace);
  const auto line = fit(sweep.medians);
  const SectionView* section = trace.find(kSweep);
  if (!line || !section->has(kLatency)) return not_testable(tr("no bucket was summed on a simulated link"));
  const auto found = [&](Verdict verdict, const std::string& more) {
    return judged(verdict, verdict == Verdict::kNotTestable ? tr("cannot be told here: ") : "",
                  format_duration(line->a), line->b * 1e9, more);
  };
  const double of_link = section->number(kLatency) * double(hops(Op::kReduceScatter, section->ranks()));
  if (line->a > kBusy * of_link)
    return found(Verdict::kNotTestable,
                 tr(", {} of it the link's; this machine is too busy", format_duration(of_link)));
  bool holds = true;
  std::string off;
  for (size_t i = 0; i < sweep.medians.size(); ++i) {
    const std::vector<double> fitted(sweep.seconds[i].size(), at(*line, sweep.medians[i]));
    if (!(fitted.front() > 0)) return {};
    const RatioInterval ratio = ratio_interval(sweep.seconds[i], fitted);
    const Side of_least = side_of(ratio, 1 / kNear), of_most = side_of(ratio, kNear);
    if (of_least == Side::kBelow || of_most == Side::kAbove)
      off += (off.empty() ? "" : ", ") +
             tr("{} elements {} times", format_count(sweep.buckets[i]), to_text(ratio));
    holds = holds && of_least == Side::kAbove && of_most == Side::kBelow;
  }
  if (!off.empty()) return found(Verdict::kFails, tr("; as long as fitted: {}", off));
  if (!holds) return found(Verdict::kNotTestable, tr(", and the rounds differ by more"));
  return found(Verdict::kHolds, tr("; every size takes within {:.0f} % of that", 100 * (kNear - 1)));
}

}  // namespace

std::string sizes_in_words() {
  const auto shapes = classifier_shapes(TrainerConfig().model);
  int64_t layer = 0;
  for (const ParameterShape& shape : shapes)
    if (shape.name.find("layers.0.") != std::string::npos) layer += shape.numel();
  return tr(
      "The model has {} parameters, {} in each of {} layers. bucket is the most elements of one bucket.",
      format_count(count_parameters(shapes)), format_count(layer), TrainerConfig().model.layers);
}

std::vector<QuestionOf> questions() {
  return {{"factor", measured_factor, factor_by_formula},
          {"exposed", most_exposed},
          {.id = "calls",
           .measured = counted_reductions,
           .right = reductions,
           .wrong = {without_whole_parameters, one_a_parameter},
           .context = sizes_in_words()},
          {"buckets", measured_times, times_by_formula}};
}

std::vector<ClaimOf> claims() {
  return {{"slower", is_slower}, {"as_bytes", as_its_bytes},   {"free", is_free},
          {"hidden", is_hidden}, {"larger", larger_is_faster}, {"a_plus_bn", is_a_plus_bn}};
}

}  // namespace ringside::lessons::step_time
