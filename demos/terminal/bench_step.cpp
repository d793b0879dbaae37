// `ringside bench step`: steps of two scenario lines in turns, and the median of their ratios.
#include <fmt/format.h>

#include <iostream>

#include "build_info.h"
#include "commands.h"
#include "interrupt.h"
#include "progress_line.h"
#include "ringside/base/median.h"
#include "ringside/base/ratio.h"
#include "ringside/base/text.h"
#include "ringside/base/threads.h"
#include "ringside/base/units.h"
#include "ringside/lesson/front_matter.h"
#include "ringside/lesson/modules.h"
#include "ringside/lesson/suggest.h"
#include "ringside/session/step_bench.h"
#include "run_json.h"
#include "terminal.h"

namespace ringside {
namespace {

struct Line {
  Config config;
  const Lesson* lesson;
};

// Of those that are built.
std::string timed_lessons() {
  std::vector<std::string> names;
  for (const FrontMatter& matter : lesson_catalogue())
    if (build_of(matter.id) == Build::kReady && find_lesson(matter.id).step_timer) names.push_back(matter.id);
  return names.empty() ? "none" : join(names);
}

Line read_line(const std::string& text) {
  std::vector<std::string> words = split_scenario(text);
  if (words.empty() || words.front().find('=') != std::string::npos)
    throw UsageError("bench step: '" + text +
                     "' names no lesson; a scenario line is one argument, in quotes: \"zero stage=3\"");
  const Lesson& lesson = find_lesson(words.front());
  words.erase(words.begin());
  Config config = Config::parse(lesson.id, lesson.parameters, words);
  if (!lesson.step_timer)
    throw UsageError("bench step: " + lesson.id +
                     " has no step to time; lessons that have: " + timed_lessons());
  return {std::move(config), &lesson};
}

struct Measured {
  std::vector<Line> lines;
  std::vector<std::string> what;  // is timed
  StepBench bench;
  std::optional<RatioInterval> ratio;  // none where no round was finished
  double seconds = 0;
};

Measured measure(const Options& options) {
  Measured measured;
  for (const std::string& line : options.bench.lines) measured.lines.push_back(read_line(line));
  const int64_t start = now_ns();
  InterruptScope interrupt;
  ProgressLine progress(can_redraw_stderr() && !options.quiet, std::cerr);
  std::vector<StepTimer> timers;
  for (const Line& line : measured.lines) {
    timers.push_back(line.lesson->step_timer(line.config));
    measured.what.push_back(timers.back().what);
  }
  const BenchOptions& bench = options.bench;
  measured.bench = bench_steps(
      timers[0], timers[1], {.rounds = bench.rounds, .steps = bench.steps, .warm_up = bench.warm_up},
      [&] {
        if (interrupt.take_report_request()) std::cerr << wait_report() << std::flush;
        return interrupt.interrupted();
      },
      [&](const Progress& now) { progress.draw(now, stderr_width()); });
  if (!measured.bench.a_ms.empty()) measured.ratio = ratio_interval(measured.bench.a_ms, measured.bench.b_ms);
  measured.seconds = static_cast<double>(now_ns() - start) * 1e-9;
  return measured;
}

// "longer", "shorter", "cannot_be_told": A against B.
const char* verdict_of(const RatioInterval& ratio) {
  const Side side = side_of(ratio, 1);
  return side == Side::kAbove ? "longer" : side == Side::kBelow ? "shorter" : "cannot_be_told";
}

std::string in_words(const RatioInterval& ratio) {
  const Side side = side_of(ratio, 1);
  if (side == Side::kAbove) return "A takes longer than B.";
  if (side == Side::kBelow) return "A takes less time than B.";
  if (ratio.tells()) return "Cannot be told here: the interval contains 1.";
  return fmt::format("Cannot be told: it takes {} rounds or more.", kLeastRounds);
}

Json side_json(const char* name, const Line& line, const std::string& what, const std::vector<double>& ms) {
  return {{"name", name},
          {"scenario", line.config.scenario(true)},
          {"what", what},
          {"median_ms", ms.empty() ? Json(nullptr) : Json(median(ms))},
          {"round_ms", ms}};
}

Json document(const Options& options, const Measured& m) {
  Json ratio = nullptr;
  if (m.ratio)
    ratio = {{"median", m.ratio->median},
             {"low", m.ratio->low},
             {"high", m.ratio->high},
             {"confidence", m.ratio->confidence}};
  return {{"bench", "step"},
          {"schema", kJsonSchema},
          {"build", build_json(build_info())},
          {"complete", m.bench.complete},
          {"rounds", m.bench.a_ms.size()},
          {"steps_a_round", options.bench.steps},
          {"warm_up_steps", options.bench.warm_up},
          {"sides",
           {side_json("A", m.lines[0], m.what[0], m.bench.a_ms),
            side_json("B", m.lines[1], m.what[1], m.bench.b_ms)}},
          {"ratio", ratio},
          {"verdict", m.ratio ? verdict_of(*m.ratio) : "cannot_be_told"}};
}

std::string build_line(const BuildInfo& build) {
  return fmt::format("LibTorch {}, BLAS {}, {} thread{}, {}, commit {}, {} {}",
                     build.libtorch.value_or("none"), build.blas.value_or("none"), build.threads,
                     build.threads == 1 ? "" : "s", build.cpu, build.commit, build.compiler, build.flags);
}

void show(const Options& options, const Measured& m, std::ostream& out) {
  constexpr size_t kIndent = 8;
  const auto width = static_cast<size_t>(summary_width(options));
  const auto labelled = [&](const char* label, const std::string& text) {
    out << pad(label, kIndent) << wrap(text, width, kIndent) << '\n';
  };
  const size_t rounds = m.bench.a_ms.size();
  const std::string head = fmt::format("bench step: A and B in turns, {} round{} of {} step{} each, {}",
                                       rounds, rounds == 1 ? "" : "s", options.bench.steps,
                                       options.bench.steps == 1 ? "" : "s", format_duration(m.seconds));
  out << wrap(head, width, 0) << '\n';
  for (const size_t side : {size_t{0}, size_t{1}}) {
    const std::vector<double>& ms = side == 0 ? m.bench.a_ms : m.bench.b_ms;
    labelled(side == 0 ? "A" : "B",
             fmt::format("{}: {}{}", m.lines[side].config.scenario(), m.what[side],
                         ms.empty() ? "" : fmt::format(", median {:.2f} ms", median(ms))));
  }
  if (m.ratio) {
    labelled("A / B",
             fmt::format("{}, the median of the rounds' ratios with its interval of {:.1f} % confidence",
                         to_text(*m.ratio), 100 * m.ratio->confidence));
    labelled("", in_words(*m.ratio));
  }
  labelled("Build", build_line(build_info()));
  if (!m.bench.complete) out << "INCOMPLETE: interrupted; the figures cover the rounds until then\n";
}

}  // namespace

ExitCode bench_step(const Options& options, std::ostream& out) {
  if (options.bench.lines.size() != 2)
    throw UsageError(
        "bench step: two scenario lines are compared, each in quotes, like \"zero stage=3\" "
        "\"zero stage=3 precision=fp32\"; given: " +
        std::to_string(options.bench.lines.size()));
  const std::string warning = torch_warning();
  if (!warning.empty() && !options.quiet) std::cerr << "ringside: " << warning << '\n';
  const Measured measured = measure(options);
  if (options.json)
    write_json(document(options, measured), out);
  else
    show(options, measured, out);
  return measured.bench.complete ? ExitCode::kOk : ExitCode::kInterrupted;
}

}  // namespace ringside
