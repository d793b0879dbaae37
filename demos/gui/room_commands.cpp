#include "room_desk.h"

#include <algorithm>
#include <sstream>

#include "ringside/base/error.h"
#include "ringside/lesson/word_question.h"
#include "room_parts.h"

namespace ringside::gui {
namespace {

double number(const std::string& word) {
  size_t used = 0;
  double value = 0;
  try {
    value = std::stod(word, &used);
  } catch (const std::exception&) {
  }
  if (used != word.size() || word.empty()) throw UsageError("'" + word + "': a number is wanted");
  return value;
}

// "a | b": options as they are called, or by their number where none is called so.
Words read_list(const WordQuestion& question, const Config& config, const std::string& text) {
  const Words options = options_of(question, config);
  Words words;
  std::istringstream in(text);
  for (std::string word; std::getline(in, word, '|');) {
    const size_t first = word.find_first_not_of(' '), last = word.find_last_not_of(' ');
    word = first == std::string::npos ? "" : word.substr(first, last - first + 1);
    const bool is_option = std::ranges::find(options, word) != options.end();
    const bool is_number = !word.empty() && word.find_first_not_of("0123456789") == std::string::npos;
    const size_t place = is_number && word.size() < 4 ? std::stoul(word) : 0;
    if (question.kind != AnswerKind::kLine && !is_option && place >= 1 && place <= options.size())
      word = options[place - 1];
    words.push_back(word);
  }
  return words;
}

void predict(Desk& desk, const std::string& rest) {
  const size_t blank = rest.find(' ');
  const std::string id = rest.substr(0, blank);
  const auto& all = desk.lesson().predictions;
  const auto spec = std::ranges::find(all, id, &PredictionSpec::id);
  if (spec == all.end()) throw UsageError("no question '" + id + "' in lesson " + desk.lesson().id);
  desk.ask(size_t(spec - all.begin()));
  if (blank == std::string::npos) return;
  Answer answer = desk.guessing.answer(*spec);
  answer.text = rest.substr(blank + 1);
  if (spec->words)
    answer.words = read_list(*spec->words, desk.config(), answer.text);
  else
    answer.kind = spec->symbols ? AnswerKind::kFormula : AnswerKind::kNumber;
  const Reading reading = read_answer(*spec, desk.config(), answer);
  if (!reading.is_answer()) throw UsageError("predict " + id + ": " + reading.note);
  ++answer.edition;
  desk.guessing.answer(*spec) = answer;
  desk.commit();
}

void go_to_step(Desk& desk, const std::string& name) {
  for (int i = 0; i < kStepCount; ++i) {
    std::string known = kStepNames[i];
    known[0] = char(std::tolower(static_cast<unsigned char>(known[0])));
    if (known == name || known.substr(0, known.find(' ')) == name || std::to_string(i + 1) == name)
      return desk.go_to(static_cast<Step>(i));
  }
  throw UsageError("no step '" + name + "'; there are guess, watch, reveal, break, say");
}

void to_part(Desk& desk, double part) {
  const SectionView* section = desk.watching.at_playhead();
  if (section == nullptr) throw UsageError("playhead: nothing is recorded yet");
  const TimeRange range = time_range(*section);
  desk.watching.seek(range.first + int64_t(double(range.length()) * part));
}

void stride_by(Desk& desk, const std::string& rest) {
  std::istringstream in(rest);
  std::string kind;
  int count = 1;
  in >> kind >> count;
  const Stride by = kind == "step" ? Stride::kStep : kind == "phase" ? Stride::kPhase : Stride::kEvent;
  for (int i = 0; i < std::min(std::abs(count), 10000); ++i) desk.watching.stride(by, count < 0 ? -1 : 1);
}

void picture(Desk& desk, const std::string& name) {
  const auto place = desk.panel->picture_called(name);
  if (!place) throw UsageError("no picture '" + name + "'");
  desk.panel->show_picture(*place);
}

void theme(Desk& desk, const std::string& name) {
  if (name != "dark" && name != "light") throw UsageError("theme '" + name + "': dark or light");
  desk.look.mode = name == "dark" ? ui::Mode::kDark : ui::Mode::kLight;
  desk.settings.change([&](Settings& kept) { kept.theme = desk.look.mode; });
  ui::apply_style();
}

void set_parameter(Desk& desk, const std::string& rest) {
  const size_t cut = rest.find_first_of(" =");
  if (cut == std::string::npos) throw UsageError("set NAME VALUE");
  desk.set(rest.substr(0, cut), rest.substr(cut + 1));
  if (!desk.draft_mistake().empty()) throw UsageError(desk.draft_mistake());
}

void watch(Desk& desk, const std::string& section) {
  if (!desk.watching.watch(section)) throw UsageError("no section '" + section + "' is recorded");
}

struct Command {
  const char* name;
  void (*act)(Desk&, const std::string& rest);
};
const Command kCommands[] = {
    {"select", [](Desk& d, const std::string& r) { d.return_to(r); }},
    {"scenario", [](Desk& d, const std::string& r) { d.scenario(r); }},
    {"set", set_parameter},
    {"step", go_to_step},
    {"say", say_command},
    {"prepare", prepare_command},
    {"autopsy", on_call_command},
    {"ask", predict},
    {"predict", predict},
    {"confidence",
     [](Desk& d, const std::string& r) {
       if (d.guessing.question() != nullptr)
         d.guessing.answer(*d.guessing.question()).confidence = int(std::clamp(number(r), 1.0, 3.0));
     }},
    {"next", [](Desk& d, const std::string&) { d.next(); }},
    {"again", [](Desk& d, const std::string& r) { d.again(r); }},
    {"run", [](Desk& d, const std::string&) { d.run(d.config()); }},
    {"watch", watch},
    {"playhead", [](Desk& d, const std::string& r) { to_part(d, std::clamp(number(r), 0.0, 1.0)); }},
    {"stride", stride_by},
    {"show", [](Desk& d, const std::string& r) { d.show(r); }},
    {"live", [](Desk& d, const std::string&) { d.watching.playhead.follow = true; }},
    {"play",
     [](Desk& d, const std::string& r) {
       d.watching.playhead.speed = std::clamp(number(r), 1e-3, 1.0);
       if (!d.watching.playhead.playing) d.watching.toggle_play();
     }},
    {"pin", [](Desk& d, const std::string&) { d.pin(); }},
    {"stop", [](Desk& d, const std::string&) { d.runs.cancel(); }},
    {"picture", picture},
    {"theme", theme},
    {"numbers", [](Desk& d, const std::string& r) { d.open_fold = int(std::clamp(number(r), -1.0, 2.0)); }},
    {"parameters", [](Desk& d, const std::string& r) { d.controls.all = r == "all"; }},
    {"font",
     [](Desk& d, const std::string& r) {
       const double size = std::clamp<double>(number(r), Settings::kLeastFont, Settings::kMostFont);
       d.settings.change([&](Settings& kept) { kept.font_size = float(size); });
     }},
    {"motion", [](Desk& d, const std::string& r) { d.look.motion = r == "on"; }},
    {"open", [](Desk& d, const std::string& r) { d.open_trace(r); }},
};

}  // namespace

void run_command(Desk& desk, const std::string& line) {
  const size_t blank = line.find(' ');
  const std::string name = line.substr(0, blank);
  const std::string rest = blank == std::string::npos ? "" : line.substr(blank + 1);
  std::string known;
  for (const Command& command : kCommands) {
    if (name == command.name) return command.act(desk, rest);
    known += std::string(known.empty() ? "" : ", ") + command.name;
  }
  throw UsageError("no command '" + name + "'; there are: " + known);
}

}  // namespace ringside::gui
