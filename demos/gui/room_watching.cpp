// The desk, once a frame: what the run has come to, which section is watched, what the
// pictures are given.
#include <fmt/format.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <fstream>
#include <utility>

#include "ringside/base/error.h"
#include "ringside/lesson/tr.h"
#include "room_desk.h"

namespace ringside::gui {
namespace {

constexpr size_t kKeptRuns = 64;

}  // namespace

std::string Desk::status() const {
  if (!to_open_.first.empty()) return building();
  if (runs.reading()) return "reading a trace";
  if (runs.stopping()) return "stopping at the next step";
  if (runs.is_file()) return runs.trace().complete() ? "a saved trace" : "a saved trace, cut short";
  if (!runs.error().empty()) return "ended with an error";
  if (runs.ended() && runs.trace().sections().empty()) return "ended before anything was recorded";
  if (runs.ended()) return runs.trace().complete() ? "done" : "stopped; what was recorded is kept";
  if (!runs.busy()) return "nothing runs (R)";
  const Progress progress = runs.progress();
  if (progress.total == 0) return "starting";
  return fmt::format("{}, {:.0f}%", progress.phase, 100 * share_of(progress));
}

void Desk::update(double now) {
  seconds = now;
  const double passed = std::clamp(now - last_, 0.0, 0.5);
  last_ = now;
  follow_builds();
  if (training) training->update(now);
  on_call.update();
  if (runs.update()) follow_run();
  if (!runs.error().empty()) {
    // What its run refuses of a scenario is said at its line, like what no run begins with.
    if (const auto mistake = mistake_in(config->scenario(), runs.error()); mistake.size < mistake.line.size())
      line_mistake = mistake;
    else
      say(runs.error());
    runs.forget_error();
  }
  say_once(record.message());
  say_once(settings.message());
  if (look.fonts.lacks_chinese())
    say_once(std::string("Some texts have Chinese characters, and no installed font has them: install ") +
             ui::Fonts::kChinesePackage);
  read_typed();
  pick_section();
  reach_awaited();
  pair_pinned();
  advance(playhead, runs.trace(), passed);
  measurements.update(*lesson, runs.trace(), runs.ended(), run_number_);
  if (runs.ended() && !kept_this_) keep_run();
  if (const SectionView* section = watched_section()) {
    const std::string id = std::to_string(run_number_) + section->name();
    if (id != history_of_) forget_section();
    history_of_ = id;
    memory.update(*section);
    index.update(runs.trace(), *section, lesson->words.step);
    if (zoom_) timeline.show(zoom_->first, zoom_->last);
  }
  zoom_.reset();
}

void Desk::say_once(const std::string& message) {
  if (!message.empty() && said_.insert(message).second) say(message);
}

void Desk::forget_section() {
  memory = {};
  index = {};
  timeline = {};
  history_of_.clear();
}

// Another trace stands there: of a run that began, or of a file.
void Desk::follow_run() {
  ++run_number_;
  forget_section();  // its names are of the trace before
  kept_this_ = runs.is_file();
  traced_ = config;
  if (!runs.is_file()) return;
  try {
    std::vector<std::string> words = split_scenario(runs.trace().scenario());
    if (words.empty()) throw InputError("the trace names no scenario");
    const std::string id = words[0];
    words.erase(words.begin());
    const Lesson& of_file = find_lesson(id);
    if (lesson != &of_file) enter(of_file);
    config = drafted = traced_ = parse_words(of_file, words);
    playhead = {};
    playhead.section = panel->section_of(*config);
    chosen_by_hand_ = false;
    awaited_.reset();
    opened_.clear();
    step = Step::kWatch;
    open_watch();
  } catch (const Error& error) {
    say(std::string("the trace is shown, but not what it was asked: ") + error.what());
  }
}

// Unless the learner chose, the room watches the newest section that the panel says is worth it.
void Desk::pick_section() {
  const auto& sections = runs.trace().sections();
  if (chosen_by_hand_ || sections.empty() || !playhead.follow || (awaited_ && awaited_->closed)) return;
  // Also when the guess is kept: what it shows is what was asked about.
  if (step == Step::kGuess && question() != nullptr && !panel->closes_answers()) {
    playhead.section = panel->section_before(*question());
    return;
  }
  const std::string wanted = panel->section_of(*config);
  if (!wanted.empty() && runs.trace().find(wanted) != nullptr) {
    playhead.section = wanted;
    return;
  }
  for (const SectionView& section : sections)
    if (panel->worth_watching(section.name())) playhead.section = section.name();
}

void Desk::keep_run() {
  if (!runs.trace().complete()) return;  // its last snapshot comes a moment after its end
  kept_this_ = true;
  KeptFigures figures{config->scenario(true), std::make_shared<Config>(*config), {}, {}};
  figures.outcome = runs.trace().rows().outcome;
  for (const PredictionRow& row : runs.trace().rows().predictions)
    if (row.words.empty()) figures.measured[row.id] = row.answer;
  std::erase_if(kept, [&](const KeptFigures& one) { return one.scenario == figures.scenario; });
  kept.push_back(std::move(figures));
  if (kept.size() > kKeptRuns) kept.erase(kept.begin());
}

// None where the question asked must not be answered by what there is, or another section than the pinned
// run's would be drawn over it.
const SectionView* Desk::watched_section() {
  const bool closed = hiding_sections() || (awaited_ && awaited_->closed);
  if (closed && runs.trace().find(playhead.section) == nullptr) return nullptr;
  return watched(runs.trace(), playhead);
}

Moment Desk::moment(const SectionView& section) const {
  return moment_at(runs.trace(), section, playhead.time_ns, 0, lesson->words.step);
}

bool Desk::stride(Stride by, int direction) {
  return ringside::stride(playhead, runs.trace(), by, direction, lesson->words.step);
}

// Until its first run begins, a lesson sees no trace: the one before is another lesson's.
View Desk::view() {
  const bool is_its_own = traced_ && traced_->lesson() == lesson->id;
  const PredictionSpec* revealed = step == Step::kReveal ? question() : nullptr;
  return View{.lesson = *lesson,
              .config = is_its_own ? *traced_ : *config,
              .draft = *drafted,
              .trace = is_its_own ? runs.trace() : no_trace_,
              .run = run_number_,
              .section = is_its_own ? watched_section() : nullptr,
              .playhead = playhead,
              .memory = is_its_own && !history_of_.empty() ? &memory : nullptr,
              .pinned = pinned ? &*pinned : nullptr,
              .kept = &kept,
              .guesses = &guesses,
              .asked = keeping_quiet() ? question() : nullptr,
              .typed = typed_ ? &*typed_ : nullptr,
              .revealing = step != Step::kGuess && step != Step::kWatch,
              .revealed = revealed,
              .revealed_seconds = revealed ? seconds - answer(*revealed).revealed_at : 0,
              .open = &open_questions(),
              .running = runs.running(),
              .seconds = seconds,
              .wishes = wishes};
}

// A picture that the learner keeps, in the folder of what the room keeps.
void Desk::save(const SavedFile& file) {
  if (data_folder_.empty())
    return say(tr("There is no folder to keep it in: set HOME or XDG_DATA_HOME."), true);
  const std::filesystem::path path = data_folder_ / "cards" / file.name;
  std::error_code mistake;
  std::filesystem::create_directories(path.parent_path(), mistake);
  std::ofstream out(path, std::ios::binary);
  out << file.text;
  out.close();
  if (!out) return say(tr("{} cannot be written: {}", path.string(), std::strerror(errno)), true);
  say(to_copy ? tr("Kept as {}. Its line is in the clipboard.", path.string())
              : tr("Kept as {}.", path.string()));
}

void Desk::carry_out(Wishes& asked_for) {
  const Wishes now = std::exchange(asked_for, {});
  if (now.watch) watch(*now.watch);
  if (now.show) show(*now.show);
  if (now.copy) to_copy = now.copy;
  if (now.save) save(*now.save);
  if (now.typed) type_answer(*now.typed);
  if (now.commit && keeping_quiet()) next();
  for (const auto& [name, value] : now.set) set(name, value);
  if (!now.scenario) return;
  try {
    scenario(*now.scenario);
  } catch (const Error& error) {
    refuse(*now.scenario, error.what());
  }
}

}  // namespace ringside::gui
