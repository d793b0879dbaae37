#include <algorithm>
#include <cmath>

#include "ringside/base/units.h"
#include "ringside/lesson/figure_forms.h"
#include "ringside/lesson/tr.h"
#include "rows.h"

namespace ringside::softmax_graph {
namespace {

using namespace figure;

const std::string kNoGraph = tr("No graph has been built.");

// Whose graph is walked through at this instant, or was last; "" before the first.
std::string program_at(const FigureInput& input) {
  const auto until = rows_in<NodeRow>(input.trace.find(kGraphs), input.time_ns);
  return until.empty() ? "" : until.back().program;
}

// Each program's chain from x to its result, as forward goes. Backward goes against it.
Value graphs(const FigureInput& input) {
  Graph graph;
  for (const char* program : kPrograms) {
    const std::vector<NodeRow> nodes = nodes_of(input.trace, program);
    const bool lit = program_at(input) == program;
    for (const NodeRow& node : nodes) {
      std::string keeps = tr("keeps nothing");
      if (node.saved_bytes > 0) keeps = tr("keeps {}, kept already", node.saved);
      if (node.new_bytes > 0)
        keeps = tr("keeps {}: {} more", node.saved, format_bytes(static_cast<double>(node.new_bytes)));
      graph.nodes.push_back({node.node, keeps, node.new_bytes > 0 ? Ink::kActivations : Ink::kOther, lit});
      graph.edges.push_back({graph.nodes.size() - 1, graph.nodes.size()});
    }
    if (!nodes.empty()) graph.nodes.push_back({program, "", Ink::kText, lit});
  }
  return or_nothing(graph, kNoGraph);
}

// The graphs of module and function, node by node.
std::string graphs_sentence(const FigureInput& input) {
  const std::vector<NodeRow> module = nodes_of(input.trace, kModule),
                             function = nodes_of(input.trace, kFunction);
  if (module.empty() || function.empty()) return "";
  const auto same = [](const NodeRow& a, const NodeRow& b) {
    return a.node == b.node && a.saved_bytes == b.saved_bytes;
  };
  if (!std::equal(module.begin(), module.end(), function.begin(), function.end(), same))
    return tr("The module leaves {} nodes on the graph, the function {}.", module.size(), function.size());
  return tr("The module and the function leave the same {} nodes on the graph.", module.size());
}

Value kept(const FigureInput& input) {
  Bars bars;
  bars.value = {tr("kept for backward"), "bytes"};
  bars.parts = {{tr("in a memory of its own"), Ink::kActivations},
                {tr("the same memory once more"), Ink::kOther}};
  for (const char* program : kPrograms) {
    double own = 0, again = 0;
    for (const NodeRow& node : nodes_of(input.trace, program)) {
      own += static_cast<double>(node.new_bytes);
      again += static_cast<double>(node.saved_bytes - node.new_bytes);
    }
    if (own > 0) bars.rows.push_back({program, {own, again}, tr("{} held", format_bytes(own))});
  }
  return or_nothing(bars, kNoGraph);
}

// Decimal digits that are right, at most as many as the number format has.
Value digits(const FigureInput& input) {
  Lines lines{{tr("spread of the logits")}, {tr("right digits of log p"), "", false, 0.0}, {}};
  for (const bool fused : {true, false}) {
    const std::string of = fused ? "log_softmax" : "log(softmax)";
    Line least{tr("least, {}", of), hue(fused ? 3 : 0), Stroke::kMeasured, {}};
    Line greatest{tr("greatest, {}", of), hue(fused ? 1 : 2), Stroke::kMeasured, {}};
    for (const DigitsRow& row : digits_of(input.trace, fused)) {
      const auto right = [&](double error) {
        return std::clamp(-std::log10(std::max(error, 1e-99)), 0.0, row.digits);
      };
      least.points.push_back({row.spread, row.infinite ? 0 : right(row.least)});
      greatest.points.push_back({row.spread, right(row.greatest)});
    }
    if (!least.points.empty()) lines.lines.insert(lines.lines.end(), {least, greatest});
  }
  if (const auto from = infinite_from(input.trace)) lines.marks = {{tr("log(softmax) is -inf"), *from}};
  return or_nothing(lines, tr("No spread has been tried."));
}

Value differences(const FigureInput& input) {
  return or_nothing(table_of_rows(input.trace, kDifferences), kNoGraph);
}

}  // namespace

std::vector<NodeRow> nodes_of(const Trace& trace, const std::string& program) {
  return rows_where<NodeRow>(trace, [&](const NodeRow& node) { return node.program == program; });
}

std::vector<DigitsRow> digits_of(const Trace& trace, bool fused) {
  return rows_where<DigitsRow>(trace, [&](const DigitsRow& row) { return row.fused == fused; });
}

std::optional<double> infinite_from(const Trace& trace) {
  for (const DigitsRow& row : digits_of(trace, false))
    if (row.infinite) return row.spread;
  return std::nullopt;
}

std::vector<FigureSpec> figures() {
  FigureSpec first = figure_of_instant("graphs", tr("Nodes from x to the result, and what each keeps"),
                                       graphs, graphs_sentence, {"added_nodes", "kept_by_softmax"});
  first.section = kGraphs;
  return with_tabs(
      {first,
       figure_of_run("kept", tr("How much does each graph keep for backward?"), kept,
                     {"added_nodes", "kept_by_softmax", "kept_under_a_loss"}),
       figure_of_run("digits", tr("How many digits of log p are right?"), digits, {"infinite_from"}),
       figure_of_run("differs", tr("What does differ?"), differences)},
      {tr("graphs"), tr("kept"), tr("digits"), tr("differences")});
}

std::vector<Readout> readouts(const FigureInput& input) {
  const std::string program = program_at(input);
  if (program.empty()) return {};
  return {{tr("result"), program}, {tr("nodes"), std::to_string(nodes_of(input.trace, program).size())}};
}

}  // namespace ringside::softmax_graph
