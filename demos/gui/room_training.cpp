#include "room_training.h"

#include <fcntl.h>
#include <unistd.h>

#include <cmath>
#include <ctime>
#include <numeric>

#include "ringside/base/error.h"
#include "ringside/base/text.h"
#include "ringside/base/units.h"
#include "ringside/checkpoint/load.h"
#include "ringside/figures/compute.h"
#include "ringside/lesson/tr.h"

namespace ringside::gui {
namespace {

constexpr JsonLimits kLine{size_t{64} << 10, 5, 4096};
constexpr size_t kMostRead = size_t{256} << 10;  // in a frame
constexpr size_t kMostPoints = 8000, kMostClasses = 32, kMostSteps = 50;
constexpr double kLook = 0.5, kQuiet = 10;  // seconds
constexpr int64_t kMostStep = int64_t{1} << 53;

// What JSON has no number for is written as null.
double number(const JsonObject& object, std::string_view key) {
  const Json* value = object.find(key);
  return value == nullptr ? figure::kNone : json_number(*value, key, -1e300, 1e300);
}

bool add(figure::Line& line, int64_t step, double y) {
  line.points.push_back({double(step), y});
  if (line.points.size() <= kMostPoints) return false;
  auto thinned = figure::thinned(figure::Lines{{"step"}, {"y"}, {line}}, kMostPoints / 2);
  line = std::get<figure::Lines>(thinned.value).lines.front();
  return true;
}

figure::Value lines_of(figure::Axis y, std::vector<figure::Line> lines, const char* none) {
  std::erase_if(lines, [](const figure::Line& line) {
    return std::ranges::all_of(line.points, [](const figure::Point& p) { return std::isnan(p.y); });
  });
  if (lines.empty()) return figure::Nothing{none};
  return figure::Lines{{"step"}, std::move(y), std::move(lines)};
}

figure::Value matrix_of(const TrainingFacts& facts) {
  if (facts.confusion.empty())
    return figure::Nothing{facts.evaluated < 0
                               ? tr("No evaluation yet.")
                               : tr("Not recorded: there are more than {} classes.", kMostClasses)};
  figure::Matrix matrix{tr("class"), tr("answer"), "", {}, {}, {}};
  for (size_t i = 0; i < facts.confusion.size(); ++i)
    matrix.rows.push_back(i < facts.classes.size() ? facts.classes[i] : std::to_string(i + 1));
  matrix.columns = matrix.rows;
  for (const auto& row : facts.confusion)
    for (const int64_t count : row)
      matrix.cells.push_back({figure::MatrixCell::State::kValue, double(count), format_count(count)});
  return matrix;
}

std::string short_number(double value) { return std::isnan(value) ? "-" : fmt::format("{:.4g}", value); }

double last(const figure::Line& line) { return line.points.empty() ? figure::kNone : line.points.back().y; }

// Label, answer; nothing where it is not recorded.
std::vector<std::vector<int64_t>> counts_of(const JsonObject& evaluation) {
  std::vector<std::vector<int64_t>> counts;
  if (evaluation.find("confusion") == nullptr) return counts;
  const Json& rows = evaluation.array("confusion", 1, kMostClasses);
  for (const Json& row : rows) {
    if (!row.is_array() || row.size() != rows.size()) throw JsonRejected("confusion: it is not square");
    std::vector<int64_t>& own = counts.emplace_back();
    for (const Json& count : row) own.push_back(json_integer(count, "confusion", 0, kMostStep));
  }
  return counts;
}

}  // namespace

// ---- What a line says -----------------------------------------------------------------

void TrainingFacts::take(const Json& line) {
  const JsonObject object(line);
  if (object.find("training") != nullptr) return take_training(object.object("training"));
  if (object.find("ended") != nullptr) {
    const JsonObject how = object.object("ended");
    end = End{how.integer("step", 0, kMostStep), how.flag("complete"), how.flag("stopped_early"),
              printable(how.text("error", 4096))};
    return;
  }
  const int64_t at = object.integer("step", 1, kMostStep);
  if (at < step) throw JsonRejected("step {} stands behind step {}", at, step);
  if (const Json* evaluation = object.find("evaluation")) return take_evaluation(at, *evaluation);
  const double value = number(object, "loss"), a = number(object, "learning_rate"),
               b = number(object, "gradient_norm"), took = number(object, "ms");
  step = at;
  end.reset();  // it was resumed
  thinned |= add(loss, at, value) | add(rate, at, a) | add(norm, at, b);
  if (took > 0) ms.push_back(took);
  if (ms.size() > kMostSteps) ms.pop_front();
}

void TrainingFacts::take_training(const JsonObject& training) {
  steps = training.integer("steps", 1, kMostStep);
  samples_per_step = training.integer("samples_per_step", 1, kMostStep);
  constexpr std::string_view kWatched[] = {"loss", "accuracy", "macro_f1"};
  watch = kWatched[training.choice("watch", kWatched)];
  classes.clear();
  for (const Json& name : training.array("classes", 0, kMostClasses))
    classes.push_back(printable(json_text(name, "classes", 1024)));
}

void TrainingFacts::take_evaluation(int64_t at, const Json& json) {
  const JsonObject evaluation(json, "evaluation");
  const double held = number(evaluation, "loss"), right = number(evaluation, "accuracy"),
               f1 = number(evaluation, "macro_f1");
  confusion = counts_of(evaluation);
  step = evaluated = at;
  thinned |= add(held_out, at, held) | add(accuracy, at, right) | add(macro_f1, at, f1);
  const double value = number(evaluation, watch);
  const bool better = std::isnan(best) || (watch == "loss" ? value < best : value > best);
  if (!std::isnan(value) && better) best = value, best_step = at;
}

// ---- The file -------------------------------------------------------------------------

FollowedTraining::FollowedTraining(std::filesystem::path folder)
    : folder_(std::move(folder)),
      file_(folder_ / "metrics.jsonl"),
      pictures_{{{"loss", tr("training and held out")},
                 {"held_out", tr("held out")},
                 {"now", tr("now")},
                 {"learning_rate", tr("learning rate")},
                 {"gradient_norm", tr("gradient norm")},
                 {"confusion", tr("confusion matrix")}}} {
  std::error_code error;
  if (!std::filesystem::is_regular_file(file_, error))
    throw InputError(
        tr("{}: has no metrics.jsonl; --training takes the folder that `ringside train` writes: "
           "its setting output, or trained",
           typed()));
  draw_values();
}

std::string FollowedTraining::typed() const { return typed_path(folder_); }

void FollowedTraining::update(double seconds) {
  if (!behind_ && looked_ >= 0 && seconds - looked_ < kLook) return;
  looked_ = seconds;
  struct stat now {};
  gone_ = stat(file_.c_str(), &now) != 0 || !S_ISREG(now.st_mode);
  if (gone_) return void(behind_ = false);
  if (now.st_ino != seen_.st_ino || now.st_size < offset_) {  // a resumed run writes it anew
    offset_ = lines_ = skipped_ = 0;
    torn_.clear();
    too_long_ = false;
    facts_ = {};
  }
  seen_ = now;
  if (now.st_size != offset_) read();
  behind_ = offset_ < seen_.st_size && !gone_;
}

void FollowedTraining::read() {
  const int file = open(file_.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK);
  std::string bytes(std::min(kMostRead, size_t(seen_.st_size - offset_)), '\0');
  const ssize_t got = file < 0 ? -1 : pread(file, bytes.data(), bytes.size(), offset_);
  if (file >= 0) close(file);
  gone_ = got <= 0;
  if (gone_) return;
  offset_ += got;
  bytes.resize(size_t(got));
  take_bytes(bytes);
  std::error_code error;
  if (std::filesystem::is_directory(folder_ / "checkpoints", error)) {
    const auto saved = saved_steps(disk(), folder_ / "checkpoints");
    checkpoint_ = saved.empty() ? -1 : *std::ranges::max_element(saved);
  }
  draw_values();
}

// A line whose end is not there yet waits; of one that is too long nothing is kept.
void FollowedTraining::take_bytes(const std::string& bytes) {
  size_t from = 0;
  for (size_t to; (to = bytes.find('\n', from)) != bytes.npos; from = to + 1) {
    torn_.append(bytes, from, to - from);
    take_line(torn_);
    torn_.clear();
    too_long_ = false;
  }
  torn_.append(bytes, from);
  if (torn_.size() <= kLine.bytes) return;
  too_long_ = true;
  torn_.clear();
}

void FollowedTraining::take_line(const std::string& line) {
  ++lines_;
  try {
    if (too_long_ || line.size() > kLine.bytes) throw JsonRejected("longer than {} bytes", kLine.bytes);
    facts_.take(parse_json(line, kLine));
  } catch (const JsonRejected& rejected) {
    ++skipped_;
    why_ = tr("line {}: {}", lines_, printable(rejected.why));
  }
}

double FollowedTraining::quiet_seconds() const {
  timespec now{};
  clock_gettime(CLOCK_REALTIME, &now);
  return std::max(
      0.0, double(now.tv_sec - seen_.st_mtim.tv_sec) + double(now.tv_nsec - seen_.st_mtim.tv_nsec) * 1e-9);
}

// ---- In words -------------------------------------------------------------------------

std::string FollowedTraining::sentence() const {
  const int64_t step = facts_.end ? facts_.end->step : facts_.step;
  const std::string at = facts_.steps > 0
                             ? tr("step {} of {}", format_count(step), format_count(facts_.steps))
                             : tr("step {}", format_count(step));
  if (gone_) return tr("metrics.jsonl can no longer be read. The figures are of {}.", at);
  if (behind_) return tr("Reading: {}.", at);
  if (facts_.end && !facts_.end->error.empty()) return tr("Failed at {}: {}", at, facts_.end->error);
  if (facts_.end && facts_.end->stopped_early)
    return tr("Ended at {}: nothing got better (setting patience).", at);
  if (facts_.end && facts_.end->complete) return tr("Ended at {}.", at);
  if (facts_.end) return tr("Stopped at {}. ringside train {}/config.toml resume=true goes on.", at, typed());
  const double quiet = quiet_seconds(), longest = facts_.ms.empty() ? 0 : std::ranges::max(facts_.ms) / 250;
  const auto seconds = int64_t(quiet);
  if (quiet < std::max(kQuiet, longest)) return tr("Running: {}. The newest line is {} s old.", at, seconds);
  const std::string old = seconds < 600 ? fmt::format("{} s", seconds) : format_duration(quiet);
  return tr("At {}. The file tells no end, and has had no new line for {}.", at, old);
}

std::string FollowedTraining::remark() const {
  std::string text;
  if (skipped_ > 0) text = tr("{} of {} lines were skipped; {}. ", skipped_, lines_, why_);
  if (facts_.thinned) text += tr("Of long lines the least and the highest of each stretch are kept.");
  return text;
}

figure::Table FollowedTraining::table() const {
  figure::Table table{{{tr("what")}, {tr("value")}}, {}};
  const auto row = [&](std::string name, std::string value) {
    table.rows.push_back({{std::move(name)}, {std::move(value)}});
  };
  const double ms = facts_.ms.empty()
                        ? 0
                        : std::accumulate(facts_.ms.begin(), facts_.ms.end(), 0.0) / double(facts_.ms.size());
  row(tr("loss"), short_number(last(facts_.loss)));
  row(tr("learning rate"), short_number(last(facts_.rate)));
  row(tr("gradient norm"), short_number(last(facts_.norm)));
  if (ms > 0) row(tr("step takes"), tr("{} (last {} steps)", format_duration(ms / 1e3), facts_.ms.size()));
  if (ms > 0 && facts_.samples_per_step > 0)
    row(tr("samples/s"), tr("{}, without evaluations",
                            format_count(std::llround(double(facts_.samples_per_step) / ms * 1e3))));
  if (ms > 0 && !facts_.end && facts_.steps > facts_.step)
    row(tr("steps left take"), format_duration(double(facts_.steps - facts_.step) * ms / 1e3));
  if (facts_.evaluated >= 0) row(tr("newest evaluation"), tr("step {}", format_count(facts_.evaluated)));
  if (facts_.best_step >= 0)
    row(tr("best held-out {}", facts_.watch),
        tr("{}, step {}", short_number(facts_.best), format_count(facts_.best_step)));
  row(tr("newest checkpoint"), checkpoint_ < 0 ? tr("none") : tr("step {}", format_count(checkpoint_)));
  return table;
}

void FollowedTraining::draw_values() {
  ++version_;
  const TrainingFacts& f = facts_;
  pictures_[0].value = lines_of({tr("loss")}, {f.loss, f.held_out}, "No step yet.");
  pictures_[1].value =
      lines_of({tr("share"), "", false, 0.0, 1.0}, {f.accuracy, f.macro_f1}, "No evaluation yet.");
  pictures_[2].value = table();
  pictures_[3].value = lines_of({tr("learning rate")}, {f.rate}, "No step yet.");
  pictures_[4].value =
      lines_of({tr("gradient norm")}, {f.norm}, f.step > 0 ? "Not recorded: clip_norm=0." : "No step yet.");
  pictures_[5].value = matrix_of(f);
  if (f.best_step >= 0)
    std::get<figure::Lines>(pictures_[0].value).marks = {{tr("best"), double(f.best_step)}};
}

nlohmann::json FollowedTraining::state() const {
  return {{"step", facts_.step},
          {"points", facts_.loss.points.size()},
          {"skipped", skipped_},
          {"sentence", sentence()},
          {"remark", remark()},
          {"evaluated", facts_.evaluated},
          {"best_step", facts_.best_step},
          {"ended", facts_.end.has_value()}};
}

}  // namespace ringside::gui
