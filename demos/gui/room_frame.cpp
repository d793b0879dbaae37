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
  const double passed = std::clamp(now - std::exchange(seconds_, now), 0.0, 0.5);
  follow_builds();
  if (training) training->update(now);
  on_call.update();
  if (runs.update()) follow_run();
  if (!runs.error().empty()) {
    // What its run refuses of a scenario is said at its line, like what no run begins with.
    if (const auto mistake = mistake_in(config_->scenario(), runs.error());
        mistake.size < mistake.line.size())
      line_mistake = mistake;
    else
      tell(runs.error());
    runs.forget_error();
  }
  tell_once(record.message());
  tell_once(settings.message());
  if (look.fonts.lacks_chinese())
    tell_once(std::string("Some texts have Chinese characters, and no installed font has them: install ") +
              ui::Fonts::kChinesePackage);
  guessing.read_typed(step_);
  pick_section();
  reach_awaited();
  pair_pinned();
  advance(watching.playhead, runs.trace(), passed);
  measurements_.update(*lesson_, runs.trace(), runs.ended(), run_number_);
  if (!kept_this_ && runs.ended() && runs.trace().complete()) {  // complete comes a moment after ended
    kept_this_ = true;
    comparison.keep(*config_, runs.trace());
  }
  watching.take_in(watched_section());
}

void Desk::tell_once(const std::string& message) {
  if (!message.empty() && told_.insert(message).second) tell(message);
}

// Another trace stands there: of a run that began, or of a file.
void Desk::follow_run() {
  ++run_number_;
  watching.forget_trace();
  kept_this_ = runs.is_file();
  traced_ = config_;
  if (!runs.is_file()) return;
  try {
    std::vector<std::string> words = split_scenario(runs.trace().scenario());
    if (words.empty()) throw InputError("the trace names no scenario");
    const std::string id = words[0];
    words.erase(words.begin());
    const Lesson& of_file = find_lesson(id);
    if (lesson_ != &of_file) enter(of_file);
    config_ = drafted_ = traced_ = parse_words(of_file, words);
    watching.playhead = {.section = panel->section_of(*config_)};
    watching.follow();
    step_ = Step::kWatch;
    open_watch();
  } catch (const Error& error) {
    tell(std::string("the trace is shown, but not what it was asked: ") + error.what());
  }
}

// Unless the learner chose, the room watches the newest section that the panel says is worth it.
void Desk::pick_section() {
  const auto& sections = runs.trace().sections();
  Playhead& playhead = watching.playhead;
  if (watching.chosen_by_hand() || sections.empty() || !playhead.follow || watching.closed()) return;
  // Also when the guess is kept: what it shows is what was asked about.
  if (step_ == Step::kGuess && guessing.question() != nullptr && !panel->closes_answers()) {
    playhead.section = panel->section_before(*guessing.question());
    return;
  }
  const std::string wanted = panel->section_of(*config_);
  if (!wanted.empty() && runs.trace().find(wanted) != nullptr) {
    playhead.section = wanted;
    return;
  }
  for (const SectionView& section : sections) {
    if (panel->worth_watching(section.name())) playhead.section = section.name();
  }
}

// None where the question asked must not be answered by what there is, unless the pictures that answer it
// stay closed; or another section than the pinned run's would be drawn over it.
const SectionView* Desk::watched_section() {
  return watching.section(guessing.keeps_quiet(step_) && !panel->closes_answers());
}

// Until its first run begins, a lesson sees no trace: the one before is another lesson's.
View Desk::view() {
  const bool is_its_own = traced_ && traced_->lesson() == lesson_->id;
  const PredictionSpec* revealed = step_ == Step::kReveal ? guessing.question() : nullptr;
  return View{.lesson = *lesson_,
              .config = is_its_own ? *traced_ : *config_,
              .draft = *drafted_,
              .trace = is_its_own ? runs.trace() : no_trace_,
              .run = run_number_,
              .section = is_its_own ? watched_section() : nullptr,
              .playhead = watching.playhead,
              .memory = is_its_own ? watching.memory() : nullptr,
              .pinned = comparison.pinned(),
              .kept = &comparison.kept(),
              .guesses = &guessing.guesses(),
              .asked = guessing.keeps_quiet(step_) ? guessing.question() : nullptr,
              .typed = guessing.typed(),
              .revealing = step_ != Step::kGuess && step_ != Step::kWatch,
              .revealed = revealed,
              .revealed_seconds = revealed ? seconds_ - guessing.answer(*revealed).revealed_at : 0,
              .open = &guessing.open_questions(step_),
              .running = runs.running(),
              .seconds = seconds_,
              .wishes = wishes};
}

// A picture that the learner keeps, in the folder of what the room keeps.
void Desk::save(const SavedFile& file) {
  if (data_folder_.empty())
    return tell(tr("There is no folder to keep it in: set HOME or XDG_DATA_HOME."), true);
  const std::filesystem::path path = data_folder_ / "cards" / file.name;
  std::error_code mistake;
  std::filesystem::create_directories(path.parent_path(), mistake);
  std::ofstream out(path, std::ios::binary);
  out << file.text;
  out.close();
  if (!out) return tell(tr("{} cannot be written: {}", path.string(), std::strerror(errno)), true);
  tell(to_copy ? tr("Kept as {}. Its line is in the clipboard.", path.string())
               : tr("Kept as {}.", path.string()));
}

void Desk::carry_out(Wishes& asked_for) {
  const Wishes now = std::exchange(asked_for, {});
  if (now.watch) watching.watch(*now.watch);
  if (now.show) show(*now.show);
  if (now.copy) to_copy = now.copy;
  if (now.save) save(*now.save);
  if (now.typed && step_ == Step::kGuess) guessing.type(*now.typed);
  if (now.commit && guessing.keeps_quiet(step_)) next();
  for (const auto& [name, value] : now.set) set(name, value);
  if (!now.scenario) return;
  try {
    scenario(*now.scenario);
  } catch (const Error& error) {
    refuse(*now.scenario, error.what());
  }
}

}  // namespace ringside::gui
