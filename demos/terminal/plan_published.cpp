// `ringside plan mesh --published`: plans of trainings that others have published, beside what they measured.
#include <fmt/format.h>

#include <ostream>

#include "plan_mesh.h"
#include "plan_page.h"
#include "ringside/base/text.h"
#include "ringside/planner/published_runs.h"

namespace ringside {
namespace {

std::string unless_none(double value) { return value > 0 ? three_figures(value) : ""; }
std::string percent(const std::optional<double>& error) {
  return error ? fmt::format("{:+.1f}", 100 * *error) : "";
}

void published_text(const PublishedRuns& runs, const std::vector<PublishedError>& errors, PlanPage& out) {
  for (const PublishedSource& source : runs.sources) {
    out.line(source.title + " (" + source.where + ")");
    std::vector<std::vector<std::string>> rows;
    for (const PublishedError& error : errors) {
      if (error.run->source != source.id) continue;
      const bool bytes = error.run->bytes > 0;
      rows.push_back({error.run->name,
                      fmt::format("{},{},{}", error.shape.dp, error.shape.tp, error.shape.pp),
                      fmt::format("{},{}", error.shape.chunks, error.shape.micro),
                      unless_none(error.run->seconds), error.time_error ? unless_none(error.seconds) : "",
                      percent(error.time_error), unless_none(error.run->bytes / 1e9),
                      bytes ? unless_none(error.bytes / 1e9) : "", percent(error.memory_error)});
    }
    out.table({"run", "dp,tp,pp", "v,b", " s", " plan", " off %", " GB", " plan", " off %"}, rows);
    out << '\n';
  }
  out.line(fmt::format("Median of the errors: step time {:.1f} %, memory {:.1f} % (rows that were measured).",
                       100 * median_time_error(errors), 100 * median_memory_error(errors)));
  out << "notes/plan_mesh.md: which rows are farther, and why.\n"
         "assets/published_runs.json: settings and sources.\n";
}

void published_json(const PublishedRuns& runs, const std::vector<PublishedError>& errors, std::ostream& out) {
  const auto source = [](const PublishedSource& of) {
    return Json{{"id", of.id}, {"title", of.title}, {"where", of.where}, {"read", of.read}};
  };
  const auto row = [](const PublishedError& of) {
    const auto some = [](double value) { return value > 0 ? Json(value) : Json(nullptr); };
    return Json{{"source", of.run->source},
                {"name", of.run->name},
                {"dp", of.shape.dp},
                {"tp", of.shape.tp},
                {"pp", of.shape.pp},
                {"chunks", of.shape.chunks},
                {"micro", of.shape.micro},
                {"seconds", some(of.run->seconds)},
                {"planned_seconds", of.seconds},
                {"time_error", or_null(of.time_error)},
                {"bytes", some(of.run->bytes)},
                {"bytes_computed", of.run->computed},
                {"planned_bytes", of.bytes},
                {"memory_error", or_null(of.memory_error)}};
  };
  write_json({{"schema", kJsonSchema},
              {"plan", "published"},
              {"sources", array_of(runs.sources, source)},
              {"runs", array_of(errors, row)},
              {"median_time_error", median_time_error(errors)},
              {"median_memory_error", median_memory_error(errors)}},
             out);
}

}  // namespace

ExitCode plan_published(const Options& options, std::ostream& out) {
  const PublishedRuns runs = read_published_runs();
  const std::vector<PublishedError> errors = compare_published(runs);
  PlanPage page{out, size_t(page_width(options))};
  options.json ? published_json(runs, errors, out) : published_text(runs, errors, page);
  return ExitCode::kOk;
}

}  // namespace ringside
