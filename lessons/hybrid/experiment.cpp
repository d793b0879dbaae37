// HSDP beside stage 3: what crosses from node to node, and what each rank keeps for it. no_sync beside both.
#include "embedded.h"
#include "parts.h"

namespace ringside::lessons::hybrid {
namespace {

using namespace figure;

SchemeRow hybrid_of(const Trace& trace) { return row_of<SchemeRow>(trace, true); }
SchemeRow stage_3_of(const Trace& trace) { return row_of<SchemeRow>(trace, false, 1); }
std::vector<Symbol> symbols(const Config& config) {
  return {{"N", tr("ranks"), config.real("ranks")},
          {"M", tr("nodes"), config.real("replicas")},
          {"g", tr("micro-batches"), config.real("accumulate")}};
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

ClaimResult one_order(const Trace& trace) {
  const auto rows =
      needed(rows_where<BitRow>(trace, [](const BitRow& row) { return row.run.ends_with("no_sync"); }));
  const auto equal = std::ranges::count(rows, kNowhere, &BitRow::differs);
  return judged(equal == std::ssize(rows), equal, rows.size());
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

// By the link model: bytes / bandwidth, in Ψ over the link inside a node. One link leaves a node, and all that
// its ranks send to others goes over it. A ring is as fast as its slowest link; nothing is hidden.
double stage_3_takes(const SchemeRow& sent, double slower) { return slower * sent.out_of_node(); }
double hsdp_takes(const SchemeRow& sent, double slower) { return sent.inside + slower * sent.out_of_node(); }

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
  return lesson_of(embedded("texts.inc"), {.run = run,
                                           .as_processes = true,
                                           .symbols = symbols,
                                           .claims = {{"bits", changes_no_bit}, {"order", one_order}},
                                           .figures = {{"ring", links(stage_3_of)},
                                                       {"rings", links(hybrid_of)},
                                                       {"trade", trade},
                                                       {"slow", slow_link, slow_link_sentence},
                                                       {"no_sync", {}, no_sync_sentence}}});
}

}  // namespace ringside::lessons::hybrid
