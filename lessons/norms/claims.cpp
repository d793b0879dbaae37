// What the trace says to the claims; and what they, questions and figures read from it.
#include "parts.h"

namespace ringside::lessons::norms {
namespace {

int64_t bytes_of(const Trace& trace, const char* tag) {  // that rank 0 sent in kShared
  int64_t bytes = 0;
  const SectionView* section = trace.find(kShared);
  if (section == nullptr) return 0;
  for (const CollectiveEvent& event : section->collectives(0))
    if (event.state == CollectiveState::kCompleted && trace.name(event.tag).starts_with(tag))
      bytes += event.bytes_sent;
  return bytes;
}

ClaimResult one_steep_axis(const Trace& trace) {
  const double raw = steepness_of(trace, kRaw), normed = steepness_of(trace, kByBatch);
  const int64_t slow = steps_to_target(trace, kRaw), fast = steps_to_target(trace, kByBatch);
  return judged(both(raw > 10 * normed, slow > 2 * fast), raw, normed, steepness_of(trace, kAlike),
                kAlikeness, first_of(trace, kCurvature, kRaw), first_of(trace, kCurvature, kByBatch), kTarget,
                in_words(slow), in_words(fast));
}

ClaimResult any_norm_rounds(const Trace& trace) {
  const double raw = steepness_of(trace, kRaw), token = steepness_of(trace, kByRms);
  const int64_t slow = steps_to_target(trace, kByLayer), fast = steps_to_target(trace, kByBatch);
  return {
      both(token < kRound, slow < 2 * fast),
      tr("least squares: condition {:.0f} without a norm, {:.0f} behind RMS norm, {:.1f} behind batch norm. "
         "The classifier behind layer norm: a loss of {:g} after {} steps, behind batch norm after {}",
         raw, token, steepness_of(trace, kByBatch), kTarget, in_words(slow), in_words(fast))};
}

ClaimResult padding_mixes(const Trace& trace) {
  const double plain = most_of(trace, kPadding, "batch"), masked = most_of(trace, kMasked, "batch"),
               layer = std::fmax(most_of(trace, kPadding, "layer"), most_of(trace, kMasked, "layer"));
  return judged(plain < 0.01    ? Verdict::kFails
                : masked < 1e-4 ? Verdict::kPartly
                                : Verdict::kHolds,
                100 * plain, masked, layer);
}

// The error of the last four positions over that of the first four.
double late_over_early(const Trace& trace, const char* sets) {
  double early = 0, late = 0;
  const auto points = curve(trace, kPositions, sets);
  for (const figure::Point& point : points) {
    if (point.x < 4) early += point.y;
    if (point.x + 4 >= double(points.size())) late += point.y;
  }
  return late / early;
}

ClaimResult late_tokens(const Trace& trace) {
  const double usual = late_over_early(trace, kOverTokens), channel = late_over_early(trace, kByPosition);
  return judged(both(usual > 1.5, channel > 1.5), usual, channel);
}

ClaimResult padding_alone(const Trace& trace) {
  const double two = first_of(trace, kGap, kEvaluated);
  return judged(two < 0.05 ? Verdict::kHolds : Verdict::kPartly, 100 * last_of(trace, kGap, kEvaluated),
                100 * two, last_of(trace, kGap, kOthers), first_of(trace, kGap, kOthers));
}

ClaimResult running_is_a_mean(const Trace& trace) {
  const double left = last_of(trace, kRunning, kVariance);
  return judged(left < 1e-3, 100 * left);
}

ClaimResult one_model(const Trace& trace) {
  const double first = first_of(trace, kPaths, kOwn), last = last_of(trace, kPaths, kOwn);
  return judged(last < kRounding, 100 * first, 100 * last);
}

ClaimResult equal_hashes(const Trace& trace) {
  const SectionView *own = trace.find(kOwn), *one = trace.find(kOne);
  const auto among = first_part(own, own, false), buffers = first_part(own, own, true),
             from_one = first_part(own, one, false);
  if (among) return not_testable(tr("the ranks' parameters differ from step {} on", *among));
  const auto when = [](const auto& step) { return step ? tr("from step {} on", *step) : tr("in no step"); };
  return holds_if(!from_one || last_of(trace, kPaths, kOwn) < kRounding,
                  tr("with plain batch norm the ranks' parameters have one hash in every step. The hash of "
                     "one process differs from it {}; the hashes of the ranks' running statistics differ {}",
                     when(from_one), when(buffers)));
}

ClaimResult shared_is_one_model(const Trace& trace) {
  const double last = last_of(trace, kPaths, kShared);
  const auto buffers = first_part(trace.find(kShared), trace.find(kShared), true);
  return judged(last < kRounding, last, buffers ? tr("differ") : tr("are equal"),
                bytes_of(trace, "norm statistics"), bytes_of(trace, "gradients"));
}

// What one changed number moves under layer norm: nothing but its own token?
ClaimResult sample_by_sample(const Trace& trace) {
  const Moved moved = moved_under(trace, "layer");
  return judged(moved.other_sample  ? Verdict::kFails
                : moved.other_token ? Verdict::kHolds
                                    : Verdict::kPartly,
                moved.count, moved.other_token ? tr("some of other tokens") : tr("all of its own token"),
                kTokens * kFeatures);
}

// The turns of the last steps, of each pair with decay, against the square root.
ClaimResult turns_settle(const Trace& trace) {
  std::string evidence;
  bool all = true;
  for (const auto& [rate, decay] : kRates) {
    const std::string name = name_of(rate, decay);
    const auto points = curve(trace, kTurns, name);
    double turn = 0;
    const size_t last = std::min<size_t>(50, points.size());
    for (size_t i = points.size() - last; i < points.size(); ++i) turn += points[i].y / double(last);
    const double root = turn_at_rest(rate, decay);
    if (decay > 0) all &= std::abs(turn / root - 1) < 0.15;
    evidence += (evidence.empty() ? "" : "; ") + tr("{}: {:.1f}° per step, the weight {:.1f} times as long",
                                                    name, turn, last_of(trace, kLengths, name));
  }
  return judged(all, evidence, turn_at_rest(kRates[1].first, kRates[1].second));
}

ClaimResult larger_behind(const Trace& trace) {
  const double pre = last_of(trace, kDepth, kPre), post = last_of(trace, kDepth, kPost),
               input = first_of(trace, kDepth, kPost);
  return judged(both(post > pre, input < post), post, pre, input, first_of(trace, kDepth, kPre));
}

// The claim is of other models on GPUs.
ClaimResult faster_step(const Trace& trace) {
  const SectionView* times = trace.find(kTimes);
  const RatioInterval ratio = ratio_interval(ns_of(times, kLayerStep), ns_of(times, kRmsStep));
  return not_testable(
      tr("measured there on GPUs and other models; on this CPU a step with layer norm takes {} "
         "times as long as one with RMS norm",
         to_text(ratio)));
}

// Judged where the section has a point: an opened one may still be empty.
ClaimOf measured(const char* id, const char* section, ClaimResult (*judge)(const Trace&)) {
  return {id, [=](const Trace& trace) {
            needed(rows_in<CurvePoint>(trace.find(section)));
            return judge(trace);
          }};
}

}  // namespace

std::vector<ClaimOf> claims() {
  return {measured("axis", kFall, one_steep_axis),
          measured("any_norm", kFall, any_norm_rounds),
          measured("padding", kMasked, padding_mixes),
          measured("late", kPositions, late_tokens),
          measured("alone", kGap, padding_alone),
          measured("running", kRunning, running_is_a_mean),
          measured("one_model", kPaths, one_model),
          measured("hashes", kPaths, equal_hashes),
          measured("shared", kPaths, shared_is_one_model),
          measured("turns", kTurns, turns_settle),
          measured("depth", kDepth, larger_behind),
          {"sample", sample_by_sample},
          {"step", faster_step}};
}

// ---- Read from the trace ----------------------------------------------------------------

Moved moved_under(const Trace& trace, const std::string& norm) {
  const SectionView& section = needed(trace.find(kCells));
  const int64_t changed = section.integer(kChanged);
  constexpr int64_t kSampleCells = kTokens * kFeatures;
  Moved moved;
  for (const CellRow& row : needed(rows_in<CellRow>(&section))) {
    if (row.norm != norm || row.changed != changed) continue;
    ++moved.count;
    moved.other_feature |= row.cell % kFeatures != changed % kFeatures;
    moved.other_token |= row.cell / kFeatures != changed / kFeatures;
    moved.other_sample |= row.cell / kSampleCells != changed / kSampleCells;
  }
  return moved;
}

std::string name_of(double rate, double decay) { return tr("rate {:g}, decay {:g}", rate, decay); }

std::string seen_by(int64_t rank, const char* moment) { return tr("{}, batch of rank {}", moment, rank); }
std::string kept_by(int64_t rank, const char* moment) { return tr("{} that rank {} keeps", moment, rank); }

double turn_at_rest(double rate, double decay) { return std::sqrt(2 * rate * decay) * 180 / M_PI; }

Hashes hashes_of(const SectionView* section) {
  Hashes all;
  for (HashRow& row : rows_in<HashRow>(section)) all[{row.step, row.rank}] = std::move(row);
  return all;
}

std::optional<int64_t> first_part(const SectionView* a, const SectionView* b, bool buffers) {
  const Hashes other = hashes_of(b);
  for (const auto& [at, row] : hashes_of(a)) {
    const auto right = other.find({row.step, 0});
    if (right != other.end() && row.of(buffers) != right->second.of(buffers)) return row.step;
  }
  return std::nullopt;
}

double steepness_of(const Trace& trace, const std::string& features) {
  return first_of(trace, kSquares, features) / last_of(trace, kSquares, features);
}

int64_t steps_to_target(const Trace& trace, const std::string& features) {
  for (const figure::Point& point : curve(trace, kFall, features))
    if (point.y <= kTarget) return int64_t(point.x);
  return kNotReached;
}
std::string in_words(int64_t steps) {
  return steps == kNotReached ? tr("more than {}", kFallSteps) : std::to_string(steps);
}

}  // namespace ringside::lessons::norms
