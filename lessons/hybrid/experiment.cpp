// HSDP beside stage 3: what crosses from node to node, and what each rank keeps for it. no_sync beside both.
#include "embedded.h"
#include "parts.h"
#include "ringside/ledger/ledger.h"
#include "ringside/lesson/prediction.h"

namespace ringside::lessons::hybrid {
namespace {

using namespace figure;

Scheme hybrid_of(const Trace& trace) { return needed(scheme_of(trace, nodes_of(trace))); }
double between_nodes(const Trace& trace) { return hybrid_of(trace).sent.between; }
std::optional<double> kept(const Trace& trace) {
  return bytes_at(trace, section_of(nodes_of(trace)), kAfterStep);
}
std::vector<Symbol> symbols(const Config& config) {
  return {{"N", tr("ranks"), config.real("ranks")},
          {"M", tr("nodes"), config.real("replicas")},
          {"g", tr("micro-batches"), config.real("accumulate")}};
}
std::optional<double> sent_once(const Trace& trace) { return sent(trace, kNoSync); }

ClaimResult gathers_stay_inside(const Trace& trace) {
  const double crosses = hybrid_of(trace).sent.parameters_between,
               in_stage_3 = needed(scheme_of(trace, 1)).sent.parameters_between;
  return judged(crosses == 0 && in_stage_3 > 0, crosses, in_stage_3);
}

ClaimResult one_all_reduce_of_a_shard(const Trace& trace) {
  const Sent sent = hybrid_of(trace).sent;
  const double expected = 2 * double(nodes_of(trace) - 1) / double(sent.by_link.size());
  return judged(std::abs(sent.between - expected) < 0.01 * expected, sent.between, expected);
}

ClaimResult memory_stays(const Trace& trace) {
  const double hybrid = needed(kept(trace)), plain = needed(bytes_at(trace, section_of(1), kAfterStep));
  return judged(hybrid < 1.01 * plain, hybrid, plain);
}

ClaimResult changes_no_bit(const Trace& trace) {
  const auto rows = rows_in<BitRow>(trace);
  if (rows.size() < 2) return {};
  const auto in_words = [](const BitRow& row) {
    return tr("step {}, {}, {} ulp", row.step, row.tensor, row.ulps);
  };
  if (!rows[0].tensor.empty()) return holds_if(false, tr("not its own order's: {}", in_words(rows[0])));
  if (rows[1].tensor.empty()) return holds_if(true, tr("all bits are equal"));
  return {Verdict::kPartly, tr("the bits of one process that adds in HSDP's order; stage 3 over all ranks "
                               "adds in another one and differs first at {}",
                               in_words(rows[1]))};
}

ClaimResult trades_bytes_for_memory(const Trace& trace) {
  const double with = needed(sent(trace, kSynced)), without = needed(sent_once(trace)),
               shard = needed(bytes_at(trace, kSynced, kStepEntry, "gradients")),
               whole = needed(bytes_at(trace, kNoSync, kBetweenMicroBatches, "gradients"));
  return judged(without < with && whole > shard, without, with, whole, shard);
}

ClaimResult one_order(const Trace& trace) {
  const auto rows =
      needed(rows_where<BitRow>(trace, [](const BitRow& row) { return row.run.ends_with("no_sync"); }));
  const auto equal = std::ranges::count(rows, "", &BitRow::tensor);
  return judged(equal == std::ssize(rows), equal, rows.size());
}

// One for each number of replicas that has run.
std::vector<Scheme> schemes(const Trace& trace) {
  std::vector<Scheme> all;
  for (int64_t replicas = 1; replicas <= 8; ++replicas)
    if (const auto scheme = scheme_of(trace, replicas)) all.push_back(*scheme);
  return all;
}

Value crossing(const FigureInput& input) {
  Bars bars{{tr("sent by a rank in a step"), "Ψ"},
            {{tr("inside its node"), Ink::kParameters}, {tr("to another node"), Ink::kGradients}},
            {}};
  for (const auto& [name, sent, keeps] : schemes(input.trace))
    bars.rows.push_back({name, {sent.inside, sent.between}, tr("keeps {:.2f} B per parameter", keeps)});
  return bars;
}

std::vector<Attribute> crossing_sentence(const FigureInput& input) {
  const Scheme plain = needed(scheme_of(input.trace, 1)), hybrid = hybrid_of(input.trace);
  if (hybrid.sent.between == 0) return {};
  return {hybrid.sent.out_of_node(), plain.sent.out_of_node(), hybrid.keeps / plain.keeps};
}

Value links(const Sent& sent) {
  Matrix matrix{tr("from"), tr("to"), "Ψ", {}, {}, {}};
  for (size_t rank = 0; rank < sent.by_link.size(); ++rank) {
    matrix.rows.push_back(tr("rank {}, node {}", rank, int64_t(rank) / sent.of_node));
    matrix.columns.push_back(tr("rank {}", rank));
    for (const double elements : sent.by_link[rank])
      matrix.cells.push_back(elements > 0 ? MatrixCell{MatrixCell::State::kValue, elements} : MatrixCell{});
  }
  return matrix;
}
Value links_of_plain(const FigureInput& input) { return links(needed(scheme_of(input.trace, 1)).sent); }
Value links_of_hybrid(const FigureInput& input) { return links(hybrid_of(input.trace).sent); }

Value trade(const FigureInput& input) {
  Lines all{{tr("state of a rank, bytes per parameter")}, {tr("sent out of a node in a step"), "Ψ"}, {}};
  for (const auto& [name, sent, keeps] : schemes(input.trace))
    all.lines.push_back({name, hue(all.lines.size()), Stroke::kDots, {{keeps, sent.out_of_node()}}});
  return all;
}

// By the link model: bytes / bandwidth, in Ψ over the link inside a node. A ring is as fast as its slowest
// link; nothing is hidden.
double stage_3_takes(const Sent& sent, double slower) { return slower * (sent.inside + sent.between); }
double hsdp_takes(const Sent& sent, double slower) { return sent.inside + slower * sent.between; }

Value slow_link(const FigureInput& input) {
  const Sent plain = needed(scheme_of(input.trace, 1)).sent, hybrid = hybrid_of(input.trace).sent;
  const std::vector<double> slower = {1, 2, 5, 10, 20, 50, 100};
  const auto line = [&](std::string name, Ink ink, const Sent& sent, const auto& takes) {
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
  const double times = stage_3_takes(needed(scheme_of(input.trace, 1)).sent, kInside / kBetween) /
                       hsdp_takes(hybrid_of(input.trace).sent, kInside / kBetween);
  return {kInside, kBetween, times};
}

Value no_sync(const FigureInput& input) {
  Table table{columns({"reduced", "sent in a step [Ψ]", "gradients in between [B]", "at the end [B]"}), {}};
  for (const char* name : {kSynced, kNoSync}) {
    const auto end = bytes_at(input.trace, name, kStepEntry, "gradients");
    const auto between = bytes_at(input.trace, name, kBetweenMicroBatches, "gradients");
    if (end)
      table.rows.push_back(cells(name == kSynced ? tr("each time") : tr("once: no_sync"),
                                 needed(sent(input.trace, name)), between.value_or(*end), *end));
  }
  return table;
}

std::vector<Attribute> no_sync_sentence(const FigureInput& input) {
  return {needed(input.trace.find(kNoSync)).integer("accumulate")};
}

std::vector<TableCell> bits(const BitRow& row) {
  const auto& [run, last, tensor, step, ulps] = row;
  return cells(run, last, tensor.empty() ? tr("nowhere") : tr("step {}, {} ulp, {}", step, ulps, tensor));
}

}  // namespace

Lesson make_lesson() {
  Lesson lesson =
      lesson_of(embedded("texts.inc"),
                {.run = run,
                 .as_processes = true,
                 .questions = {{.id = "between", .measured = between_nodes, .symbols = symbols},
                               {.id = "memory", .measured = kept, .symbols = symbols},
                               {.id = "no_sync", .measured = sent_once, .symbols = symbols}},
                 .claims = {{"inside", gathers_stay_inside},
                            {"shard", one_all_reduce_of_a_shard},
                            {"memory", memory_stays},
                            {"bits", changes_no_bit},
                            {"no_sync", trades_bytes_for_memory},
                            {"order", one_order}},
                 .figures = {{"crossing", crossing, crossing_sentence},
                             {"ring", links_of_plain},
                             {"rings", links_of_hybrid},
                             {"trade", trade},
                             {"slow", slow_link, slow_link_sentence},
                             {"no_sync", no_sync, no_sync_sentence},
                             {"bits", table_of_each(bits, {"trained", "added last", "differs first"})}},
                 .gauges = {{"between", between_nodes}, {"kept", kept}, {"no_sync", sent_once}}});
  for (PredictionSpec& spec : lesson.predictions)  // a wrong formula is left out where it gives what is right
    for (WrongFormula& one : spec.wrong)
      one.value = [right = spec.formula, value = one.value](const Config& config) {
        return tells_apart(right(config), value(config)) ? value(config) : NAN;
      };
  return lesson;
}

}  // namespace ringside::lessons::hybrid
