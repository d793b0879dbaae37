// HSDP beside stage 3: what crosses from node to node, and what each rank keeps for it. no_sync beside both.
#include "embedded.h"
#include "parts.h"

namespace ringside::lessons::hybrid {
namespace {

using namespace figure;

SchemeRow hybrid_of(const Trace& trace) { return row_of<SchemeRow>(trace, true); }
SchemeRow stage_3_of(const Trace& trace) { return row_of<SchemeRow>(trace, false, 1); }
double between_nodes(const Trace& trace) { return hybrid_of(trace).between; }
double kept(const Trace& trace) { return hybrid_of(trace).keeps; }
double sent_once(const Trace& trace) { return row_of<ReducedRow>(trace, kOnce).sent; }
std::vector<Symbol> symbols(const Config& config) {
  return {{"N", tr("ranks"), config.real("ranks")},
          {"M", tr("nodes"), config.real("replicas")},
          {"g", tr("micro-batches"), config.real("accumulate")}};
}

ClaimResult gathers_stay_inside(const Trace& trace) {
  const double crosses = hybrid_of(trace).parameters_between,
               in_stage_3 = stage_3_of(trace).parameters_between;
  return judged(crosses == 0 && in_stage_3 > 0, crosses, in_stage_3);
}

ClaimResult one_all_reduce_of_a_shard(const Trace& trace) {
  const SchemeRow hybrid = hybrid_of(trace);
  const double expected = 2 * double(hybrid.replicas - 1) / double(hybrid.replicas * hybrid.of_node);
  return judged(std::abs(hybrid.between - expected) < 0.01 * expected, hybrid.between, expected);
}

ClaimResult memory_stays(const Trace& trace) {
  const double hybrid = kept(trace), plain = stage_3_of(trace).keeps;
  return judged(hybrid < 1.01 * plain, hybrid, plain);
}

ClaimResult changes_no_bit(const Trace& trace) {
  const auto rows = rows_in<BitRow>(trace);
  if (rows.size() < 2) return {};
  if (rows[0].differs != kNowhere) return holds_if(false, tr("not its own order's: {}", rows[0].differs));
  if (rows[1].differs == kNowhere) return holds_if(true, tr("all bits are equal"));
  return {Verdict::kPartly, tr("the bits of one process that adds in HSDP's order; stage 3 over all ranks "
                               "adds in another one and differs first at {}",
                               rows[1].differs)};
}

ClaimResult trades_bytes_for_memory(const Trace& trace) {
  const auto with = row_of<ReducedRow>(trace, kEachTime), without = row_of<ReducedRow>(trace, kOnce);
  return judged(without.sent < with.sent && without.between > with.at_end, without.sent, with.sent,
                without.between, with.at_end);
}

ClaimResult one_order(const Trace& trace) {
  const auto rows =
      needed(rows_where<BitRow>(trace, [](const BitRow& row) { return row.run.ends_with("no_sync"); }));
  const auto equal = std::ranges::count(rows, kNowhere, &BitRow::differs);
  return judged(equal == std::ssize(rows), equal, rows.size());
}

std::vector<Attribute> crossing_sentence(const FigureInput& input) {
  const SchemeRow plain = stage_3_of(input.trace), hybrid = hybrid_of(input.trace);
  return {hybrid.out_of_node(), plain.out_of_node(), hybrid.keeps / plain.keeps};
}

FigureValue links(SchemeRow (*scheme_of)(const Trace&)) {
  return [=](const FigureInput& input) {
    Matrix matrix{tr("from"), tr("to"), "Ψ", {}, {}, {}};
    const SchemeRow scheme = scheme_of(input.trace);
    for (const auto& [replicas, from, to, sent] : rows_of<LinkRow>(input.trace, scheme.replicas)) {
      if (to == 0) matrix.rows.push_back(tr("rank {}, node {}", from, from / scheme.of_node));
      if (from == 0) matrix.columns.push_back(tr("rank {}", to));
      matrix.cells.push_back(sent > 0 ? MatrixCell{MatrixCell::State::kValue, sent} : MatrixCell{});
    }
    return matrix;
  };
}

Value trade(const FigureInput& input) {
  Lines all{{tr("state of a rank, bytes per parameter")}, {tr("sent out of a node in a step"), "Ψ"}, {}};
  for (const SchemeRow& row : rows_in<SchemeRow>(input.trace))
    all.lines.push_back({row.name, hue(all.lines.size()), Stroke::kDots, {{row.keeps, row.out_of_node()}}});
  return all;
}

// By the link model: bytes / bandwidth, in Ψ over the link inside a node. A ring is as fast as its slowest
// link; nothing is hidden.
double stage_3_takes(const SchemeRow& sent, double slower) { return slower * (sent.inside + sent.between); }
double hsdp_takes(const SchemeRow& sent, double slower) { return sent.inside + slower * sent.between; }

Value slow_link(const FigureInput& input) {
  const SchemeRow plain = stage_3_of(input.trace), hybrid = hybrid_of(input.trace);
  const std::vector<double> slower = {1, 2, 5, 10, 20, 50, 100};
  const auto line = [&](std::string name, Ink ink, const SchemeRow& sent, const auto& takes) {
    return Line{std::move(name), ink, Stroke::kFormula,
                points_of(slower, std::identity(), [&](double by) { return takes(sent, by); })};
  };
  return Lines{{tr("times slower between nodes than inside"), "", true},
               {tr("time, in Ψ over the link inside a node"), "", true},
               {line(tr("stage 3, calculated"), Ink::kGradients, plain, stage_3_takes),
                line(tr("HSDP, calculated"), Ink::kParameters, hybrid, hsdp_takes)}};
}

std::vector<Attribute> slow_link_sentence(const FigureInput& input) {
  constexpr double kInside = 900, kBetween = 50;  // GB/s
  const double times = stage_3_takes(stage_3_of(input.trace), kInside / kBetween) /
                       hsdp_takes(hybrid_of(input.trace), kInside / kBetween);
  return {kInside, kBetween, times};
}

std::vector<Attribute> no_sync_sentence(const FigureInput& input) {
  return {needed(input.trace.find(kNoSync)).integer("accumulate")};
}

}  // namespace

Lesson make_lesson() {
  return lesson_of(embedded("texts.inc"),
                   {.run = run,
                    .as_processes = true,
                    .questions = {{"between", between_nodes}, {"memory", kept}, {"no_sync", sent_once}},
                    .symbols = symbols,
                    .claims = {{"inside", gathers_stay_inside},
                               {"shard", one_all_reduce_of_a_shard},
                               {"memory", memory_stays},
                               {"bits", changes_no_bit},
                               {"no_sync", trades_bytes_for_memory},
                               {"order", one_order}},
                    .figures = {{"crossing", {}, crossing_sentence},
                                {"ring", links(stage_3_of)},
                                {"rings", links(hybrid_of)},
                                {"trade", trade},
                                {"slow", slow_link, slow_link_sentence},
                                {"no_sync", {}, no_sync_sentence}},
                    .gauges = {{"between", between_nodes}, {"kept", kept}, {"no_sync", sent_once}}});
}

}  // namespace ringside::lessons::hybrid
