#include "metrics_log.h"

#include <fmt/format.h>

#include <cerrno>
#include <system_error>

#include "ringside/base/atomic_file.h"
#include "ringside/base/error.h"
#include "ringside/base/json.h"
#include "ringside/base/text.h"

namespace ringside {
namespace {

constexpr JsonLimits kLine{size_t{64} << 10, 5, 4096};

// -1: no line of ours, as of a run that was cut within it.
int64_t step_of(const std::string& line) {
  try {
    const Json json = parse_json(line, kLine);
    return JsonObject(json).integer("step", 0, INT64_MAX);
  } catch (const JsonRejected&) {
    return -1;
  }
}

Json matrix(const Confusion& counts) {
  Json rows = Json::array();
  for (int64_t label = 0; label < counts.classes(); ++label) {
    Json& row = rows.emplace_back(Json::array());
    for (int64_t c = 0; c < counts.classes(); ++c) row.push_back(counts.at(label, c));
  }
  return rows;
}

}  // namespace

MetricsLog::MetricsLog(const RunFolder& folder, bool resume, const Json& training)
    : file_(folder.metrics()),
      first_(Json{{"training", training}}.dump()),
      events_(folder.path),
      resumes_(resume && std::filesystem::exists(folder.metrics())) {
  if (resumes_) return;
  out_.open(file_, std::ios::trunc);
  write(first_);
}

void MetricsLog::step(const StepMetrics& metrics) {
  if (std::exchange(resumes_, false)) drop_behind(metrics.step);
  const int64_t steps = metrics.step + 1;
  Json line = {{"step", steps}, {"loss", metrics.loss}};
  if (metrics.gradient_norm) line["gradient_norm"] = *metrics.gradient_norm;
  line["learning_rate"] = metrics.learning_rate;
  line["ms"] = metrics.ms;
  write(line.dump());
  events_.scalar("train/loss", steps, metrics.loss);
  if (metrics.gradient_norm) events_.scalar("train/gradient_norm", steps, *metrics.gradient_norm);
  events_.scalar("train/learning_rate", steps, metrics.learning_rate);
}

void MetricsLog::evaluation(int64_t steps, const Confusion& counts, double loss) {
  if (std::exchange(resumes_, false)) drop_behind(steps - 1);
  Json evaluation = {{"loss", loss},
                     {"accuracy", counts.accuracy()},
                     {"macro_f1", counts.macro_f1()},
                     {"samples", counts.samples()}};
  if (counts.classes() <= kMostClasses) evaluation["confusion"] = matrix(counts);
  write(Json{{"step", steps}, {"evaluation", evaluation}}.dump());
  events_.scalar("held_out/loss", steps, loss);
  events_.scalar("held_out/accuracy", steps, counts.accuracy());
  events_.scalar("held_out/macro_f1", steps, counts.macro_f1());
}

void MetricsLog::ended(const Json& how) {
  if (std::exchange(resumes_, false)) drop_behind(INT64_MAX);
  write(Json{{"ended", how}}.dump());
}

// And the lines that have no step: the one that began it, and how it ended.
void MetricsLog::drop_behind(int64_t steps) {
  std::string kept = first_ + "\n";
  std::ifstream in(file_);
  for (std::string line; std::getline(in, line);)
    if (const int64_t its = step_of(line); its >= 0 && its <= steps) kept += line + "\n";
  write_file_atomically(file_, [&](std::ostream& out) { out << kept; });
  out_.open(file_, std::ios::app);
}

void MetricsLog::write(const std::string& line) {
  errno = 0;
  out_ << line << '\n' << std::flush;
  if (!out_)
    throw InputError(fmt::format("{}: cannot be written: {}", typed_path(file_),
                                 std::generic_category().message(errno != 0 ? errno : EIO)));
}

}  // namespace ringside
