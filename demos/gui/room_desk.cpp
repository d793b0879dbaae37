#include "room_desk.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <filesystem>

#include "ringside/base/error.h"
#include "ringside/base/text.h"
#include "ringside/lesson/front_matter.h"
#include "ringside/lesson/lesson_text.h"

namespace ringside::gui {
Config parse_words(const Lesson& lesson, const std::vector<std::string>& words) {
  return Config::parse(lesson.id, lesson.parameters, words);
}

// The scenario says how many ranks there are, where it says anything.
std::vector<std::string> with_ranks(std::vector<std::string> words, int ranks) {
  const auto says = [](const std::string& word) { return word.starts_with("ranks="); };
  if (std::ranges::none_of(words, says)) words.push_back(fmt::format("ranks={}", ranks));
  return words;
}

Desk::Desk(const RoomOptions& options, ui::Look& the_look)
    : look(the_look),
      record(options.data_folder),
      settings(options.config_folder),
      prepare(options.data_folder, record),
      runs(options.processes > 0),
      data_folder_(options.data_folder) {
  if (options.training) training.emplace(*options.training);
  training_open = training.has_value();
  on_call.take(options.autopsy);
  std::string id = options.lesson;
  if (lesson_catalogue().empty()) throw MissingError("this program was built without a lesson");
  if (!id.empty() && !is_lesson(id) && std::filesystem::exists(std::filesystem::path(id) / "metrics.jsonl"))
    throw UsageError(fmt::format(
        "{0}: is the folder of a training, no lesson; ringside gui --training {0} opens it", typed_path(id)));
  if (id.empty()) id = settings.get().last_lesson;
  if (options.lesson.empty() && !is_lesson(id)) id = lesson_catalogue().front().id;
  if (options.trace) open_trace(*options.trace);
  look_what_is_built();
  if (const std::string first = first_lesson(id); first != id) {
    choose_lesson(first, last_words(first));
    if (options.lesson.empty()) return;
  }
  std::vector<std::string> words =
      options.words.empty() && options.lesson.empty() ? last_words(id) : options.words;
  if (options.processes > 0 && !unbuilt.contains(id) && find_lesson(id).as_processes)
    words = with_ranks(std::move(words), options.processes);
  choose_lesson(id, words);
}

// Where the learner left that lesson; none where it has changed since.
std::vector<std::string> Desk::last_words(const std::string& id) const {
  const auto found = settings.get().scenarios.find(id);
  if (found == settings.get().scenarios.end()) return {};
  try {
    std::vector<std::string> words = split_scenario(found->second);
    words.erase(words.begin());
    parse_words(find_lesson(id), words);
    return words;
  } catch (const Error&) {
    return {};
  }
}

// As a line; the lesson alone where it was never left, or is not built.
std::string Desk::last_line(const std::string& id) const {
  return last_words(id).empty() ? id : settings.get().scenarios.at(id);
}

void Desk::return_to(const std::string& id) { choose_lesson(id, last_words(id)); }

Desk::~Desk() { ui::set_terms(nullptr); }

void Desk::choose_lesson(const std::string& id, const std::vector<std::string>& words) {
  if (unbuilt.contains(id)) return open_once_built(id, words);
  to_open_ = {};
  const Lesson& chosen = find_lesson(id);
  const bool opens_page = lesson == nullptr && (training || on_call.open);
  Config start = parse_words(chosen, words);  // before anything changes
  const bool enters = lesson != &chosen;
  if (enters) {
    enter(chosen);
    step = Step::kGuess;
    record.visit(id, kStepNames[0]);
  }
  config = drafted = start;  // until the trace is read, or somebody runs it
  if (enters) recall();
  if (!runs.reading() && !opens_page) run(std::move(start));
}

// Its panel and text; what was said about the lesson before is put away.
void Desk::enter(const Lesson& chosen) {
  lesson = &chosen;
  panel = make_panel_for(chosen);
  text.clear();
  look.fonts.need(chosen.text);
  look.fonts.need(chosen.title);
  for (const PictureTab& picture : panel->pictures()) look.fonts.need(picture.title);
  terms = std::make_unique<ui::Terms>(chosen.terms);
  ui::set_terms(terms.get());
  for (auto& [title, body] : parts_of(chosen.text)) text.push_back({title, ui::Markdown(body)});
  saying.enter(chosen);
  said_listing.reset();
  if (const std::string& listing = saying.saying().listing; !listing.empty())
    said_listing.emplace("```\n" + listing + "```\n");
  said_answers.clear();
  for (const FollowUp& one : saying.saying().follow_ups) said_answers.emplace_back(one.answer);
  answers_.clear();
  guesses.clear();
  kept.clear();
  pinned.reset();
  change_guess = {};
  awaited_.reset();
  opened_.clear();
  asked = recalled = 0;
  if (question() != nullptr) panel->show_picture(panel->picture_for(*question()));
  settings.change([&](Settings& s) { s.last_lesson = chosen.id; });
  record.enter(chosen.id);
}

void Desk::run(Config next) {
  draft_mistake.clear();
  line_mistake.reset();
  std::optional<Awaited> to_reach = step == Step::kBreak ? compare_with(next) : same_instant(next);
  opened_.clear();
  drafted = next;
  config = next;
  chosen_by_hand_ = false;
  playhead.follow = true;
  playhead.playing = false;
  playhead.section = panel->section_of(next);
  awaited_ = std::move(to_reach);
  if (awaited_ && awaited_->closed) playhead.section = awaited_->place.section;
  settings.change([&](Settings& s) { s.scenarios[lesson->id] = next.scenario(); });
  runs.start(*lesson, std::move(next));
}

void Desk::set(const std::string& name, const std::string& value) {
  try {
    Config next = config->with({name + "=" + value});
    draft_mistake.clear();
    View now = view();
    if (panel->take(now, name, value)) {
      drafted = config;
      return;
    }
    if (next.scenario(true) != config->scenario(true) || runs.is_file()) run(std::move(next));
  } catch (const Error& error) {
    draft_mistake = error.what();
  }
}

void Desk::draft(const std::string& name, const std::string& value) {
  try {
    drafted = config->with({name + "=" + value});
    draft_mistake.clear();
  } catch (const Error& error) {
    draft_mistake = error.what();
  }
}

void Desk::scenario(const std::string& line) {
  std::vector<std::string> words = split_scenario(line);
  if (!words.empty() && words[0] == "ringside") words.erase(words.begin());
  if (!words.empty() && words[0] == "./run") words.erase(words.begin());
  if (words.empty()) throw UsageError("an empty scenario; it starts with a lesson, as in: zero ranks=4");
  const std::string id = words[0];
  words.erase(words.begin());
  if (unbuilt.contains(id)) return open_once_built(id, words);
  const Lesson& other = find_lesson(id);
  if (&other != lesson) return choose_lesson(id, words);
  run(parse_words(other, words));
}

std::optional<KeptRun> Desk::this_run() {
  const SectionView* section = watched(runs.trace(), playhead);
  if (section == nullptr) return std::nullopt;
  const Config& now = traced_ ? *traced_ : *config;
  return KeptRun{now.scenario(true), std::make_shared<Config>(now), runs.trace(), section->name(),
                 playhead.time_ns};
}

const ui::Markdown* Desk::part(std::string_view title) const {
  const auto found = std::ranges::find(text, title, &Part::title);
  return found == text.end() ? nullptr : &found->text;
}

void Desk::pin() {
  pinned = pinned ? std::nullopt : this_run();
  pinned_by_hand_ = pinned.has_value();
  ++pins_;
}

void Desk::watch(const std::string& section) {
  if (runs.trace().find(section) == nullptr) return;
  awaited_.reset();
  if (playhead.section != section) {
    playhead.section = section;
    playhead.follow = true;
    playhead.playing = false;
  }
  chosen_by_hand_ = true;
}

void Desk::say(const std::string& message, bool alarm) {
  const auto same = [&](const Message& one) { return one.text == message; };
  if (std::ranges::any_of(messages, same)) return;
  look.fonts.need(message);
  messages.push_back({message, alarm});
  if (messages.size() > 4) messages.erase(messages.begin());
}

void Desk::refuse(const std::string& line, const std::string& why) {
  look.fonts.need(line);
  look.fonts.need(why);
  line_mistake = mistake_in(line, why);
  focus_scenario = true;
}

}  // namespace ringside::gui
