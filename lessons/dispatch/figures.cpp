#include <algorithm>

#include "record.h"
#include "ringside/base/median.h"
#include "ringside/base/units.h"
#include "ringside/lesson/tr.h"

namespace ringside::dispatch_lesson {
namespace {

using namespace figure;

Value or_nothing(bool some, Value value) { return some ? value : Nothing{tr("This has not been run yet.")}; }

// What lies between two ways is what the upper one does.
Value shares(const FigureInput& in) {
  Bars bars{{"share of the call", "%"}, {}, {}};
  for (const SectionView* size : sections_with(in.trace, kElements)) {
    BarRow row{size->name(), {}};
    std::vector<double> ns;
    std::vector<BarPart> parts;
    for (const auto& [way, part] :
         std::vector<std::pair<const char*, BarPart>>{{kPython, {tr("Python and its binding"), Ink::kText}},
                                                      {kCpp, {tr("finding the kernel"), Ink::kActivations}},
                                                      {kAutograd, {tr("autograd's kernel"), Ink::kOptimizer}},
                                                      {kCpu, {tr("making the result"), Ink::kParameters}},
                                                      {kOut, {tr("checks, iterator"), Ink::kOther}},
                                                      {kLoop, {tr("the addition"), Ink::kGradients}}})
      if (const auto all = times(in.trace, *size, way); !all.empty())
        ns.push_back(median(all)), parts.push_back(part);
    if (ns.empty()) continue;
    for (size_t i = ns.size() - 1; i-- > 0;) ns[i] = std::max(ns[i], ns[i + 1]);  // noise is no saving
    for (size_t i = 0; i < ns.size(); ++i)
      row.values.push_back(100 * (ns[i] - (i + 1 < ns.size() ? ns[i + 1] : 0)) / ns[0]);
    row.word =
        tr("{} a call, {} to add", format_duration(ns.front() * 1e-9), format_duration(ns.back() * 1e-9));
    bars.parts = parts;
    bars.rows.push_back(row);
  }
  return or_nothing(!bars.rows.empty(), bars);
}

// The stations of the call, and the one at which the playhead stands.
Value path(const FigureInput& in) {
  Graph graph;
  const auto spans = in.section == nullptr ? EventRange<SpanEvent>() : in.section->spans(0);
  for (const SpanEvent& span : spans) {
    Node node{in.trace.name(span.unit),
              {},
              Ink::kParameters,
              span.start_ns <= in.time_ns && in.time_ns <= span.end_ns};
    for (const Seen& key : seen(in.trace, in.section->name(), "key"))
      if (key.name == node.text) node.detail = key.detail;
    for (const Seen& built : seen(in.trace, in.section->name(), "iterator"))
      if (node.text == "TensorIterator") node.detail = built.name + " " + built.detail;
    if (node.detail == kFallsThrough) node.ink = Ink::kDim;
    if (!graph.nodes.empty()) graph.edges.push_back({graph.nodes.size() - 1, graph.nodes.size()});
    graph.nodes.push_back(node);
  }
  return or_nothing(!graph.nodes.empty(), graph);
}

Value stack(const FigureInput& in) {
  Listing listing;
  if (in.section != nullptr)
    for (const Seen& frame : seen(in.trace, in.section->name(), "frame"))
      listing.lines.push_back({frame.name, frame.detail});
  return or_nothing(!listing.lines.empty(), listing);
}

Value compared(const FigureInput& in) {
  Table table{{{"call"},
               {"first kernel"},
               {"operators", "", true},
               {"memory"},
               {"result"},
               {"node"},
               {"strides, bytes"}},
              {}};
  for (const SectionView* call : sections_with(in.trace, kWords)) {
    const auto in_words = [&](const char* kind, auto member) {
      std::string words;
      for (const Seen& row : seen(in.trace, call->name(), kind))
        words += (words.empty() ? "" : " + ") + row.*member;
      return TableCell{words};
    };
    const size_t operators = seen(in.trace, call->name(), "operator").size();
    table.rows.push_back({{call->text(kWords)},
                          {first_kernel(in.trace, call->name())},
                          {std::to_string(operators), static_cast<double>(operators)},
                          in_words("memory", &Seen::name),
                          in_words("result", &Seen::name),
                          in_words("node", &Seen::name),
                          in_words("iterator", &Seen::detail)});
    if (call == in.section) table.lit.push_back(table.rows.size() - 1);
  }
  return or_nothing(!table.rows.empty(), table);
}

}  // namespace

std::vector<const SectionView*> sections_with(const Trace& trace, const char* attribute) {
  std::vector<const SectionView*> found;
  for (const SectionView& section : trace.sections())
    if (section.has(attribute)) found.push_back(&section);
  return found;
}

std::vector<Seen> seen(const Trace& trace, std::string_view call, std::string_view kind) {
  const SectionView* section = trace.find(call);
  std::vector<Seen> rows = section == nullptr ? std::vector<Seen>() : rows_as<Seen>(*section);
  std::erase_if(rows, [&](const Seen& row) { return row.kind != kind; });
  return rows;
}

std::string first_kernel(const Trace& trace, std::string_view call) {
  for (const Seen& key : seen(trace, call, "key"))
    if (key.detail != kFallsThrough) return key.name;
  return "";
}

std::vector<double> times(const Trace& trace, const SectionView& size, std::string_view way) {
  std::vector<double> ns;
  for (const ScalarEvent& one : size.scalars(0))
    if (trace.name(one.name) == way) ns.push_back(one.value);
  return ns;
}

std::vector<FigureSpec> figures() {
  const auto of_call = [](const FigureInput& in) {
    return in.section == nullptr || !in.section->has(kWords)
               ? ""
               : tr("The stations of {}.", in.section->text(kWords));
  };
  return {
      {.id = "share",
       .title = tr("Where the time of one a + b goes, by the number of elements"),
       .value = shares,
       .answers = {"share"}},
      {.id = "path",
       .title = tr("The stations of a call"),
       .value = path,
       .sentence = of_call,
       .follows_playhead = true,
       .answers = {"first", "order"}},
      {.id = "calls",
       .title = tr("What changes with the call"),
       .value = compared,
       .answers = {"first", "operators"}},
      {.id = "stack",
       .title = tr("Who asks for the first memory: the stack, outermost first"),
       .value = stack,
       .answers = {"order"}},
  };
}

}  // namespace ringside::dispatch_lesson
