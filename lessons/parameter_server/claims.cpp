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

}  // namespace

std::vector<ClaimOf> claims() {
  return {{"stateless", stateless},    {"whole", whole_pull},        {"values", values_compress},
          {"caching", caching_halves}, {"cheaper", ring_is_cheaper}, {"best", more_is_better}};
}

}  // namespace ringside::parameter_server_lesson
