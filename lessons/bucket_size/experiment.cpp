#include "embedded.h"
#include "parts.h"
#include "ringside/lesson/fields.h"
#include "ringside/lesson/parameter_specs.h"
#include "ringside/lesson/prediction.h"
#include "ringside/planner/buckets.h"
#include "ringside/planner/classifier_layers.h"

namespace ringside::lessons::bucket_size {
namespace {

using namespace figure;

constexpr double kBusy = 2;    // times the link's latency: what a call may take
constexpr double kNear = 1.2;  // of a fitted time

double latency_of_a_call(const SectionView& section) {  // s, the link's alone
  return link_in(section).latency_s * double(hops(Op::kReduceScatter, section.ranks()));
}

// ---- How many collectives -----------------------------------------------------------

std::vector<ParameterShape> shapes() { return classifier_shapes(ClassifierConfig()); }

double reductions(const Config& config) {
  Distribution distribution;
  read_fields<Distribution>(config, distribution);
  distribution.stage = 1;
  const auto buckets = make_buckets(shapes(), distribution, int(config.integer("ranks")));
  return double(std::ranges::count_if(buckets, &Bucket::trainable));
}

double without_whole_parameters(const Config& config) {
  const auto parameters = double(count_parameters(shapes()));
  return std::ceil(parameters / double(config.integer("bucket")));
}
double one_a_parameter(const Config& config) {
  const auto tensors = double(shapes().size());
  return tells_apart(reductions(config), tensors) ? tensors : NAN;  // it is so, nearly
}

std::string sizes_in_words() {
  const auto all = shapes();
  int64_t layer = 0;
  for (const ParameterShape& shape : all)
    if (shape.name.find("layers.0.") != std::string::npos) layer += shape.numel();
  return tr(
      "The model has {} parameters, {} in each of {} layers. bucket is the most elements of one bucket.",
      format_count(count_parameters(all)), format_count(layer), ClassifierConfig().layers);
}

// ---- What small buckets cost --------------------------------------------------------

constexpr const char* kTimes[] = {"as long: the bytes are the same", "up to 2 times as long",
                                  "2 to 20 times as long", "more than 20 times as long"};
Words times(double ratio) { return {kTimes[ratio < 1.05 ? 0 : ratio < 2 ? 1 : ratio < 20 ? 2 : 3]}; }

Words times_by_formula(const Config& config) {
  const LinkModel link = parse_link(config.text("link"));
  const auto ranks = int(config.integer("ranks"));
  const int64_t hop = hops(Op::kReduceScatter, ranks), bytes = 2 * kLargest / ranks * (ranks - 1);
  return times(link.simulated() ? link.seconds(kLargest / kLeast * hop, bytes) / link.seconds(hop, bytes)
                                : 30);
}

double smallest_against_largest(const Sweep& sweep) {
  return needed(sweep.medians).front().seconds / sweep.medians.back().seconds;
}

Words measured_times(const Trace& trace) { return times(smallest_against_largest(sweep_of(trace))); }

// ---- Claims -------------------------------------------------------------------------

ClaimResult larger_is_faster(const Trace& trace) {
  const Sweep sweep = sweep_of(trace);
  const double ratio = smallest_against_largest(sweep);
  const auto enough = large_enough(sweep);
  if (!enough) return not_testable(tr("too few rounds to tell"));
  const int64_t least = sweep.medians.front().bucket, most = sweep.medians.back().bucket;
  return judged(*enough == least  ? Verdict::kFails
                : *enough == most ? Verdict::kHolds
                                  : Verdict::kPartly,
                format_count(least), ratio, format_count(*enough));
}

ClaimResult is_a_plus_bn(const Trace& trace) {
  const Sweep sweep = sweep_of(trace);
  const auto line = fit(sweep.medians);
  const SectionView* section = trace.find(kSweep);
  if (!line || !link_in(*section).simulated())
    return not_testable(tr("no bucket was summed on a simulated link"));
  const auto found = [&](Verdict verdict, const std::string& more) {
    return judged(verdict, verdict == Verdict::kNotTestable ? tr("cannot be told here: ") : "",
                  format_duration(line->a), line->b * 1e9, more);
  };
  const double of_link = latency_of_a_call(*section);
  if (line->a > kBusy * of_link)
    return found(Verdict::kNotTestable,
                 tr("; the link's own a is {}: this machine is too busy", format_duration(of_link)));
  bool holds = true;
  std::string off;
  for (size_t i = 0; i < sweep.medians.size(); ++i) {
    const std::vector<double> fitted(sweep.seconds[i].size(), at(*line, sweep.medians[i]));
    if (!(fitted.front() > 0)) return {};
    const RatioInterval ratio = ratio_interval(sweep.seconds[i], fitted);
    const Side of_least = side_of(ratio, 1 / kNear), of_most = side_of(ratio, kNear);
    if (of_least == Side::kBelow || of_most == Side::kAbove)
      off += (off.empty() ? "" : ", ") +
             tr("{} elements {} times", format_count(sweep.medians[i].bucket), to_text(ratio));
    holds = holds && of_least == Side::kAbove && of_most == Side::kBelow;
  }
  if (!off.empty()) return found(Verdict::kFails, tr("; as long as fitted: {}", off));
  if (!holds) return found(Verdict::kNotTestable, tr(", and the rounds differ too much"));
  return found(Verdict::kHolds, tr("; every size takes within {:.0f} % of that", 100 * (kNear - 1)));
}

Value sweep(const FigureInput& input) {
  const Sweep all = sweep_of(input.trace);
  const auto measured = points_of(needed(all.medians), &Pass::bucket, &Pass::seconds);
  Lines lines{{tr("gradients of a bucket"), "", true},
              {tr("time of all buckets"), "s", true},
              {{tr("measured"), Ink::kGradients, Stroke::kDots, measured}}};
  if (const auto line = fit(all.medians)) {
    auto fitted = points_of(all.medians, &Pass::bucket, [&](const Pass& pass) { return at(*line, pass); });
    std::erase_if(fitted, [](const Point& point) { return !(point.y > 0); });
    lines.lines.push_back({"a + b n", Ink::kText, Stroke::kFormula, std::move(fitted)});
  }
  if (const auto enough = large_enough(all)) lines.marks = {{tr("large enough"), double(*enough)}};
  return lines;
}

std::vector<Attribute> sweep_sentence(const FigureInput& input) {
  const TwoCoefficients line = needed(fit(sweep_of(input.trace).medians));
  const SectionView& section = needed(input.trace.find(kSweep));
  const LinkModel link = link_in(section);
  if (!link.simulated()) return {};
  return {format_duration(latency_of_a_call(section)), 1e9 / link.bytes_per_s, format_duration(line.a),
          1e9 * line.b, section.number(kStretched)};
}

std::vector<ParameterSpec> parameter_specs() {
  return {text("link",
               tr("none, {}, or like 50us/0.1GBps; time is stretched here, the link's ratio of latency to "
                  "bandwidth stays",
                  link_figures()),
               "100g", {"nvlink", "pcie", "100g"}, [](const std::string& value) { parse_link(value); }),
          spec_of_field<Distribution>("bucket")};
}

}  // namespace

Lesson make_lesson() {
  return lesson_of(embedded("texts.inc"),
                   {.parameters = parameter_specs(),
                    .run = run,
                    .questions = {{.id = "calls",
                                   .right = reductions,
                                   .wrong = {without_whole_parameters, one_a_parameter},
                                   .context = sizes_in_words()},
                                  {"buckets", measured_times, times_by_formula}},
                    .claims = {{"larger", larger_is_faster}, {"a_plus_bn", is_a_plus_bn}},
                    .figures = {{"sweep", sweep, sweep_sentence}}});
}

}  // namespace ringside::lessons::bucket_size
