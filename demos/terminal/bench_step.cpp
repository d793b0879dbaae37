// `ringside bench step`: steps of two scenario lines in turns, and the median of their ratios.
#include <fmt/format.h>

#include <iostream>

#include "bench_run.h"
#include "build_info.h"
#include "ringside/base/median.h"
#include "ringside/base/text.h"
#include "ringside/lesson/front_matter.h"
#include "ringside/lesson/modules.h"
#include "ringside/lesson/suggest.h"
#include "ringside/session/step_bench.h"

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
    throw UsageError("bench step: '" + as_typed(text) +
                     "' names no lesson; a scenario line is one argument, in quotes: \"zero stage=3\"");
  const Lesson& lesson = find_lesson(words.front());
  words.erase(words.begin());
  Config config = Config::parse(lesson.id, lesson.parameters, words);
  if (!lesson.step_timer)
    throw UsageError("bench step: " + lesson.id +
                     " has no step to time; lessons that have: " + timed_lessons());
  return {std::move(config), &lesson};
}

std::vector<Line> read_lines(const BenchOptions& bench) {
  if (bench.lines.size() != 2)
    throw UsageError(
        "bench step: two scenario lines are compared, each in quotes, like \"zero stage=3\" "
        "\"zero stage=3 precision=fp32\"; given: " +
        std::to_string(bench.lines.size()));
  return {read_line(bench.lines[0]), read_line(bench.lines[1])};
}

// A against B: the word of the document, and the sentence.
std::pair<const char*, std::string> verdict_of(const std::optional<RatioInterval>& ratio) {
  const Side side = ratio ? side_of(*ratio, 1) : Side::kAround;
  if (side == Side::kAbove) return {"longer", "A takes longer than B."};
  if (side == Side::kBelow) return {"shorter", "A takes less time than B."};
  return {"cannot_be_told", ratio && ratio->tells()
                                ? "Cannot be told here: the interval contains 1."
                                : fmt::format("Cannot be told: it takes {} rounds or more.", kLeastRounds)};
}

std::string counted(int64_t count, const char* what) {
  return fmt::format("{} {}{}", count, what, count == 1 ? "" : "s");
}

}  // namespace

BenchResult bench_step(BenchRun& run) {
  constexpr size_t kIndent = 8;
  const BenchOptions& bench = run.wanted;
  const std::vector<Line> lines = read_lines(bench);
  const std::string warning = torch_warning();
  if (!warning.empty() && !run.options.quiet) std::cerr << "ringside: " << warning << '\n';
  const StepTimer timers[] = {lines[0].lesson->step_timer(lines[0].config),
                              lines[1].lesson->step_timer(lines[1].config)};
  const StepBench times = bench_steps(
      timers[0], timers[1], {.rounds = bench.rounds, .steps = bench.steps, .warm_up = bench.warm_up},
      [&] { return run.stop(); }, [&](const Progress& now) { run.draw(now); });
  const auto ratio = ratio_of(times.a_ms, times.b_ms);

  BenchResult result;
  result.what = fmt::format("A and B in turns, {} of {} each", counted(std::ssize(times.a_ms), "round"),
                            counted(bench.steps, "step"));
  result.fields = {{"rounds", times.a_ms.size()},    {"steps_a_round", bench.steps},
                   {"warm_up_steps", bench.warm_up}, {"sides", Json::array()},
                   {"ratio", ratio_json(ratio)},     {"verdict", verdict_of(ratio).first}};
  for (const size_t side : {0, 1}) {
    const char* name = side == 0 ? "A" : "B";
    const std::vector<double>& ms = side == 0 ? times.a_ms : times.b_ms;
    const Config& config = lines[side].config;
    result.fields["sides"].push_back({{"name", name},
                                      {"scenario", config.scenario(true)},
                                      {"what", timers[side].what},
                                      {"median_ms", ms.empty() ? Json() : Json(median(ms))},
                                      {"round_ms", ms}});
    const std::string middle = ms.empty() ? "" : fmt::format(", median {:.2f} ms", median(ms));
    result.text += labelled(name, config.scenario() + ": " + timers[side].what + middle, kIndent, run.width);
  }
  if (!ratio) return result;
  result.text +=
      labelled("A / B",
               fmt::format("{}, the median of the rounds' ratios with its interval of {:.1f} % confidence",
                           to_text(*ratio), 100 * ratio->confidence),
               kIndent, run.width) +
      labelled("", verdict_of(ratio).second, kIndent, run.width);
  return result;
}

}  // namespace ringside
