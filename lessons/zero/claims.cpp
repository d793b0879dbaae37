// What the trace says to the claims of texts.inc.
#include "lesson.h"
#include "ringside/ledger/gather_check.h"
#include "ringside/trace/measure.h"
#include "ringside/train/in_turns.h"

namespace ringside::zero_lesson {
namespace {

bool near(double measured, double expected) { return std::abs(measured - expected) <= 0.01 * expected; }
bool all_near(const std::array<double, 4>& measured, const std::array<double, 4>& expected) {
  return std::equal(measured.begin(), measured.end(), expected.begin(), near);
}

ClaimResult memory_falls(const Trace& trace) {
  std::vector<double> bytes;
  for (int stage = 0; stage <= 3; ++stage) {
    const SectionView& section = of_several_ranks(stage_section(trace, stage));
    bytes.push_back(state_of(trace, section).total() / psi(section));
  }
  const bool falls =
      std::is_sorted(bytes.rbegin(), bytes.rend()) && std::ranges::adjacent_find(bytes) == bytes.end();
  return holds_if(falls, fmt::format("{:.2f} bytes per parameter", fmt::join(bytes, ", ")));
}

bool each_higher(const std::array<double, 4>& times) {
  return std::ranges::adjacent_find(times, [](double a, double b) { return b <= 1.01 * a; }) == times.end();
}

// Of the paper's algorithm and of what DeepSpeed does by default, which the sentence does not tell apart.
ClaimResult more_communication(const Trace& trace) {
  const auto paper = sent_times(trace, "reduce_scatter", 1);
  std::string evidence =
      fmt::format("as in the paper, one micro-batch: {:.2f} Ψ(N-1)/N", fmt::join(paper, ", "));
  const int64_t g = most_accumulation(trace);
  if (g == 1 || find_run(trace, 2, "all_reduce", g) == nullptr) return holds_if(each_higher(paper), evidence);
  const auto deepspeed = sent_times(trace, "all_reduce", g);
  evidence += fmt::format("; by DeepSpeed's default (all_reduce), {} micro-batches: {:.2f}", g,
                          fmt::join(deepspeed, ", "));
  return {both(each_higher(paper), each_higher(deepspeed)), evidence};
}

ClaimResult paper_volumes(const Trace& trace) {
  const auto times = sent_times(trace, "reduce_scatter", 1);
  return holds_if(all_near(times, {2, 2, 2, 3}), fmt::format("{:.2f}", fmt::join(times, ", ")));
}

ClaimResult all_reduce_costs_more(const Trace& trace) {
  const auto times = [&](const std::string& reduce) {
    std::vector<double> of_stages;
    for (const int stage : {1, 2}) {
      const SectionView& section = of_several_ranks(find_run(trace, stage, reduce, 1));
      of_stages.push_back(sent_psi(trace, section) * data_ranks(section) / (data_ranks(section) - 1.0));
    }
    return of_stages;
  };
  const auto scatter = times("reduce_scatter"), all = times("all_reduce");
  return holds_if(near(scatter[0], 2) && near(scatter[1], 2) && near(all[0], 3) && near(all[1], 3),
                  fmt::format("{:.2f} against {:.2f}", fmt::join(all, ", "), fmt::join(scatter, ", ")));
}

ClaimResult accumulation_costs(const Trace& trace) {
  const int64_t g = several_micro_batches(trace);
  const auto times = sent_times(trace, "reduce_scatter", g), by_all = sent_times(trace, "all_reduce", g);
  const auto steps = double(g);
  return holds_if(
      all_near(times, {2, 2, steps + 1, 3 * steps}) && near(by_all[2], 2 * steps + 1),
      fmt::format("g={}: {:.2f}; stage 2 by all_reduce {:.2f}", g, fmt::join(times, ", "), by_all[2]));
}

ClaimResult fetched_and_dropped(const Trace& trace) {
  const SectionView& section = needed(stage_section(trace, 3));
  const GatherCheck check = check_gathers(trace, section);
  const bool in_order =
      check.gathers > 0 && check.gathers == check.drops && check.late == 0 && check.left_over == 0;
  const bool one_by_one = check.most_at_once < section.integer("units");
  const bool kept = keeps_gathered(section);
  const std::string evidence = fmt::format(
      "{} gathers, {} drops, {} of {} uses too early, at most {} of {} units whole at once, {} left after a "
      "step{}",
      check.gathers, check.drops, check.late, check.uses, check.most_at_once, section.text("units"),
      check.left_over, kept ? "; reshard=off keeps a layer from its forward to its backward" : "");
  if (in_order && kept) return {Verdict::kPartly, evidence};
  return holds_if(in_order && one_by_one, evidence);
}

// Completed calls of a kind, over all ranks, that carry parameters or gradients.
int64_t calls_in_steps(const Trace& trace, const SectionView& section, Op op) {
  int64_t calls = 0;
  for (const char* tag : {"parameters", "gradients"})
    calls += std::ranges::count(completed_calls(trace, section, tag, kAllRanks), op, &CollectiveEvent::op);
  return calls;
}

ClaimResult broadcast_after(const Trace& trace) {
  const SectionView& section = of_several_ranks(stage_section(trace, 3));
  const int64_t broadcasts = calls_in_steps(trace, section, Op::kBroadcast),
                sums = calls_in_steps(trace, section, Op::kReduceScatter);
  return judged(both(broadcasts > 0, sums > 0), in_steps(section), broadcasts,
                calls_in_steps(trace, section, Op::kAllGather), sums);
}

// What is sharded is not what is sent.
ClaimResult every_use(const Trace& trace) {
  const SectionView& section = of_several_ranks(stage_section(trace, 1));
  int64_t bytes = 0;
  for (const CollectiveEvent& event : section.collectives(0))
    if (trace.name(event.tag) == "optimizer state") bytes += event.bytes_sent;
  return judged(bytes > 0, in_steps(section), bytes);
}

ClaimResult same_training(const Trace& trace) {
  const auto proof = proof_of(trace);
  if (!proof) throw NotRun{"the proof was switched off (proof=off)"};
  const auto equal = std::ranges::count_if(proof->equal_expected,
                                           [](const ProofCase& one) { return one.first_difference == 0; });
  std::string evidence = fmt::format("{} of {} fp32 runs end with the reference's bits after {} steps", equal,
                                     proof->equal_expected.size(), proof->steps);
  if (size_t(equal) != proof->equal_expected.size()) return {Verdict::kFails, evidence};
  for (const ProofCase& one : proof->order_differs) {
    if (one.first_difference == 0) continue;
    return {Verdict::kPartly,
            evidence +
                "; with accumulation stages 2 and 3 add in another order than 0 and 1 and differ, first at " +
                one.where};
  }
  return {Verdict::kHolds, evidence};
}

// Step times of a training in turns, but those that warmed it up.
std::vector<double> compared_steps(const Trace& trace, const SectionView& section) {
  return without_warm_up(figure::scalar_series(trace, section, "step time"));
}

ClaimResult overlap_helps(const Trace& trace) {
  const SectionView& section = needed(trace.find(kOverlapOn));
  const auto on = needed(compared_steps(trace, section)),
             off = compared_steps(trace, needed(trace.find(kOverlapOff)));
  if (on.size() != off.size()) return {};
  const std::string link = of_several_ranks(&section).text("link");
  return judge_ratio(
      ratio_interval(off, on), 1, std::numeric_limits<double>::infinity(),
      fmt::format("times as long without overlap as with it (stage {}, {})", section.text("stage"),
                  link == "none" ? "no link model: memory speed" : "simulated link " + link));
}

}  // namespace

std::vector<ClaimOf> claims() {
  return {{"memory_falls", memory_falls},
          {"more_communication", more_communication},
          {"paper_volumes", paper_volumes},
          {"broadcast", broadcast_after},
          {"every_use", every_use},
          {"fetched_and_dropped", fetched_and_dropped},
          {"all_reduce_costs_more", all_reduce_costs_more},
          {"accumulation_costs", accumulation_costs},
          {"same_training", same_training},
          {"overlap_helps", overlap_helps}};
}

}  // namespace ringside::zero_lesson
