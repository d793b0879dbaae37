// Bytes inside and between nodes; who sends to whom; memory against bytes; a slow link; no_sync; bits.
#include <algorithm>

#include "parts.h"
#include "ringside/ledger/ledger.h"
#include "ringside/lesson/figure_forms.h"
#include "ringside/lesson/rows.h"
#include "ringside/lesson/tr.h"

namespace ringside::hybrid_lesson {
namespace {

using namespace figure;

const std::string kNotRun = tr("It has not run.");

struct Scheme {
  std::string name;
  Sent sent;
  double bytes = 0;  // of state, a rank and parameter
};

// One for each number of replicas that has run.
std::vector<Scheme> schemes(const Trace& trace) {
  std::vector<Scheme> all;
  for (int64_t replicas = 1; replicas <= 8; ++replicas) {
    const auto sent = sent_over_links(trace, replicas);
    const auto bytes = bytes_at(trace, section_of(replicas), kAfterStep);
    if (sent && bytes) all.push_back({section_of(replicas), *sent, *bytes});
  }
  return all;
}

// Ranks of a node.
double of_node(const Trace& trace, const Sent& sent) {
  return static_cast<double>(sent.by_link.size()) /
         static_cast<double>(std::max<int64_t>(1, nodes_of(trace)));
}

Value crossing(const FigureInput& input) {
  Bars bars{{tr("sent by a rank in a step"), "Ψ"},
            {{tr("inside its node"), Ink::kParameters}, {tr("to another node"), Ink::kGradients}},
            {}};
  for (const auto& [name, sent, bytes] : schemes(input.trace))
    bars.rows.push_back({name, {sent.inside, sent.between}, tr("keeps {:.2f} B a parameter", bytes)});
  return or_nothing(bars, kNotRun);
}

std::string crossing_sentence(const FigureInput& input) {
  const auto plain = sent_over_links(input.trace, 1),
             hybrid = sent_over_links(input.trace, nodes_of(input.trace));
  const auto kept = bytes_at(input.trace, section_of(1), kAfterStep),
             keeps = bytes_at(input.trace, section_of(nodes_of(input.trace)), kAfterStep);
  if (!plain || !hybrid || !kept || !keeps || hybrid->between == 0) return "";
  const double ranks = of_node(input.trace, *plain);
  return tr("HSDP: a node sends out {:.2f} Ψ a step instead of {:.2f}, for {:.2g} times the memory.",
            ranks * hybrid->between, ranks * plain->between, *keeps / *kept);
}

Value links(const FigureInput& input, int64_t replicas) {
  const auto sent = sent_over_links(input.trace, replicas);
  if (!sent) return Nothing{kNotRun};
  Matrix matrix{tr("from"), tr("to"), "Ψ", {}, {}, {}};
  const auto node = static_cast<size_t>(of_node(input.trace, *sent));
  for (size_t rank = 0; rank < sent->by_link.size(); ++rank)
    matrix.rows.push_back(tr("rank {}, node {}", rank, rank / std::max<size_t>(1, node)));
  for (size_t rank = 0; rank < sent->by_link.size(); ++rank) matrix.columns.push_back(tr("rank {}", rank));
  for (const auto& row : sent->by_link)
    for (const double elements : row)
      matrix.cells.push_back(elements > 0 ? MatrixCell{MatrixCell::State::kValue, elements} : MatrixCell{});
  return matrix;
}
Value links_of_plain(const FigureInput& input) { return links(input, 1); }
Value links_of_hybrid(const FigureInput& input) { return links(input, nodes_of(input.trace)); }

Value trade(const FigureInput& input) {
  Lines all{{tr("state of a rank, bytes a parameter")}, {tr("sent out of a node in a step"), "Ψ"}, {}};
  for (const auto& [name, sent, bytes] : schemes(input.trace)) {
    all.lines.push_back(
        {name, hue(all.lines.size()), Stroke::kDots, {{bytes, of_node(input.trace, sent) * sent.between}}});
  }
  return or_nothing(all, kNotRun);
}

// By the link model: bytes / bandwidth. A ring is as fast as its slowest link; nothing is hidden.
Value slow_link(const FigureInput& input) {
  const auto plain = sent_over_links(input.trace, 1),
             hybrid = sent_over_links(input.trace, nodes_of(input.trace));
  if (!plain || !hybrid) return Nothing{kNotRun};
  Lines all{{tr("times slower between nodes than inside"), "", true},
            {tr("time, in Ψ over the link inside a node"), "", true},
            {{tr("stage 3, calculated"), Ink::kGradients, Stroke::kFormula, {}},
             {tr("HSDP, calculated"), Ink::kParameters, Stroke::kFormula, {}}}};
  for (const double slower : {1.0, 2.0, 5.0, 10.0, 20.0, 50.0, 100.0}) {
    all.lines[0].points.push_back({slower, slower * (plain->inside + plain->between)});
    all.lines[1].points.push_back({slower, hybrid->inside + slower * hybrid->between});
  }
  return all;
}

Value no_sync(const FigureInput& input) {
  Table table{{{tr("reduced")},
               {tr("sent in a step"), "Ψ", true},
               {tr("gradients in between"), "B", true},
               {tr("at the end"), "B", true}},
              {}};
  const auto cell = [](std::optional<double> value) {
    return value ? TableCell{tr("{:.2f}", *value), *value} : TableCell{};
  };
  for (const char* name : {kSynced, kNoSync}) {
    const auto end = bytes_at(input.trace, name, kStepEntry, "gradients");
    const auto between = bytes_at(input.trace, name, kBetweenMicroBatches, "gradients");
    if (end)
      table.rows.push_back({{name == kSynced ? tr("each time") : tr("once: no_sync")},
                            cell(sent(input.trace, name)),
                            cell(between ? between : end),
                            cell(end)});
  }
  return or_nothing(table, kNotRun);
}

std::string no_sync_sentence(const FigureInput& input) {
  const SectionView* section = input.trace.find(kNoSync);
  return section == nullptr ? ""
                            : tr("Stage 3, {} micro-batches a step; bytes a parameter of the model.",
                                 section->integer("accumulate"));
}

Value bits(const FigureInput& input) {
  Table table{{{tr("trained")}, {tr("added last")}, {tr("differs first")}}, {}};
  for (const BitRow& row : rows_in<BitRow>(input.trace))
    table.rows.push_back(
        {{row.run},
         {row.last},
         {row.tensor.empty() ? tr("nowhere") : tr("step {}, {} ulp, {}", row.step, row.ulps, row.tensor)}});
  return or_nothing(table, kNotRun);
}

}  // namespace

std::vector<FigureSpec> figures() {
  FigureSpec first =
      figure_of_run("crossing", tr("Sent inside nodes and between them, by number of replicas"), crossing,
                    {"between", "memory"});
  first.sentence = crossing_sentence;
  FigureSpec once = figure_of_run(
      "no_sync", tr("no_sync: gradients are reduced once, and kept whole until then"), no_sync, {"no_sync"});
  once.sentence = no_sync_sentence;
  return with_tabs(
      {first,
       figure_of_run("ring", tr("Stage 3: what each rank sends to whom in a step, as a ring"), links_of_plain,
                     {"between"}),
       figure_of_run("rings", tr("HSDP: what each rank sends to whom in a step, as rings"), links_of_hybrid,
                     {"between"}),
       figure_of_run("trade", tr("What a node sends, against what a rank keeps"), trade,
                     {"between", "memory"}),
       figure_of_run("slow", tr("Time of a step's communication where the link between nodes is slower"),
                     slow_link, {"between"}),
       once,
       figure_of_run("bits", tr("fp32 trainings against one process that adds in the same order, or not"),
                     bits)},
      {tr("crossing"), tr("stage 3"), tr("HSDP"), tr("trade"), tr("slow link"), tr("no_sync"), tr("bits")});
}

std::vector<Gauge> gauges() {
  return {
      {tr("sent to another node"), "Ψ",
       [](const FigureInput& input) -> std::optional<double> {
         const auto sent = sent_over_links(input.trace, nodes_of(input.trace));
         return sent ? std::optional(sent->between) : std::nullopt;
       }},
      {tr("kept"), tr("B a parameter"),
       [](const FigureInput& input) {
         return bytes_at(input.trace, section_of(nodes_of(input.trace)), kAfterStep);
       }},
      {tr("sent with no_sync"), "Ψ", [](const FigureInput& input) { return sent(input.trace, kNoSync); }}};
}

}  // namespace ringside::hybrid_lesson
