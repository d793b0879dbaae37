#include "room_desk.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>

#include "ringside/base/error.h"
#include "ringside/base/units.h"
#include "ringside/lesson/prediction.h"

namespace ringside::gui {
namespace {

Config parse_words(const Lesson& lesson, const std::vector<std::string>& words) {
  return Config::parse(lesson.id, lesson.parameters, words);
}

// The scenario with some of its words said otherwise.
Config with(const Lesson& lesson, const Config& config, const std::vector<std::string>& changes) {
  std::vector<std::string> words = split_scenario(config.scenario());
  words.erase(words.begin());
  for (const std::string& change : changes) {
    const std::string key = change.substr(0, change.find('=') + 1);
    std::erase_if(words, [&](const std::string& word) { return word.starts_with(key); });
    words.push_back(change);
  }
  return parse_words(lesson, words);
}

constexpr size_t kKeptRuns = 64;
constexpr double kRight = 0.025;  // of the right answer: as near as a wrong one has to be to be named

bool is_right(const PredictionSpec& spec, const Config& config, double value) {
  const double right = spec.formula(config);
  return std::abs(value - right) <= kRight * std::abs(right);
}

}  // namespace

Reading read_answer(const PredictionSpec& spec, const Config& config, const Answer& answer) {
  Reading reading;
  if (answer.kind == AnswerKind::kBlocks) {
    double sum = 0;
    for (const double block : answer.blocks) sum += block;
    reading.value = sum;
    return reading;
  }
  if (answer.text.find_first_not_of(' ') == std::string::npos) return reading;
  const std::vector<Symbol> symbols = spec.symbols ? spec.symbols(config) : std::vector<Symbol>{};
  try {
    const Formula typed = Formula::parse(answer.text, symbols);
    const Formula meant = read_as(typed, symbols);
    reading.value = meant.value(symbols);
    if (meant.uses() != typed.uses()) reading.note = "read with Ψ, the number of parameters, for P";
  } catch (const Error& error) {
    reading.note = error.what();
    reading.wrong = true;
  }
  return reading;
}

Desk::Desk(const RoomOptions& options, ui::Look& the_look)
    : look(the_look), record(options.data_folder), settings(options.config_folder) {
  std::string id = options.lesson;
  const auto& lessons = all_lessons();
  if (lessons.empty()) throw MissingError("this program was built without a lesson");
  const auto known = [&](const std::string& name) {
    return std::any_of(lessons.begin(), lessons.end(), [&](const Lesson& one) { return one.id == name; });
  };
  if (id.empty()) id = known(settings.get().last_lesson) ? settings.get().last_lesson : lessons.front().id;
  if (options.trace) open_trace(*options.trace);
  choose_lesson(id, options.words);
}

Desk::~Desk() = default;

void Desk::choose_lesson(const std::string& id, const std::vector<std::string>& words) {
  const Lesson& chosen = find_lesson(id);
  Config start = parse_words(chosen, words);  // before anything changes
  if (lesson != &chosen) {
    lesson = &chosen;
    panel = make_panel_for(id);
    text.clear();
    look.fonts.need(chosen.text);
    look.fonts.need(chosen.title);
    for (auto& [title, body] : ui::split_sections(chosen.text)) text.push_back({title, ui::Markdown(body)});
    answers_.clear();
    guesses.clear();
    kept.clear();
    pinned.reset();
    asked = 0;
    step = Step::kGuess;
    settings.change([&](Settings& kept) { kept.last_lesson = id; });
    record.enter(id);
    record.visit(id, kStepNames[0]);
  }
  if (!runs.reading()) return run(std::move(start));
  config = drafted = std::move(start);  // until the trace is read
}

void Desk::run(Config next) {
  draft_mistake.clear();
  drafted = next;
  config = next;
  chosen_by_hand_ = false;
  playhead.follow = true;
  playhead.playing = false;
  playhead.section = panel->section_of(next);
  runs.start(*lesson, std::move(next));
}

void Desk::set(const std::string& name, const std::string& value) {
  try {
    Config next = with(*lesson, *config, {name + "=" + value});
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
    drafted = with(*lesson, *config, {name + "=" + value});
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
  const Lesson& other = find_lesson(id);
  if (&other != lesson) return choose_lesson(id, words);
  run(parse_words(other, words));
}

void Desk::go_to(Step to) {
  step = to;
  record.visit(lesson->id, kStepNames[static_cast<int>(to)]);
  if (to == Step::kReveal) {
    if (const PredictionSpec* spec = question()) {
      Answer& mine = answer(*spec);
      if (mine.revealed_at < 0) mine.revealed_at = seconds;
      if (!spec->section.empty()) watch(spec->section);
    }
  }
  if (to == Step::kGuess) {
    if (const PredictionSpec* spec = question()) panel->show_picture(panel->picture_for(*spec));
    focus_answer = true;
    chosen_by_hand_ = false;
    playhead.follow = true;
  }
}

void Desk::ask(size_t index) {
  asked = std::min(index, lesson->predictions.empty() ? 0 : lesson->predictions.size() - 1);
  go_to(Step::kGuess);
}

const PredictionSpec* Desk::question() const {
  return asked < lesson->predictions.size() ? &lesson->predictions[asked] : nullptr;
}

Answer& Desk::answer(const PredictionSpec& spec) {
  const auto [place, is_new] = answers_.try_emplace(spec.id);
  Answer& mine = place->second;
  if (is_new) mine.kind = spec.answered_by;
  if (spec.blocks) mine.blocks.resize(spec.blocks(*config).size(), 0);
  return mine;
}

const Guess* Desk::guess(const std::string& prediction) const {
  for (const Guess& one : guesses) {
    if (one.prediction == prediction) return &one;
  }
  return nullptr;
}

void Desk::commit() {
  const PredictionSpec* spec = question();
  if (spec == nullptr) return;
  Answer& mine = answer(*spec);
  const Reading reading = read_answer(*spec, *config, mine);
  if (!reading.value || !std::isfinite(*reading.value)) return;
  mine.given = true;
  mine.revealed_at = -1;

  Guess guess;
  guess.prediction = spec->id;
  guess.value = *reading.value;
  if (mine.kind == AnswerKind::kFormula) guess.formula = mine.text;
  if (mine.kind == AnswerKind::kBlocks) guess.blocks = mine.blocks;
  if (mine.kind == AnswerKind::kBlocks) {
    guess.at = [](const Config&) { return std::nullopt; };  // built for one N
  } else {
    guess.at = [spec, mine](const Config& at) { return read_answer(*spec, at, mine).value; };
  }
  std::erase_if(guesses, [&](const Guess& one) { return one.prediction == spec->id; });
  guesses.push_back(std::move(guess));

  Attempt attempt;
  attempt.lesson = lesson->id;
  attempt.prediction = spec->id;
  attempt.scenario = config->scenario(true);
  attempt.answered_by = mine.kind;
  attempt.typed =
      mine.kind == AnswerKind::kBlocks ? fmt::format("{}", fmt::join(mine.blocks, " ")) : mine.text;
  attempt.value = *reading.value;
  attempt.confidence = mine.confidence;
  attempt.right = spec->formula(*config);
  attempt.correct = is_right(*spec, *config, *reading.value);
  if (!attempt.correct) {
    for (const WrongAnswer& wrong : named_wrong(*spec, *config, *reading.value))
      attempt.errors.push_back(wrong.name);
  }
  record.add(std::move(attempt));
}

void Desk::again(const std::string& words) {
  std::vector<std::string> changes = split_scenario(words);
  try {
    Config next = with(*lesson, *config, changes);
    const PredictionSpec* spec = question();
    if (spec != nullptr) answers_.erase(spec->id);
    std::erase_if(guesses, [&](const Guess& one) { return spec != nullptr && one.prediction == spec->id; });
    run(std::move(next));
    go_to(Step::kGuess);
  } catch (const Error& error) {
    say(error.what(), true);
  }
}

std::string Desk::next_label() const {
  const PredictionSpec* spec = question();
  const auto found = spec == nullptr ? answers_.end() : answers_.find(spec->id);
  const bool given = found != answers_.end() && found->second.given;
  switch (step) {
    case Step::kGuess:
      return spec == nullptr || given ? "watch it ▸" : "this is my guess";
    case Step::kWatch:
      return spec == nullptr ? "break it ▸" : given ? "reveal ▸" : "◂ guess first";
    case Step::kReveal:
      return asked + 1 < lesson->predictions.size() ? "next question ▸" : "break it ▸";
    case Step::kBreak:
      return "say it ▸";
    case Step::kSay:
      break;
  }
  return all_lessons().size() > 1 ? "next lesson ▸" : "from the start ▸";
}

void Desk::next() {
  const PredictionSpec* spec = question();
  const bool given = spec != nullptr && answer(*spec).given;
  switch (step) {
    case Step::kGuess:
      if (spec == nullptr || given) return go_to(Step::kWatch);
      return commit();
    case Step::kWatch:
      return go_to(spec == nullptr ? Step::kBreak : given ? Step::kReveal : Step::kGuess);
    case Step::kReveal:
      if (asked + 1 < lesson->predictions.size()) return ask(asked + 1);
      return go_to(Step::kBreak);
    case Step::kBreak:
      return go_to(Step::kSay);
    case Step::kSay:
      break;
  }
  const auto& lessons = all_lessons();
  const auto here = static_cast<size_t>(lesson - lessons.data());
  if (lessons.size() > 1) return choose_lesson(lessons[(here + 1) % lessons.size()].id);
  ask(0);
}

void Desk::pin() {
  if (pinned) {
    pinned.reset();
    return;
  }
  if (runs.trace().sections().empty()) return;
  const SectionView* section = watched(runs.trace(), playhead);
  pinned = KeptRun{config->scenario(true), std::make_shared<Config>(*config), runs.trace(), section->name(),
                   playhead.time_ns};
}

void Desk::watch(const std::string& section) {
  if (runs.trace().find(section) == nullptr) return;
  if (playhead.section != section) {
    playhead.section = section;
    playhead.follow = true;
    playhead.playing = false;
  }
  chosen_by_hand_ = true;
}

void Desk::open_trace(const std::filesystem::path& path) { runs.open(path); }

void Desk::say(const std::string& message, bool alarm) {
  const auto same = [&](const Message& one) { return one.text == message; };
  if (std::any_of(messages.begin(), messages.end(), same)) return;
  look.fonts.need(message);
  messages.push_back({message, alarm});
  if (messages.size() > 4) messages.erase(messages.begin());
}

std::optional<double> Desk::measured(const PredictionSpec& spec) const { return measurements.of(spec.id); }

std::string Desk::status() const {
  if (runs.reading()) return "reading a trace";
  if (runs.stopping()) return "stopping at the next step";
  if (runs.is_file()) return runs.trace().complete() ? "a saved trace" : "a saved trace, cut short";
  if (!runs.error().empty()) return "ended with an error";
  if (runs.ended()) return runs.trace().complete() ? "done" : "stopped; what was recorded is kept";
  const Progress progress = runs.progress();
  if (progress.total == 0) return "starting";
  return fmt::format("{}, {:.0f}%", progress.phase,
                     100.0 * static_cast<double>(progress.done) / static_cast<double>(progress.total));
}

// ---- Each frame -----------------------------------------------------------------

void Desk::update(double now) {
  seconds = now;
  const double passed = std::clamp(now - last_, 0.0, 0.5);
  last_ = now;
  if (runs.update()) follow_run();
  if (!runs.error().empty()) {
    say(runs.error(), true);
    runs.forget_error();
  }
  relay(record.message(), said_of_record_);
  relay(settings.message(), said_of_settings_);
  if (look.fonts.lacks_chinese() && !std::exchange(said_no_chinese_, true)) {
    say(std::string("Some texts have Chinese characters, and no installed font has them: install ") +
        ui::Fonts::kChinesePackage);
  }
  read_typed();
  pick_section();
  advance(playhead, runs.trace(), passed);
  measurements.update(*lesson, runs.trace(), runs.ended(), run_number_);
  if (runs.ended() && !kept_this_) keep_run();
  if (const SectionView* section = watched_section()) {
    const std::string id = std::to_string(run_number_) + section->name();
    if (id != history_of_) {
      memory = {};
      index = {};
      timeline = {};
      history_of_ = id;
    }
    memory.update(*section);
    index.update(runs.trace(), *section);
  }
}

// What a file of the learner's has to say, once.
void Desk::relay(const std::string& message, std::string& said) {
  if (message == said) return;
  said = message;
  if (!message.empty()) say(message, true);
}

// Whether what is measured would tell the answer to the question that is still open.
bool Desk::keeping_quiet() {
  const PredictionSpec* spec = question();
  return step == Step::kGuess && spec != nullptr && !answer(*spec).given;
}

bool Desk::filling() const {
  if (step != Step::kReveal || !look.motion || question() == nullptr) return false;
  const auto found = answers_.find(question()->id);
  return found != answers_.end() && found->second.revealed_at >= 0 &&
         seconds - found->second.revealed_at < 0.7;
}

// Another trace stands there: of a run that began, or of a file.
void Desk::follow_run() {
  ++run_number_;
  kept_this_ = runs.is_file();
  if (!runs.is_file()) return;
  try {
    std::vector<std::string> words = split_scenario(runs.trace().scenario());
    if (words.empty()) throw InputError("the trace names no scenario");
    const std::string id = words[0];
    words.erase(words.begin());
    const Lesson& of_file = find_lesson(id);
    if (lesson != &of_file) {
      lesson = &of_file;
      panel = make_panel_for(id);
    }
    config = drafted = parse_words(of_file, words);
    playhead = {};
    playhead.section = panel->section_of(*config);
    chosen_by_hand_ = false;
    step = Step::kWatch;
  } catch (const Error& error) {
    say(std::string("the trace is shown, but not what it was asked: ") + error.what(), true);
  }
}

// Unless the learner chose, the room watches the newest section that the panel says is worth it.
void Desk::pick_section() {
  const auto& sections = runs.trace().sections();
  if (chosen_by_hand_ || sections.empty() || !playhead.follow) return;
  if (keeping_quiet()) {
    playhead.section = panel->section_before(*question());
    return;
  }
  const std::string wanted = panel->section_of(*config);
  if (!wanted.empty() && runs.trace().find(wanted) != nullptr) {
    playhead.section = wanted;
    return;
  }
  for (const SectionView& section : sections) {
    if (panel->worth_watching(section.name())) playhead.section = section.name();
  }
}

void Desk::keep_run() {
  kept_this_ = true;
  if (!runs.trace().complete()) return;
  KeptFigures figures{config->scenario(true), std::make_shared<Config>(*config), {}, {}};
  figures.outcome = runs.trace().rows().outcome;
  for (const PredictionRow& row : runs.trace().rows().predictions) figures.measured[row.id] = row.answer;
  std::erase_if(kept, [&](const KeptFigures& one) { return one.scenario == figures.scenario; });
  kept.push_back(std::move(figures));
  if (kept.size() > kKeptRuns) kept.erase(kept.begin());
}

// None where the question asked must not be answered by what there is.
const SectionView* Desk::watched_section() {
  if (keeping_quiet() && runs.trace().find(playhead.section) == nullptr) return nullptr;
  return watched(runs.trace(), playhead);
}

// What stands in the field of the open question, as a guess that is not kept yet.
void Desk::read_typed() {
  typed_.reset();
  const PredictionSpec* spec = keeping_quiet() ? question() : nullptr;
  if (spec == nullptr) return;
  const Answer& mine = answer(*spec);
  const Reading reading = read_answer(*spec, *config, mine);
  const bool built = mine.kind == AnswerKind::kBlocks;
  if (!reading.value || !std::isfinite(*reading.value) || (built && *reading.value == 0)) return;
  typed_ = Guess{spec->id, built ? "" : mine.text, *reading.value, {}, nullptr};
  if (!built) typed_->at = [spec, mine](const Config& at) { return read_answer(*spec, at, mine).value; };
}

View Desk::view() {
  return View{.lesson = *lesson,
              .config = *config,
              .draft = *drafted,
              .trace = runs.trace(),
              .section = watched_section(),
              .playhead = playhead,
              .memory = history_of_.empty() ? nullptr : &memory,
              .pinned = pinned ? &*pinned : nullptr,
              .kept = &kept,
              .guesses = &guesses,
              .asked = keeping_quiet() ? question() : nullptr,
              .typed = typed_ ? &*typed_ : nullptr,
              .revealing = step != Step::kGuess && step != Step::kWatch,
              .running = runs.running(),
              .seconds = seconds,
              .wishes = wishes};
}

void Desk::carry_out(Wishes& asked_for) {
  const Wishes now = std::exchange(asked_for, {});
  if (now.watch) watch(*now.watch);
  if (now.copy) to_copy = now.copy;
  for (const auto& [name, value] : now.set) set(name, value);
  if (!now.scenario) return;
  try {
    scenario(*now.scenario);
  } catch (const Error& error) {
    say(error.what(), true);
  }
}

}  // namespace ringside::gui
