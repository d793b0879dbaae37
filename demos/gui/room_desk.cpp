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
static std::vector<std::string> with_ranks(std::vector<std::string> words, int ranks) {
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
  if (options.processes > 0 && !unbuilt_.contains(id) && find_lesson(id).as_processes)
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

void Desk::choose_lesson(const std::string& id, const std::vector<std::string>& words) {
  if (unbuilt_.contains(id)) return open_once_built(id, words);
  to_open_ = {};
  const Lesson& chosen = find_lesson(id);
  const bool opens_page = lesson_ == nullptr && (training || on_call.open);
  Config start = parse_words(chosen, words);  // before anything changes
  const bool enters = lesson_ != &chosen;
  if (enters) {
    enter(chosen);
    step_ = Step::kGuess;
    record.visit(id, kStepNames[0]);
  }
  config_ = drafted_ = start;  // until the trace is read, or somebody runs it
  if (enters) {
    guessing.recall(record.attempts());
    show_asked_picture();
  }
  if (!runs.reading() && !opens_page) run(std::move(start));
}

// Its panel and text; what was said about the lesson before is put away.
void Desk::enter(const Lesson& chosen) {
  lesson_ = &chosen;
  panel = make_panel_for(chosen);
  text_.clear();
  look.fonts.need(chosen.text);
  look.fonts.need(chosen.title);
  for (const PictureTab& picture : panel->pictures()) look.fonts.need(picture.title);
  look.terms = ui::Terms(chosen.terms);
  for (auto& [title, body] : parts_of(chosen.text)) text_.push_back({title, ui::Markdown(body)});
  saying.enter(chosen);
  say_listing_.reset();
  if (const std::string& listing = saying.saying().listing; !listing.empty())
    say_listing_.emplace("```\n" + listing + "```\n");
  say_answers_.clear();
  for (const FollowUp& one : saying.saying().follow_ups) say_answers_.emplace_back(one.answer);
  controls.typed.clear();
  guessing.enter(chosen);
  comparison = {};
  watching.enter(chosen);
  show_asked_picture();
  settings.change([&](Settings& s) { s.last_lesson = chosen.id; });
  record.enter(chosen.id);
}

void Desk::run(Config next) {
  draft_mistake_.clear();
  line_mistake.reset();
  watching.follow(step_ == Step::kBreak ? compare_with(next) : same_instant(next));
  drafted_ = next;
  config_ = next;
  watching.playhead.playing = false;
  watching.playhead.section = watching.closed() ? watching.awaited()->place.section : panel->section_of(next);
  settings.change([&](Settings& s) { s.scenarios[lesson_->id] = next.scenario(); });
  runs.start(*lesson_, std::move(next));
}

void Desk::set(const std::string& name, const std::string& value) {
  try {
    Config next = config_->with({name + "=" + value});
    draft_mistake_.clear();
    View now = view();
    if (panel->take(now, name, value)) {
      drafted_ = config_;
      return;
    }
    if (next.scenario(true) != config_->scenario(true) || runs.is_file()) run(std::move(next));
  } catch (const Error& error) {
    draft_mistake_ = error.what();
  }
}

void Desk::draft(const std::string& name, const std::string& value) {
  try {
    drafted_ = config_->with({name + "=" + value});
    draft_mistake_.clear();
  } catch (const Error& error) {
    draft_mistake_ = error.what();
  }
}

void Desk::scenario(const std::string& line) {
  std::vector<std::string> words = split_scenario(line);
  if (!words.empty() && words[0] == "ringside") words.erase(words.begin());
  if (!words.empty() && words[0] == "./run") words.erase(words.begin());
  if (words.empty()) throw UsageError("an empty scenario; it starts with a lesson, as in: zero ranks=4");
  const std::string id = words[0];
  words.erase(words.begin());
  if (unbuilt_.contains(id)) return open_once_built(id, words);
  const Lesson& other = find_lesson(id);
  if (&other != lesson_) return choose_lesson(id, words);
  run(parse_words(other, words));
}

std::optional<KeptRun> Desk::this_run() {
  const SectionView* section = watching.at_playhead();
  if (section == nullptr) return std::nullopt;
  const Config& now = traced_ ? *traced_ : *config_;
  return KeptRun{now.scenario(true), std::make_shared<Config>(now), runs.trace(), section->name(),
                 watching.playhead.time_ns};
}

bool Desk::follows_traced(const Config& next) const {
  return traced_ && traced_->lesson() == lesson_->id && next.lesson() == lesson_->id;
}

// The run that stands there is pinned, unless the learner has pinned one. The next one is watched in the same
// section at the same instant; where it names a section of its own, that one of the pinned run is beside it.
std::optional<Awaited> Desk::compare_with(const Config& next) {
  if (!follows_traced(next) || *traced_ == next) return std::nullopt;
  comparison.guess.said = std::exchange(comparison.guess.next, kNoGuess);
  const KeptRun* pinned = comparison.pinned();
  if (pinned != nullptr && watching.closed()) {  // the last change has come to nothing yet
    Awaited still = *watching.awaited();
    if (const std::string own = panel->section_of(next); !own.empty()) still.place.section = own;
    return still;
  }
  const bool unfinished = pinned != nullptr && !runs.trace().complete();  // likewise
  if (!comparison.by_hand() && !unfinished) comparison.pin(this_run(), false);
  pinned = comparison.pinned();
  if (pinned == nullptr) return std::nullopt;
  const SectionView* section = pinned->trace.find(pinned->section);
  Place place = place_of(pinned->trace, *section, pinned->time_ns, watching.step_word());
  place.section = panel->section_beside(next, pinned->section);
  if (place.section.empty()) return std::nullopt;
  const bool by_hand = comparison.by_hand();
  if (!by_hand) comparison.move_pinned(place, watching.step_word());
  return Awaited{.place = std::move(place), .closed = true, .followed = !by_hand && watching.playhead.follow};
}

// A run that the room has pinned shows the section that is watched, where it has that one.
void Desk::pair_pinned() {
  if (comparison.pinned() == nullptr || comparison.by_hand() || watching.closed()) return;
  if (const SectionView* now = watched_section();
      now != nullptr && now->name() != comparison.pinned()->section)
    comparison.move_pinned(watching.place(*now), watching.step_word());
}

// A learner who has stopped at an instant finds it in the next run too, where that has the section.
std::optional<Awaited> Desk::same_instant(const Config& next) {
  const SectionView* section = follows_traced(next) ? watched_section() : nullptr;
  if (step_ != Step::kWatch || section == nullptr || watching.playhead.follow) return std::nullopt;
  if (const std::string own = panel->section_of(next); !own.empty() && own != section->name())
    return std::nullopt;
  return Awaited{.place = watching.place(*section)};
}

void Desk::change_line(const std::string& line) {
  std::vector<std::string> words = split_scenario(line);
  if (words.empty() || words.front() != lesson_->id) {
    wishes.scenario = line;
    return;
  }
  words.erase(words.begin());
  try {
    Config next = config_->with(words);
    if (next == *config_) return tell(fmt::format("This line says it already: {}", line));
    run(std::move(next));
  } catch (const Error& error) {
    tell(error.what());
  }
}

const std::vector<GaugeRow>& Desk::gauges() {
  View now = view();
  if (!traced_ || !(*traced_ == *config_)) now.section = nullptr;  // its run has not begun
  comparison.update(now);
  return comparison.rows();
}

std::string Desk::difference() {
  if (comparison.pinned() == nullptr) return "";
  gauges();
  return comparison.difference(*config_, runs.trace(), watched_section(), runs.busy());
}

const ui::Markdown* Desk::part(std::string_view title) const {
  const auto found = std::ranges::find(text_, title, &Part::title);
  return found == text_.end() ? nullptr : &found->text;
}

void Desk::pin() { comparison.pin(comparison.pinned() == nullptr ? this_run() : std::nullopt, true); }

void Desk::tell(const std::string& message, bool alarm) {
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
