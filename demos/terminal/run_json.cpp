#include "run_json.h"

#include <algorithm>

#include "figures.h"
#include "ringside/figures/json.h"
#include "ringside/lesson/prediction.h"
#include "series.h"

namespace ringside {
namespace {

Json outcome_json(const TraceRows& rows) {
  Json outcome = Json::object();
  for (const auto& [name, value] : rows.outcome) outcome[name] = value;
  for (const auto& [name, text] : rows.outcome_text) outcome[name] = text;
  return outcome;
}

Json ledger_json(const LedgerRow& row) {
  const bool is_memory = row.what == "memory";
  return {{"what", row.what},
          {"section", row.section},
          {"rank", row.rank},
          {"category", row.category},
          {is_memory ? "at" : "op", is_memory ? row.at : row.op},
          {"predicted", or_null(row.predicted)},
          {"counted", row.counted},
          {"unexplained", row.unexplained()},
          {"reasons", array_of(row.reasons, [](const LedgerReason& reason) {
             return Json{{"name", reason.name}, {"bytes", reason.bytes}};
           })}};
}

Json claim_json(const ClaimRow& row) {
  return {{"id", row.id},
          {"source", row.source},
          {"statement", row.statement},
          {"verdict", std::string(to_string(row.verdict))},
          {"evidence", row.evidence}};
}

// A number, or a list of words.
Json answer_json(double number, const Words& words) { return words.empty() ? Json(number) : Json(words); }

Json prediction_json(const Lesson& lesson, const PredictionRow& row) {
  const auto spec = std::ranges::find(lesson.predictions, row.id, &PredictionSpec::id);
  const bool known = spec != lesson.predictions.end();
  const AnswerKind kind = known && spec->words ? spec->words->kind : AnswerKind::kNumber;
  return {{"id", row.id},
          {"question", row.question},
          {"kind", std::string(to_string(kind))},
          {"answer", answer_json(row.answer, row.words)},
          {"calculated", !known || is_calculated(*spec)},
          {"unit", row.unit},
          {"wrong", array_of(row.wrong, [](const WrongAnswer& wrong) {
             return Json{{"name", wrong.name}, {"value", answer_json(wrong.value, wrong.words)}};
           })}};
}

Json series_json(const Series& series) {
  return {
      {"name", series.name}, {"unit", series.unit}, {"rank", series.rank}, {"x", series.x}, {"y", series.y}};
}

}  // namespace

Json run_document(const Lesson& lesson, const Config& config, const Trace& trace, const BuildInfo& build,
                  const FigureOptions& figures) {
  const TraceRows& rows = trace.rows();
  return {{"lesson", lesson.id},
          {"scenario", trace.scenario()},
          {"schema", kJsonSchema},
          {"build", build_json(build)},
          {"complete", trace.complete()},
          {"outcome", outcome_json(rows)},
          {"ledger", array_of(rows.ledger, ledger_json)},
          {"claims", array_of(rows.claims, claim_json)},
          {"predictions", array_of(rows.predictions,
                                   [&](const PredictionRow& row) { return prediction_json(lesson, row); })},
          {"series", array_of(series_of(trace), series_json)},
          {"figures", array_of(chosen_figures(lesson, figures), [&](const FigureSpec* spec) {
             return figure::to_json(lesson, *spec, figure_input(config, *spec, trace, figures));
           })}};
}

}  // namespace ringside
