#include "ringside/session/judge.h"

#include <exception>

#include "ringside/base/error.h"
#include "ringside/lesson/prediction.h"

namespace ringside::inline kit {
namespace {

template <typename Function>
auto named(const Lesson& lesson, const std::string& what, const Function& function) {
  try {
    return function();
  } catch (const std::exception& error) {
    throw InvariantError("lesson '" + lesson.id + "', " + what + ": " + error.what());
  }
}

ClaimRow judge_claim(const ClaimSpec& claim, const Trace& trace) {
  ClaimRow row{claim.id, claim.source, claim.statement, Verdict::kNotTestable, "the run was interrupted"};
  if (!trace.complete()) return row;
  const ClaimResult result = claim.judge(trace);
  row.verdict = result.verdict;
  row.evidence = result.evidence;
  return row;
}

PredictionRow answer(const PredictionSpec& prediction, const Config& config, const Trace& trace) {
  PredictionRow row{prediction.id, prediction.question, prediction.unit, 0, {}};
  std::optional<double> measured;
  if (trace.complete() && prediction.measured) measured = prediction.measured(trace);
  row.answer = measured ? *measured : prediction.formula(config);
  row.wrong = wrong_answers(prediction, config, row.answer);
  return row;
}

PredictionRow answer_in_words(const PredictionSpec& prediction, const Config& config, const Trace& trace) {
  const WordQuestion& question = *prediction.words;
  PredictionRow row{prediction.id, prediction.question, "", std::nan(""), {}};
  std::optional<Words> measured;
  if (trace.complete() && question.measured) measured = question.measured(trace);
  if (measured) {
    const std::string why = why_no_answer(question, config, *measured);
    if (!why.empty()) throw InvariantError("measured: " + why);
  }
  row.words = measured ? *measured : question.right(config);
  row.wrong = wrong_answers(question, config, row.words);
  return row;
}

}  // namespace

TraceRows judge(const Lesson& lesson, const Config& config, const Trace& trace) {
  TraceRows rows = trace.rows();
  rows.claims.clear();
  rows.predictions.clear();
  for (const ClaimSpec& claim : lesson.claims) {
    rows.claims.push_back(
        named(lesson, "claim '" + claim.id + "'", [&] { return judge_claim(claim, trace); }));
  }
  for (const PredictionSpec& prediction : lesson.predictions) {
    rows.predictions.push_back(named(lesson, "prediction '" + prediction.id + "'", [&] {
      return prediction.words ? answer_in_words(prediction, config, trace)
                              : answer(prediction, config, trace);
    }));
  }
  return rows;
}

}  // namespace ringside::inline kit
