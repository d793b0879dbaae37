// What is claimed of the three kinds of parallelism, held against the run.
#include "parts.h"

namespace ringside::lessons::megatron {
namespace {

bool near(double a, double b, double within = 0.01) { return std::abs(a - b) <= within * std::abs(b); }

double parameters_of(const Trace& trace, const char* section) {
  return ended(trace, section).number("parameters");
}

double whole_model(const Trace& trace) { return needed(trace.find(kBits)).number("parameters"); }

// ---- The source --------------------------------------------------

ClaimResult dp_copies(const Trace& trace) {
  const double all = whole_model(trace), kept = parameters_of(trace, kData);
  const SectionView& section = ended(trace, kData);
  int64_t sums = 0;
  for (const CollectiveEvent& sum : completed_calls(trace, section, "gradients")) sums += sum.elements;
  const double a_step = double(sums) / double(section.integer("steps")) / kept;
  return judged(near(kept, all) && near(a_step, 1), format_count(int64_t(kept)), format_count(int64_t(all)),
                a_step, section.integer("accumulate"));
}

ClaimResult tp_splits(const Trace& trace) {
  const double all = parameters_of(trace, kData), kept = parameters_of(trace, kTensor);
  const LayerCalls calls = layer_calls(trace, kTensor);
  return judged(kept < 0.75 * all && calls.forward > 0, 100 * kept / all,
                format_count(int64_t(calls.elements)));
}

ClaimResult tp_batch(const Trace& trace) {
  const SectionView& section = ended(trace, kTensor);
  const double whole = section.number(kTokens) * section.number(kHidden),
               here = layer_calls(trace, kTensor).elements;
  return judged(here < 0.99 * whole, format_count(int64_t(here)), format_count(int64_t(whole)));
}

ClaimResult pp_layers(const Trace& trace) {
  const SectionView& section = ended(trace, kPipe);
  std::map<std::string, std::set<int>> stages;  // of a layer
  for (const SpanEvent& span : spans_named(trace, section, "forward", kAllRanks))
    if (trace.name(span.unit).starts_with("layer")) stages[trace.name(span.unit)].insert(span.rank);
  if (stages.empty()) throw NotRun();
  const auto alone = std::ranges::count_if(stages, [](const auto& one) { return one.second.size() == 1; });
  return judged(size_t(alone) == stages.size() && section.ranks() > 1, alone, stages.size());
}

ClaimResult finer(const Trace& trace) {
  const Passes one = passes_of(trace, kOneMicro), many = passes_of(trace, kPipe);
  const double before = 100 * one.measured().bubble_of_whole(),
               behind = 100 * many.measured().bubble_of_whole();
  return judged(behind < 0.95 * before, before, many.schedule.micro_batches, behind);
}

ClaimResult by_volume(const Trace& trace) {
  const auto [dp, tp, pp] = sent_alone(trace);
  const bool told = std::max({dp, tp, pp}) > 2 * std::min({dp, tp, pp});
  return judged(told, format_bytes(dp), format_bytes(tp), format_bytes(pp));
}

// ---- Papers and beliefs ------------------------------------------

ClaimResult four_calls(const Trace& trace) {
  const LayerCalls calls = layer_calls(trace, kTensor);
  return judged(near(calls.forward, 2) && near(calls.backward, 2), calls.forward, calls.backward);
}

ClaimResult inside_node(const Trace& trace) {
  const auto [dp, tp, pp] = sent_alone(trace);
  return judged(tp > 2 * pp, tp / pp, format_bytes(tp), format_bytes(pp));
}

ClaimResult more_stages(const Trace& trace) {
  const Passes two = passes_of(trace, kTwoStages), more = passes_of(trace, kPipe);
  if (more.schedule.stages <= 2 || more.schedule.micro_batches != two.schedule.micro_batches) throw NotRun();
  const double before = 100 * two.equal().bubble_of_whole(), behind = 100 * more.equal().bubble_of_whole();
  return judged(behind < before, before, more.schedule.stages, behind);
}

ClaimResult negligible(const Trace& trace) {
  const Passes passes = passes_of(trace, "gpipe");
  const int p = passes.schedule.stages;
  const double waits = 100 * time_of(gpipe(p, 4 * p), passes.costs()).bubble_of_whole();
  return judged(waits < 5, p, 4 * p, waits);
}

ClaimResult less_memory(const Trace& trace) {
  const Passes flat = passes_of(trace, kPipe), hill = passes_of(trace, "gpipe");
  const double a = flat.equal().bubble_of_ideal(), b = hill.equal().bubble_of_ideal();
  return judged(both(near(a, b), flat.peak()[0] < 0.9 * hill.peak()[0]), a, b, format_bytes(flat.peak()[0]),
                format_bytes(hill.peak()[0]));
}

ClaimResult bubble_by_v(const Trace& trace) {
  const Passes plain = passes_of(trace, kPipe), turns = passes_of(trace, "interleaved");
  const double before = plain.equal().bubble_of_ideal(), behind = turns.equal().bubble_of_ideal();
  return judged(near(behind, before / turns.schedule.chunks), turns.schedule.chunks, behind, before,
                turns.measured().bubble_of_ideal(), plain.measured().bubble_of_ideal());
}

ClaimResult bytes_by_v(const Trace& trace) {
  const SectionView &plain = ended(trace, kPipe), &turns = ended(trace, "interleaved");
  const auto v = double(turns.integer("chunks"));
  const double all = mean_sent(trace, "interleaved").pp / mean_sent(trace, kPipe).pp;
  if (plain.ranks() < 3) throw NotRun();
  const double middle = sent_by_rank(trace, turns, 1).pp / sent_by_rank(trace, plain, 1).pp;
  return judged(near(middle, v), v, middle, all);
}

ClaimResult third_of_bubble(const Trace& trace) {
  const Passes plain = passes_of(trace, kPipe), split = passes_of(trace, "zb_h1");
  const double left = split.equal().bubble_of_ideal() / plain.equal().bubble_of_ideal(),
               memory = split.peak()[0] / plain.peak()[0];
  return judged(both(left < 0.35, memory < 1.1), left,
                split.measured().bubble_of_ideal() / plain.measured().bubble_of_ideal(), memory);
}

ClaimResult sequence_parallel(const Trace& trace) {
  const double off = mean_sent(trace, kTensor).tp, on = mean_sent(trace, kSequence).tp,
               kept = peak_activations(trace, kTensor), less = peak_activations(trace, kSequence);
  return judged(both(near(on, off, 0.1), less < 0.9 * kept), format_bytes(on), format_bytes(off),
                format_bytes(less), format_bytes(kept));
}

ClaimResult crosses(const Trace& trace) {
  const Crossing crossing = crossing_of(trace);
  const double at = crossing.at(), formula = 4.5 * crossing.hidden;
  const double grown = crossing.tp.back().y / crossing.tp.front().y,
               zero = crossing.zero.back().y / crossing.zero.front().y;
  if (std::isnan(at)) return not_testable(tr("the lines do not cross between these numbers of tokens"));
  return holds_if(near(at, formula, 0.03) && near(zero, 1, 0.01) && grown > 2,
                  tr("{:g} times the tokens: tp sends {:.3g} times as much, ZeRO-3 {:.3g} times; they cross "
                     "at {:.0f} tokens, 4.5 H is {:.0f}",
                     crossing.tp.back().x / crossing.tp.front().x, grown, zero, at, formula));
}

// Where other work has the cores, a pass takes longer than it computes, and CPU times say nothing of wall
// time.
ClaimResult clock_agrees(const Trace& trace) {
  const WallTimes times = wall_times(trace);
  const RatioInterval by_cpu = ratio_interval(times.wall, times.by_cpu),
                      by_elapsed = ratio_interval(times.wall, times.by_elapsed);
  if (times.crowded() > 1.15)
    return not_testable(
        tr("other work had the cores: a pass took {:.2f} times its CPU time. A step took {} times as long as "
           "the clock says by CPU times, {} times by the time that passes took",
           times.crowded(), to_text(by_cpu), to_text(by_elapsed)));
  return judge_ratio(by_cpu, 0.8, 1.25,
                     tr("times as long as the clock says by CPU times, {} by the time that passes took",
                        to_text(by_elapsed)));
}

}  // namespace

std::vector<ClaimOf> claims() {
  return {{"dp_copies", dp_copies},
          {"tp_splits", tp_splits},
          {"tp_batch", tp_batch},
          {"pp_layers", pp_layers},
          {"finer", finer},
          {"volume", by_volume},
          {"four", four_calls},
          {"node", inside_node},
          {"stages", more_stages},
          {"negligible", negligible},
          {"plateau", less_memory},
          {"by_v", bubble_by_v},
          {"v_bytes", bytes_by_v},
          {"zero_bubble", third_of_bubble},
          {"sequence", sequence_parallel},
          {"crossing", crosses},
          {"clock", clock_agrees}};
}

}  // namespace ringside::lessons::megatron
