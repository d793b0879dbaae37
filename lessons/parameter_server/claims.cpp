// What the run says of the claims. Without a verdict: it was not run, or did not come to the loss.
#include "parts.h"
namespace ringside::parameter_server_lesson {
namespace {

// ---- Nodes that die -------------------------------------------------------------------------------------

ClaimResult stateless(const Trace& trace) {
  const SectionView& section = needed(trace.find(kReplaced));
  const double loss = last_loss(trace, kReplaced),
               calm = last_loss(trace, trace.find(kUndisturbed) == nullptr ? kTraining : kUndisturbed);
  double ms = figure::kNone;  // from a new worker's coming to its first values
  int64_t told = 0;           // the iteration that others told it to begin with
  for (int rank = 0; rank < section.ranks(); ++rank)
    if (const auto came = section.life(rank).began_ns; came && !section.spans(rank).empty()) {
      ms = 1e-6 * double(section.spans(rank)[0].end_ns - *came);
      told = section.spans(rank)[0].step;
    }
  const Verdict without = told > 0 ? Verdict::kPartly : Verdict::kHolds;
  return judged(std::abs(loss - calm) < 0.05 * calm ? without : Verdict::kFails, ms, loss, calm, told);
}

ClaimResult ring_keeps(const Trace& trace) {
  const CopyRow none = copies_of(trace, 0, 1), one = copies_of(trace, 1, 2), two = copies_of(trace, 2, 1),
                both = copies_of(trace, 2, 2);
  return judged(two.lost + both.lost == 0, two.with_loss, two.trials, both.with_loss, both.trials,
                one.with_loss, one.trials, none.with_loss, none.trials, none.lost);
}

ClaimResult at_once(const Trace& trace) {
  const CopyRow one = copies_of(trace, 2, 1);
  const Verdict kept = one.seconds < 0.02 ? Verdict::kHolds : Verdict::kPartly;
  return judged(one.lost > 0 ? Verdict::kFails : kept, one.seconds, kPaperRecovery);
}

// ---- Bytes ----------------------------------------------------------------------------------------------

ClaimResult whole_pull(const Trace& trace) {
  const double pulled = bytes_with(trace, kNone).pulled,
               dense = needed(first_of(trace, kTraffic, kEachWorker));
  return judged(both(dense > 1.9, pulled > 50), dense, pulled);
}

ClaimResult values_compress(const Trace& trace) {
  const ByteRow none = bytes_with(trace, kNone), int8 = bytes_with(trace, kInt8),
                zstd = bytes_with(trace, kPacked);
  const auto off_values = [&](const ByteRow& row) {
    return 100 - share(double(row.values), double(none.values));
  };
  const bool lossy = off_values(int8) > 40 && std::abs(int8.loss - none.loss) < 0.05 * none.loss;
  const Verdict rounded = lossy ? Verdict::kPartly : Verdict::kFails;
  return judged(off_values(zstd) > 40 ? Verdict::kHolds : rounded, off_values(zstd), saved_by(trace, kPacked),
                off_values(int8), saved_by(trace, kInt8), int8.loss, none.loss);
}

ClaimResult keys_compress_badly(const Trace& trace) {
  const auto left = [&](const char* way) {
    return share(double(bytes_with(trace, way).keys), double(bytes_with(trace, kNone).keys));
  };
  const Verdict counted = left(kZipped) > 70 ? Verdict::kHolds : Verdict::kFails;
  return judged(left(kZipped) < 50 && left(kHashed) > 70 ? Verdict::kPartly : counted, left(kZipped),
                left(kHashed), left(kRepeated));
}

ClaimResult caching_halves(const Trace& trace) {
  const double fresh = saved_by(trace, kCaching), repeated = saved_by(trace, kRepeated);
  const Verdict of_fresh = fresh >= 45 ? Verdict::kHolds : Verdict::kFails;
  return judged(fresh < 45 && repeated >= 45 ? Verdict::kPartly : of_fresh, repeated, fresh);
}

ClaimResult ring_is_cheaper(const Trace& trace) {
  const auto busiest = curve(trace, kTraffic, kBusiest), ring = curve(trace, kTraffic, kRingRank);
  if (busiest.size() < 2) return {};
  const double all = first_of(trace, kTraffic, kAllSent), in_ring = first_of(trace, kTraffic, kRingSent);
  bool beaten = false;
  for (size_t i = 0; i < ring.size(); ++i) beaten = beaten || busiest[i].y < ring[i].y;
  return {
      both(in_ring < all, !beaten),
      tr("all nodes send {:.1f} Ψ per step, a ring {:.1f} Ψ (calculated). But one node carries, in and out: "
         "a ring's rank {:.2f} Ψ, the busiest of {} servers {:.2f} Ψ, a worker {:.1f} Ψ; one server {:.1f} Ψ",
         all, in_ring, ring[0].y, busiest.back().x, busiest.back().y, first_of(trace, kTraffic, kEachWorker),
         busiest[0].y)};
}

// ---- Rules of consistency -------------------------------------------------------------------------------

std::string of_bsp(const RuleRow& row) {
  return tr("{:.2f} [{:.2f}, {:.2f}]", row.of_bsp, row.low, row.high);
}

ClaimResult gives_up_convergence(const Trace& trace) {
  const RuleRow bsp = rule_of(trace, "random", kBsp), ssp = rule_of(trace, "random", kFew);
  const Verdict faster = ssp.iterations > 1.05 * bsp.iterations ? Verdict::kHolds : Verdict::kPartly;
  return judged(ssp.high < 1 && ssp.idle < bsp.idle ? faster : Verdict::kFails, kFew, of_bsp(ssp),
                ssp.iterations, bsp.iterations, ssp.idle, bsp.idle);
}

ClaimResult paper_idle(const Trace& trace) {
  const double bsp = rule_of(trace, "random", kBsp).idle, ssp = rule_of(trace, "random", "SSP(16)").idle;
  return judged(bsp > 40 && bsp < 60 && ssp < 5, bsp, ssp, kPaperIdleAt0, kPaperIdleAt16);
}

ClaimResult more_is_better(const Trace& trace) {
  const RuleRow asp = rule_of(trace, "random", kAsp);
  const auto bounded = [](const RuleRow& row) { return row.straggler == "random" && row.staleness > 0; };
  const RuleRow best = std::ranges::min(needed(rows_where<RuleRow>(trace, bounded)), {}, &RuleRow::of_bsp);
  const std::string words =
      tr("ASP needs {} of BSP's time; the best s is {} and needs {}; the paper's best s is {}", of_bsp(asp),
         best.staleness, of_bsp(best), kPaperBest);
  if (asp.low < best.high && best.low < asp.high) return not_testable(tr("cannot be told here: {}", words));
  return holds_if(asp.of_bsp < best.of_bsp, words);
}

ClaimResult asynchronous_is_faster(const Trace& trace) {
  const RuleRow none = rule_of(trace, "none", kAsp), random = rule_of(trace, "random", kAsp),
                slow = rule_of(trace, "slow", kAsp);
  const int faster = (none.high < 1) + (random.high < 1) + (slow.high < 1);
  return judged(both(faster == 3, faster > 0), of_bsp(none), of_bsp(random), of_bsp(slow));
}

ClaimResult helps_slow(const Trace& trace) {
  const RuleRow bsp = rule_of(trace, "slow", kBsp), ssp = rule_of(trace, "slow", kFew);
  return judged(ssp.idle < 0.5 * bsp.idle, bsp.idle, kFew, ssp.idle, of_bsp(ssp));
}

}  // namespace

std::vector<ClaimOf> claims() {
  return {{"stateless", stateless},    {"ring", ring_keeps},         {"at_once", at_once},
          {"whole", whole_pull},       {"values", values_compress},  {"keys", keys_compress_badly},
          {"caching", caching_halves}, {"cheaper", ring_is_cheaper}, {"convergence", gives_up_convergence},
          {"paper", paper_idle},       {"best", more_is_better},     {"asynchronous", asynchronous_is_faster},
          {"slow", helps_slow}};
}

}  // namespace ringside::parameter_server_lesson
