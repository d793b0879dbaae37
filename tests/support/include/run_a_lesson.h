// Runs a lesson as a front end does, and looks at what it says.
#pragma once

#include "catch.h"
#include "patience.h"
#include "ringside/base/error.h"
#include "ringside/figures/compute.h"
#include "ringside/figures/instant.h"
#include "ringside/figures/text.h"
#include "ringside/lesson/prediction.h"
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

// Of a run, in the order of the claims: "enough fails, needed holds".
inline std::string verdicts_of(const Trace& trace) {
  std::string all;
  for (const ClaimRow& row : trace.rows().claims)
    all += (all.empty() ? "" : ", ") + row.id + " " + std::string(to_string(row.verdict));
  return all;
}
// The same of a trace that no session has judged.
inline std::string verdicts_of(const Lesson& lesson, const Trace& trace) {
  std::string all;
  for (const ClaimSpec& claim : lesson.claims)
    all += (all.empty() ? "" : ", ") + claim.id + " " + verdict_alone(lesson, claim.id, trace);
  return all;
}

inline const PredictionSpec& question_of(const Lesson& lesson, const std::string& id) {
  for (const PredictionSpec& spec : lesson.predictions)
    if (spec.id == id) return spec;
  throw InvariantError("no question " + id);
}

// What a trace says to a question in words; none where it says nothing.
inline Words answer_of(const Lesson& lesson, const std::string& id, const Trace& trace) {
  return question_of(lesson, id).words->measured(trace).value_or(Words());
}

// Every question can be asked at the default, and has two beliefs or more that are wrong there.
inline void check_beliefs(const Lesson& lesson) {
  const Config config = scenario_of(lesson, {});
  for (const PredictionSpec& spec : lesson.predictions) {
    INFO(spec.id);
    CHECK(askable(spec, config));
    CHECK((spec.words ? spec.words->wrong(config).size() : spec.wrong.size()) >= 2);
  }
}

// A run of these words measures what is right there, `within` so much of a number, and no belief is as good.
inline void check_answers(const Lesson& lesson, const std::vector<std::string>& words, const Trace& trace,
                          double within = 0.025) {
  const Config config = scenario_of(lesson, words);
  for (const PredictionSpec& spec : lesson.predictions) {
    INFO(config.scenario() << ": " << spec.id);
    CHECK(contradiction_in(spec, config) == "");
    if (spec.words) {
      CHECK(is_words_answer(*spec.words, config, answer_of(lesson, spec.id, trace)));
    } else {
      CHECK(spec.measured(trace).value_or(NAN) == Approx(spec.formula(config)).epsilon(within).margin(1e-9));
      CHECK(askable(spec, config));
    }
  }
}

// Of a trace in which nothing was recorded nothing is said.
inline void check_says_nothing(const Lesson& lesson, const Trace& trace = {}) {
  for (const ClaimSpec& claim : lesson.claims) {
    INFO(lesson.id << ": " << claim.id);
    CHECK(claim.judge(trace).verdict == Verdict::kNotTestable);
  }
  for (const PredictionSpec& spec : lesson.predictions) {
    INFO(lesson.id << ": " << spec.id);
    const bool in_words = spec.words && spec.words->measured && spec.words->measured(trace);
    CHECK_FALSE((in_words || (spec.measured && spec.measured(trace))));
  }
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

// Of a run: each figure has something to show.
inline void check_shown(const Lesson& lesson, const Trace& trace) {
  for (const FigureSpec& spec : lesson.figures) {
    INFO(spec.id);
    CHECK_FALSE(std::holds_alternative<figure::Nothing>(figure_value(lesson, spec.id, trace)));
  }
}

template <typename Kind>
Kind figure_as(const Lesson& lesson, const std::string& figure, const Trace& trace) {
  return std::get<Kind>(figure_value(lesson, figure, trace));
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
