// A lesson of one thread without a panel, for the tests of the room: good figures, and such as a stranger
// writes.
#include <chrono>
#include <stdexcept>
#include <thread>

#include "ringside/base/error.h"
#include "ringside/lesson/lesson.h"
#include "ringside/lesson/tr.h"

namespace ringside::lessons::pictures {
namespace {

using namespace ringside::figure;

void run(const Config& config, const RunContext& context) {
  Recorder& recorder = *context.store.add_section("program", {}, 1)[0];
  for (int64_t line = 0; line < config.integer("lines"); ++line) {
    if (context.control.decide() == RunControl::Decision::kCancel) throw CancelledError();
    const int64_t began_ns = recorder.now();
    std::this_thread::sleep_for(std::chrono::milliseconds(config.integer("ms")));
    recorder.scalar("value", line, static_cast<double>(line * line));
    recorder.span("count", began_ns, recorder.now(), line);
    recorder.span("line", began_ns, recorder.now(), line);
    context.progress({"counting", line + 1, config.integer("lines")});
  }
}

// Of the program that ended so far: line and value.
std::vector<Point> values(const Trace& trace) {
  std::vector<Point> points;
  const SectionView* section = trace.find("program");
  if (section == nullptr) return points;
  for (const ScalarEvent& event : section->scalars(0))
    points.push_back({static_cast<double>(event.step), event.value});
  return points;
}

Value squares(const FigureInput& input) {
  auto points = values(input.trace);
  if (points.empty()) return Nothing{"No line has run."};
  return Lines{{.name = "line"}, {.name = "value"}, {{"value", Ink::kParameters, Stroke::kMeasured, points}}};
}

int64_t line_at(const FigureInput& input) {
  int64_t line = -1;
  if (input.section == nullptr || input.section->ranks() == 0) return line;
  for (const SpanEvent& span : input.section->spans(0))
    if (span.start_ns <= input.time_ns) line = std::max(line, span.step);
  return line;
}

Value lines_so_far(const FigureInput& input) {
  Table table{{{"line", "", true}, {"value", "", true}}, {}, {}};
  for (const Point& point : values(input.trace))
    table.rows.push_back({{tr("{}", point.x), point.x}, {tr("{}", point.y), point.y}});
  if (table.rows.empty() || input.section == nullptr) return Nothing{"No line has run."};
  if (const int64_t line = line_at(input); line >= 0) table.lit = {static_cast<size_t>(line)};
  return table;
}

std::vector<FigureSpec> figures() {
  FigureSpec throwing{"throws", "one that throws", [](const FigureInput&) -> Value {
                        throw std::runtime_error("planted in the function");
                      }};
  throwing.group = "mistakes";
  FigureSpec unfit{"unfit", "one that is NaN", [](const FigureInput&) -> Value {
                     return Bars{{.name = "value"}, {{"part"}}, {{"row", {kNone}}, {"other", {}}}};
                   }};
  unfit.group = "mistakes";
  return {{.id = "squares",
           .title = "squares of the lines",
           .value = squares,
           .sentence = [](const FigureInput& input) { return tr("Line {} runs.", line_at(input)); },
           .answers = {"last"},
           .group = "values",
           .matters = {"program"}},
          {.id = "so_far",
           .title = "lines so far",
           .value = lines_so_far,
           .follows_playhead = true,
           .group = "values",
           .matters = {"program::line"}},
          throwing,
          unfit};
}

}  // namespace

Lesson make_lesson() {
  Lesson lesson;
  lesson.parameters = {{"lines", "lines of the program", "", ParameterKind::kInteger, "4", 1, 1e6},
                       {"ms", "that a line takes", "ms", ParameterKind::kInteger, "1", 0, 1000}};
  const auto last = [](const Config& config) {
    const double line = config.real("lines") - 1;
    return line * line;
  };
  lesson.predictions = {
      {"last", "What is the last value?", "", last, {}, [](const Trace& trace) -> std::optional<double> {
         const auto points = values(trace);
         return points.empty() ? std::nullopt : std::optional(points.back().y);
       }}};
  lesson.predictions[0].figure = "so_far";
  lesson.figures = figures();
  lesson.readouts = [](const FigureInput& input) -> std::vector<Readout> {
    return {{"line", tr("{}", line_at(input))}, {"lines that ended", tr("{}", values(input.trace).size())}};
  };
  lesson.words = {.starting = "The program starts.",
                  .watch = "Now watch what the program does.",
                  .x_axis = "line",
                  .step = "line"};
  lesson.run = run;
  return lesson;
}

}  // namespace ringside::lessons::pictures
