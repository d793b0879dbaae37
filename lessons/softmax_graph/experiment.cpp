// What nn::Softmax adds to the function (nothing to the graph), and what log_softmax saves.
#include "embedded.h"
#include "rows.h"

namespace ringside::lessons::softmax_graph {
namespace {

using namespace figure;

std::vector<NodeRow> nodes_of(const Trace& trace, const std::string& program) {
  return rows_of<NodeRow>(trace, program);
}

// The least spread where log(softmax) is -inf.
std::optional<double> infinite_from(const Trace& trace) {
  const auto rows = rows_of<DigitsRow>(trace, false, true);
  return rows.empty() ? std::nullopt : std::optional(rows.front().spread);
}

double added_nodes(const Trace& trace) {
  return double(nodes_of(trace, kModule).size()) - double(needed(nodes_of(trace, kFunction)).size());
}

// In sizes of x, what is still allocated.
double kept(const Trace& trace, const char* program) {
  const SectionView& section = needed(trace.find(kGraphs));
  return section.has(program) ? section.number(program) / section.number(kBytesOfX) : NAN;
}

// The option that is right.
int kept_by_softmax(const Trace& trace) {
  for (const NodeRow& node : nodes_of(trace, kFunction))
    if (!node.saved.empty()) return node.keeps_x ? 0 : 1;
  return -1;
}

// What a program's graph keeps for backward: in a storage of its own, or in one that is kept already.
struct Kept {
  double own = 0, again = 0;
};
Kept kept_by(const Trace& trace, const std::string& program) {
  Kept kept;
  for (const NodeRow& node : nodes_of(trace, program)) {
    kept.own += double(node.new_bytes);
    kept.again += double(node.saved_bytes - node.new_bytes);
  }
  return kept;
}
std::function<double(const Trace&)> kept_bytes(const char* program) {
  return [program](const Trace& trace) {
    const double own = kept_by(trace, program).own;
    return own > 0 ? own : NAN;
  };
}

bool same_nodes(const Trace& trace) {
  return std::ranges::equal(nodes_of(trace, kModule), nodes_of(trace, kFunction), [](auto& a, auto& b) {
    return a.node == b.node && a.saved == b.saved && a.saved_bytes == b.saved_bytes;
  });
}

ClaimResult same_graph(const Trace& trace) {
  const auto module = nodes_of(trace, kModule), function = needed(nodes_of(trace, kFunction));
  std::vector<std::string> names;
  for (const NodeRow& node : module) names.push_back(node.node);
  return judged(same_nodes(trace), module.size(), function.size(), fmt::format("{}", fmt::join(names, ", ")));
}

ClaimResult dtype_adds_a_node(const Trace& trace) {
  const size_t typed = needed(nodes_of(trace, kTyped)).size(), function = nodes_of(trace, kFunction).size();
  return judged(typed > function, typed, function);
}

ClaimResult fused_keeps_half(const Trace& trace) {
  const double fused = kept(trace, kFused), composed = needed(kept(trace, kComposed));
  return judged(fused < 0.6 * composed, fused, composed);
}

// The worst relative errors before anything is infinite.
ClaimResult fused_keeps_digits(const Trace& trace) {
  double least = 0, greatest = 0;
  bool infinite = false;
  for (const DigitsRow& row : rows_of<DigitsRow>(trace, true)) {
    least = std::max(least, row.least);
    greatest = std::max(greatest, row.greatest);
    infinite = infinite || row.infinite;
  }
  if (least == 0) return {};
  const auto from = infinite_from(trace);
  const bool fails = infinite || least > 1e-3;
  return judged(fails ? Verdict::kFails : both(true, greatest < 1e-3), least, greatest,
                from ? tr("; log(softmax) is -inf from a spread of {:.0f} on", *from) : "");
}

ClaimResult only_that_loss(const Trace& trace) {
  needed(infinite_from(trace));
  const int64_t most = std::ranges::max(rows_of<DigitsRow>(trace, false), {}, &DigitsRow::spoilt).spoilt;
  return judged(most == 0, most);
}

// At a scenario: that many times log 2, by the precision. NaN: nothing of it can be believed there.
ByScenario logs_of_2(double in_fp32, double in_fp64) {
  return [=](const Config& config) {
    return (config.text("precision") == "fp32" ? in_fp32 : in_fp64) * std::log(2.0);
  };
}

// ---- Figures ----------------------------------------------------------------------

// Whose graph is walked through at this instant, or was last; "" before the first.
std::string program_at(const FigureInput& input) {
  const auto row = last_row<NodeRow>(input.trace.find(kGraphs), input.time_ns);
  return row ? row->program : "";
}

// Behind the last node the two graphs are lit that are compared.
bool is_through(const FigureInput& input) {
  const SectionView* section = input.trace.find(kGraphs);
  return program_at(input) == kComposed &&
         rows_in<NodeRow>(section, input.time_ns).size() == rows_in<NodeRow>(section).size();
}
bool is_lit(const FigureInput& input, const std::string& program) {
  if (is_through(input)) return program == kModule || program == kFunction;
  return program == program_at(input);
}

// Each program's chain from x to its result, as forward goes. Backward goes against it.
Value graphs(const FigureInput& input) {
  Graph graph;
  for (const char* program : kPrograms) {
    const std::vector<NodeRow> nodes = nodes_of(input.trace, program);
    const bool lit = is_lit(input, program);
    for (const NodeRow& node : nodes) {
      std::string keeps = tr("keeps nothing");
      if (node.saved_bytes > 0) keeps = tr("keeps {}, kept already", node.saved);
      if (node.new_bytes > 0)
        keeps = tr("keeps {}: {} more", node.saved, format_bytes(double(node.new_bytes)));
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
               function = needed(nodes_of(input.trace, kFunction)).size();
  if (!same_nodes(input.trace))
    return tr("The module leaves {} nodes on the graph, the function {}.", module, function);
  return tr("The module and the function leave the same {} nodes on the graph.", module);
}

Value kept_by_each(const FigureInput& input) {
  Bars bars{
      {tr("kept for backward"), "bytes"},
      {{tr("in a memory of its own"), Ink::kActivations}, {tr("the same memory once more"), Ink::kOther}},
      {}};
  for (const char* program : kPrograms) {
    const auto [own, again] = kept_by(input.trace, program);
    if (own > 0) bars.rows.push_back({program, {own, again}, tr("{} held", format_bytes(own))});
  }
  return bars;
}

// Decimal digits that are right, at most as many as the number format has.
Value digits(const FigureInput& input) {
  Lines lines{{tr("spread of the logits")}, {tr("right digits of log p"), "", false, 0.0}, {}};
  const auto right = [](double DigitsRow::*error) {
    return [error](const DigitsRow& row) {
      return std::clamp(-std::log10(std::max(row.*error, 1e-99)), 0.0, row.digits);
    };
  };
  for (const bool fused : {true, false}) {
    const auto rows = rows_of<DigitsRow>(input.trace, fused);
    const auto least = [&](const DigitsRow& row) { return row.infinite ? 0 : right(&DigitsRow::least)(row); };
    const std::string of = fused ? "log_softmax" : "log(softmax)";
    if (rows.empty()) continue;
    lines.lines.push_back({tr("least, {}", of), hue(fused ? 3 : 0), Stroke::kMeasured,
                           points_of(rows, &DigitsRow::spread, least)});
    lines.lines.push_back({tr("greatest, {}", of), hue(fused ? 1 : 2), Stroke::kMeasured,
                           points_of(rows, &DigitsRow::spread, right(&DigitsRow::greatest))});
  }
  if (const auto from = infinite_from(input.trace)) lines.marks = {{tr("log(softmax) is -inf"), *from}};
  return lines;
}

std::vector<Readout> readouts(const FigureInput& input) {
  const std::string program = program_at(input);
  if (program.empty()) return {};
  const auto nodes = [&](const std::string& of) { return std::to_string(nodes_of(input.trace, of).size()); };
  if (!is_through(input)) return {{tr("result"), program}, {tr("nodes"), nodes(program)}};
  if (input.is_open("added_nodes")) return {};
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
            {"kept_under_a_loss", [](const Trace& trace) { return kept(trace, kComposed); }},
            // log p is -inf where p rounds to 0: below half of the smallest number, 2^-149 or 2^-1074.
            {"infinite_from", infinite_from, logs_of_2(150, 1075), {logs_of_2(128, NAN), logs_of_2(24, 53)}}},
       .claims = {{"same_node", same_graph},
                  {"dtype", dtype_adds_a_node},
                  {"kept", fused_keeps_half},
                  {"digits", fused_keeps_digits},
                  {"gradient", only_that_loss}},
       .figures = {{"graphs", graphs, graphs_sentence}, {"kept", kept_by_each}, {"digits", digits}},
       .gauges = {{"fused", kept_bytes(kFused)},
                  {"composed", kept_bytes(kComposed)},
                  {"infinite_from", infinite_from}},
       .readouts = readouts});
}

}  // namespace ringside::lessons::softmax_graph
