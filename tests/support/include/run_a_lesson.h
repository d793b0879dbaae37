// Runs a lesson as a front end does, and looks at what it says.
#pragma once

#include <string>
#include <vector>

#include "catch.h"
#include "patience.h"
#include "ringside/base/error.h"
#include "ringside/figures/compute.h"
#include "ringside/figures/instant.h"
#include "ringside/figures/text.h"
#include "ringside/session/session.h"

namespace ringside::testing {

// As the table of lessons makes it, without the others.
inline Lesson lesson_alone(std::string id, Lesson made) {
  made.id = std::move(id);
  return made;
}

inline Config scenario_of(const Lesson& lesson, const std::vector<std::string>& words) {
  return Config::parse(lesson.id, lesson.parameters, words);
}

inline Trace run_lesson(const Lesson& lesson, const std::vector<std::string>& words) {
  Session session(lesson, scenario_of(lesson, words));
  REQUIRE(finishes(session));
  return session.result();
}

inline ClaimResult judge_alone(const Lesson& lesson, const std::string& claim, const Trace& trace) {
  for (const ClaimSpec& spec : lesson.claims)
    if (spec.id == claim) return spec.judge(trace);
  throw InvariantError("no claim " + claim);
}
inline std::string verdict_alone(const Lesson& lesson, const std::string& claim, const Trace& trace) {
  return std::string(to_string(judge_alone(lesson, claim, trace).verdict));
}

inline const PredictionSpec& question_of(const Lesson& lesson, const std::string& id) {
  for (const PredictionSpec& spec : lesson.predictions)
    if (spec.id == id) return spec;
  throw InvariantError("no question " + id);
}

inline const FigureSpec& figure_of(const Lesson& lesson, const std::string& id) {
  for (const FigureSpec& spec : lesson.figures)
    if (spec.id == id) return spec;
  throw InvariantError("no figure " + id);
}

// At the instant that the terminal shows.
inline figure::Value figure_value(const Lesson& lesson, const std::string& figure, const Trace& trace) {
  const Config config = scenario_of(lesson, {});
  const FigureSpec& spec = figure_of(lesson, figure);
  return figure::compute(lesson, spec, default_input(config, spec, trace));
}

// As text of 100 columns, at the instant that the terminal shows, or at one of its words.
inline std::string figure_text(const Lesson& lesson, const std::string& figure, const Trace& trace,
                               const std::string& at = "") {
  const Config config = scenario_of(lesson, {});
  const FigureSpec& spec = figure_of(lesson, figure);
  const FigureInput input =
      at.empty() ? default_input(config, spec, trace) : parse_instant(at, config, trace);
  return figure::sentence(lesson, spec, input) + "\n" +
         figure::to_text(figure::compute(lesson, spec, input), 100, false);
}

}  // namespace ringside::testing
