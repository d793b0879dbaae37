#include <algorithm>
#include <cmath>

#include "ringside/base/units.h"
#include "ringside/lesson/tr.h"
#include "rows.h"

namespace ringside::softmax_graph {
namespace {

using namespace figure;

const Nothing kNoGraph{tr("No graph has been built.")};

// Whose graph is walked through at this instant, or was last; "" before the first.
std::string program_at(const FigureInput& input) {
  std::string program;
  const SectionView* section = input.trace.find(kGraphs);
  for (const char* each : kPrograms)
    for (const RowEvent* row :
         section == nullptr ? std::vector<const RowEvent*>() : section->rows_of(NodeRow::kTable))
      if (row->time_ns <= input.time_ns && row->text("program") == each) program = each;
  return program;
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
  if (graph.nodes.empty()) return kNoGraph;
  return graph;
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
  if (bars.rows.empty()) return kNoGraph;
  return bars;
}

// Decimal digits that are right, at most as many as the number format has.
Value digits(const FigureInput& input) {
  Lines lines{{tr("spread of the logits")}, {tr("right digits of log p"), "", false, 0.0}, {}};
  for (const bool fused : {true, false}) {
    Line least{fused ? tr("least, log_softmax") : tr("least, log(softmax)"),
               hue(fused ? 3 : 0),
               Stroke::kMeasured,
               {}};
    Line greatest{fused ? tr("greatest, log_softmax") : tr("greatest, log(softmax)"),
                  hue(fused ? 1 : 2),
                  Stroke::kMeasured,
                  {}};
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
  if (lines.lines.empty()) return Nothing{tr("No spread has been tried.")};
  return lines;
}

Value differences(const FigureInput& input) {
  Table table{{{""}, {"nn::Softmax"}, {"softmax()"}}, {}};
  if (const SectionView* section = input.trace.find(kGraphs))
    for (const RowEvent* row : section->rows_of(kDifferences))
      table.rows.push_back({{row->text("what")}, {row->text("module")}, {row->text("function")}});
  if (table.rows.empty()) return kNoGraph;
  return table;
}

FigureSpec spec(std::string id, std::string title, Value (*value)(const FigureInput&),
                std::vector<std::string> answers) {
  return {.id = std::move(id), .title = std::move(title), .value = value, .answers = std::move(answers)};
}

}  // namespace

std::vector<NodeRow> nodes_of(const Trace& trace, const std::string& program) {
  const SectionView* section = trace.find(kGraphs);
  std::vector<NodeRow> nodes = section == nullptr ? std::vector<NodeRow>() : rows_as<NodeRow>(*section);
  std::erase_if(nodes, [&](const NodeRow& node) { return node.program != program; });
  return nodes;
}

std::vector<DigitsRow> digits_of(const Trace& trace, bool fused) {
  const SectionView* section = trace.find(kDigits);
  std::vector<DigitsRow> digits =
      section == nullptr ? std::vector<DigitsRow>() : rows_as<DigitsRow>(*section);
  std::erase_if(digits, [&](const DigitsRow& row) { return row.fused != fused; });
  return digits;
}

std::optional<double> infinite_from(const Trace& trace) {
  for (const DigitsRow& row : digits_of(trace, false))
    if (row.infinite) return row.spread;
  return std::nullopt;
}

std::vector<FigureSpec> figures() {
  FigureSpec first = spec("graphs", tr("Nodes from x to the result, and what each keeps"), graphs,
                          {"added_nodes", "kept_by_softmax"});
  first.section = kGraphs;
  first.follows_playhead = true;
  return {first, spec("kept", tr("How much does each graph keep for backward?"), kept, {"kept_under_a_loss"}),
          spec("digits", tr("How many digits of log p are right?"), digits, {"infinite_from"}),
          spec("differs", tr("What does differ?"), differences, {})};
}

std::vector<Readout> readouts(const FigureInput& input) {
  const std::string program = program_at(input);
  if (program.empty()) return {};
  return {{tr("result"), program}, {tr("nodes"), std::to_string(nodes_of(input.trace, program).size())}};
}

}  // namespace ringside::softmax_graph
