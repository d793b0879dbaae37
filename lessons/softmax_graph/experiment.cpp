// What nn::Softmax adds to the function (nothing to the graph), and what log_softmax saves.
#include "embedded.h"
#include "rows.h"

namespace ringside::lessons::softmax_graph {
namespace {

using namespace figure;

std::vector<NodeRow> nodes_of(const Trace& trace, const std::string& program) {
  return needed(rows_of<NodeRow>(trace, program));
}

double added_nodes(const Trace& trace) {
  return double(nodes_of(trace, kModule).size()) - double(nodes_of(trace, kFunction).size());
}

int kept_by_softmax(const Trace& trace) {  // of the options
  for (const NodeRow& node : nodes_of(trace, kFunction))
    if (!node.saved.empty()) return node.keeps_x ? 0 : 1;
  return -1;
}

bool same_nodes(const Trace& trace) {
  return std::ranges::equal(nodes_of(trace, kModule), nodes_of(trace, kFunction), [](auto& a, auto& b) {
    return a.node == b.node && a.saved == b.saved && a.saved_bytes == b.saved_bytes;
  });
}

ClaimResult same_graph(const Trace& trace) {
  const auto module = nodes_of(trace, kModule), function = nodes_of(trace, kFunction);
  return judged(same_nodes(trace), module.size(), function.size(),
                fmt::format("{}", fmt::join(values_of(module, &NodeRow::node), ", ")));
}

ClaimResult dtype_adds_a_node(const Trace& trace) {
  const size_t typed = nodes_of(trace, kTyped).size(), function = nodes_of(trace, kFunction).size();
  return judged(typed > function, typed, function);
}

// The worst relative errors.
ClaimResult fused_keeps_digits(const Trace& trace) {
  const auto fused = needed(rows_of<DigitsRow>(trace, true)), lost = rows_of<DigitsRow>(trace, false, true);
  const double least = std::ranges::max(fused, {}, &DigitsRow::least).least,
               greatest = std::ranges::max(fused, {}, &DigitsRow::greatest).greatest;
  return judged(least > 1e-3 ? Verdict::kFails : both(true, greatest < 1e-3), least, greatest,
                lost.empty() ? "" : tr("; log(softmax) is -inf from a spread of {:.0f} on", lost[0].spread));
}

// At a scenario: that many times log 2, by the precision. NaN: nothing of it can be believed there.
ByScenario logs_of_2(double in_fp32, double in_fp64) {
  return [=](const Config& config) {
    return (config.text("precision") == "fp32" ? in_fp32 : in_fp64) * std::log(2.0);
  };
}

// ---- Figures ----------------------------------------------------------------------

// Whose graph is walked through at this instant, or was last; none before the first. Behind the last node the
// two that are compared.
Words lit_at(const FigureInput& input) {
  const SectionView* section = input.trace.find(kGraphs);
  const auto seen = rows_in<NodeRow>(section, input.time_ns);
  if (seen.empty()) return {};
  const bool is_through = seen.back().program == kComposed && seen.size() == rows_in<NodeRow>(section).size();
  return is_through ? Words{kModule, kFunction} : Words{seen.back().program};
}

// Each program's chain from x to its result, as forward goes. Backward goes against it.
Value graphs(const FigureInput& input) {
  Graph graph;
  const Words all_lit = lit_at(input);
  for (const char* program : kPrograms) {
    const std::vector<NodeRow> nodes = rows_of<NodeRow>(input.trace, program);
    const bool lit = std::ranges::count(all_lit, program) > 0;
    for (const NodeRow& node : nodes) {
      const std::string keeps =
          node.new_bytes > 0     ? tr("keeps {}: {} more", node.saved, format_bytes(double(node.new_bytes)))
          : node.saved_bytes > 0 ? tr("keeps {}, kept already", node.saved)
                                 : tr("keeps nothing");
      graph.nodes.push_back({node.node, keeps, node.new_bytes > 0 ? Ink::kActivations : Ink::kOther, lit});
      graph.edges.push_back({graph.nodes.size() - 1, graph.nodes.size()});
    }
    if (!nodes.empty()) graph.nodes.push_back({program, "", Ink::kText, lit});
  }
  return graph;
}

// The graphs of module and function, node by node.
std::string graphs_sentence(const FigureInput& input) {
  const size_t module = nodes_of(input.trace, kModule).size(),
               function = nodes_of(input.trace, kFunction).size();
  if (!same_nodes(input.trace))
    return tr("The module leaves {} nodes on the graph, the function {}.", module, function);
  return tr("The module and the function leave the same {} nodes on the graph.", module);
}

// Decimal digits that are right, at most as many as the number format has.
Value digits(const FigureInput& input) {
  Lines lines{{tr("spread of the logits")}, {tr("right digits of log p"), "", false, 0.0}, {}};
  const auto add = [&](const std::string& name, Ink ink, bool fused, double DigitsRow::*error) {
    const auto right = [error](const DigitsRow& row) {
      return std::clamp(-std::log10(std::max(row.*error, 1e-99)), 0.0, row.digits);
    };
    const auto rows = needed(rows_of<DigitsRow>(input.trace, fused));
    lines.lines.push_back({name, ink, Stroke::kMeasured, points_of(rows, &DigitsRow::spread, right)});
  };
  add(tr("least, log_softmax"), hue(3), true, &DigitsRow::least);
  add(tr("greatest, log_softmax"), hue(1), true, &DigitsRow::greatest);
  add(tr("least, log(softmax)"), hue(0), false, &DigitsRow::least);
  add(tr("greatest, log(softmax)"), hue(2), false, &DigitsRow::greatest);
  const auto lost = rows_of<DigitsRow>(input.trace, false, true);
  if (!lost.empty()) lines.marks = {{tr("log(softmax) is -inf"), lost[0].spread}};
  return lines;
}

std::vector<Readout> readouts(const FigureInput& input) {
  const Words lit = lit_at(input);
  const auto nodes = [&](const std::string& of) { return std::to_string(nodes_of(input.trace, of).size()); };
  if (lit.size() == 1) return {{tr("result"), lit[0]}, {tr("nodes"), nodes(lit[0])}};
  if (lit.empty() || input.is_open("added_nodes")) return {};
  return {{tr("nodes, nn::Softmax"), nodes(kModule)}, {tr("nodes, softmax()"), nodes(kFunction)}};
}

}  // namespace

Lesson make_lesson() {
  return lesson_of(
      embedded("texts.inc"),
      {.run = run,
       .questions =
           {{"added_nodes", added_nodes},
            {"kept_by_softmax", kept_by_softmax},
            // log p is -inf where p rounds to 0: below half of the smallest number, 2^-149 or 2^-1074.
            {.id = "infinite_from",
             .right = logs_of_2(150, 1075),
             .wrong = {logs_of_2(128, NAN), logs_of_2(24, 53)}}},
       .claims = {{"same_node", same_graph}, {"dtype", dtype_adds_a_node}, {"digits", fused_keeps_digits}},
       .figures = {{"graphs", graphs, graphs_sentence}, {"digits", digits}},
       .readouts = readouts});
}

}  // namespace ringside::lessons::softmax_graph
