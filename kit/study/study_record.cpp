#include "study_record.h"

#include <algorithm>
#include <chrono>
#include <nlohmann/json.hpp>
#include <optional>

#include "saying.h"
#include "study_record_json.h"

namespace ringside::inline kit {
namespace {

constexpr int64_t kDay = 24 * 60 * 60;
constexpr int64_t kLadder[] = {1 * kDay, 3 * kDay, 7 * kDay, 21 * kDay};
constexpr int kRungs = int(std::size(kLadder));

int64_t clock_now() {
  return std::chrono::duration_cast<std::chrono::seconds>(std::chrono::system_clock::now().time_since_epoch())
      .count();
}

// Of one second, those kept first stand first.
bool older(const Attempt& a, const Attempt& b) { return a.time < b.time; }

// One answer after the other; nothing where it was never wrong, or is known.
void climb(std::optional<Redo>& redo, const Attempt& attempt) {
  if (!attempt.correct) {
    redo = Redo{attempt.prediction, attempt.question, attempt.scenario, attempt.time + kLadder[0], false, 0,
                attempt.errors};
  } else if (redo && attempt.time >= redo->due_at) {
    redo->scenario = attempt.scenario;
    if (++redo->rungs == kRungs) return redo.reset();
    redo->due_at = attempt.time + kLadder[redo->rungs];
  }
}

}  // namespace

StudyRecord::StudyRecord(const std::filesystem::path& data_folder)
    : file_(data_folder, "progress.json", "ringside progress", 1) {
  nlohmann::json there;
  file_.read(there);
  take(there);
}

// Adds what a file holds to what is here.
int StudyRecord::take(const nlohmann::json& document) {
  std::set<std::string> known;
  for (const Attempt& attempt : attempts_) known.insert(attempt.id);
  KeptProgress there = read_progress(document);
  for (Attempt& attempt : there.attempts)
    if (known.insert(attempt.id).second) attempts_.push_back(std::move(attempt));
  std::ranges::stable_sort(attempts_, older);
  if (attempts_.size() > kMostAttempts)
    attempts_.erase(attempts_.begin(), attempts_.end() - std::ptrdiff_t(kMostAttempts));
  for (const auto& [lesson, steps] : there.visited) {
    if (visited_.size() < kMostLessons || visited_.contains(lesson))
      visited_[lesson].insert(steps.begin(), steps.end());
  }
  if (!entered_) last_lesson_ = there.last_lesson;
  return there.damaged;
}

nlohmann::json StudyRecord::document() const {
  size_t first = 0;
  for (;;) {  // a reader refuses what is too large; only with thousands of long formulas
    nlohmann::json written = write_progress(attempts_, first, visited_, last_lesson_);
    if (written.dump(1).size() < KeptFile::kMostBytes - 1024) return written;
    first += attempts_.size() / 8 + 1;
  }
}

bool StudyRecord::save() {
  if (!unsaved_) return true;
  const bool written = file_.update([&](const nlohmann::json& there) {
    const int damaged = take(there);
    if (damaged > 0) file_.keep_copy(std::to_string(damaged) + " of its entries could not be read");
    return document();
  });
  if (written) unsaved_ = false;
  return written;
}

void StudyRecord::add(Attempt attempt) {
  attempt.id = new_attempt_id();
  if (attempt.time == 0) attempt.time = clock_now();
  attempts_.push_back(bounded(std::move(attempt)));
  std::ranges::stable_sort(attempts_, older);
  unsaved_ = true;
  save();
}

void StudyRecord::visit(const std::string& lesson, const std::string& step) {
  std::set<std::string>& steps = visited_[clean_text(lesson, kNameBytes)];
  if (steps.size() >= kMostSteps || !steps.insert(clean_text(step, kNameBytes)).second) return;
  unsaved_ = true;
  save();
}

void StudyRecord::enter(const std::string& lesson) {
  if (entered_ && last_lesson_ == lesson) return;
  entered_ = unsaved_ = true;
  last_lesson_ = clean_text(lesson, kNameBytes);
  save();
}

LessonProgress StudyRecord::progress(const std::string& lesson) const {
  LessonProgress progress;
  std::map<std::string, bool> last;
  for (const Attempt& attempt : attempts_) {
    if (attempt.lesson != lesson || is_said(attempt.prediction)) continue;
    last[attempt.prediction] = attempt.correct;
    progress.questions = attempt.questions;
  }
  for (const auto& [prediction, correct] : last) {
    ++progress.asked;
    progress.right += correct;
  }
  if (const auto found = visited_.find(lesson); found != visited_.end()) progress.steps = found->second;
  return progress;
}

std::vector<Redo> StudyRecord::to_redo(const std::string& lesson, int64_t now) const {
  if (now == 0) now = clock_now();
  std::map<std::string, std::optional<Redo>> open;
  for (const Attempt& attempt : attempts_)
    if (attempt.lesson == lesson) climb(open[attempt.prediction], attempt);
  std::vector<Redo> list;
  for (auto& [prediction, redo] : open) {
    if (!redo) continue;
    redo->due = redo->due_at <= now;
    list.push_back(std::move(*redo));
  }
  std::ranges::sort(list, [](const Redo& a, const Redo& b) { return a.due_at < b.due_at; });
  return list;
}

}  // namespace ringside::inline kit
