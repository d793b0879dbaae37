// The one table of keys: what is not in it has no key, and F1 shows all of it.
#include <algorithm>
#include <cmath>

#include "room_keys.h"
#include "room_parts.h"

namespace ringside::gui {
namespace {

using ui::Chord;
using ui::Key;

constexpr double kSpeeds[] = {1, 0.5, 0.2, 0.1, 0.05, 0.02, 0.01, 0.005, 0.002, 0.001};

}  // namespace

void set_speed(Desk& desk, double wanted, int further) {
  const auto away = [&](double speed) { return std::abs(std::log(speed / wanted)); };
  const auto nearest = std::ranges::min_element(kSpeeds, {}, away) - std::begin(kSpeeds);
  desk.watching.playhead.speed = kSpeeds[std::clamp<ptrdiff_t>(nearest + further, 0, std::size(kSpeeds) - 1)];
}

void copy_csv(Desk& desk) {
  View view = desk.view();
  if (desk.panel->has_csv(view)) desk.wishes.copy = desk.panel->csv(view);
}

namespace {

void to_beginning(Desk& desk) {
  if (const SectionView* section = desk.watching.at_playhead())
    desk.watching.seek(time_range(*section).first);
}

void next_section(Desk& desk, int direction) {
  View view = desk.view();
  std::vector<std::string> names;  // of what the list offers
  for (const SectionView& section : desk.runs.trace().sections())
    if (desk.panel->offers(view, section.name())) names.push_back(section.name());
  const SectionView* now = desk.watching.at_playhead();
  for (size_t i = 0; i < names.size() && now != nullptr; ++i) {
    if (names[i] != now->name()) continue;
    desk.watching.watch(names[(i + names.size() + size_t(direction)) % names.size()]);
    return;
  }
}

void zoom_timeline(Desk& desk, double factor) {
  const auto length = double(desk.watching.timeline.to_ns() - desk.watching.timeline.from_ns()) * factor;
  const auto half = int64_t(std::max(1000.0, length) / 2);
  desk.watching.timeline.show(desk.watching.playhead.time_ns - half, desk.watching.playhead.time_ns + half);
}

void focus_picture(Desk& desk) {
  desk.picture_has_keys = true;
  const PredictionSpec* spec = desk.step() == Step::kGuess ? desk.guessing.question() : nullptr;
  const bool types = spec == nullptr || (!spec->words && !is_drawn_together(*spec) &&
                                         desk.guessing.answer(*spec).kind != AnswerKind::kBlocks);
  if (!types)
    desk.focus_answer = true;
  else
    desk.panel->focus_picture();
}

void other_theme(Desk& desk) {
  desk.look.mode = desk.look.mode == ui::Mode::kDark ? ui::Mode::kLight : ui::Mode::kDark;
  desk.settings.change([&](Settings& kept) { kept.theme = desk.look.mode; });
  ui::apply_style();
}

void change_size(Desk& desk, float factor) {
  desk.settings.change([&](Settings& kept) {
    kept.font_size =
        factor == 0 ? 1 : std::clamp(kept.font_size * factor, Settings::kLeastFont, Settings::kMostFont);
  });
}

void put_away(Desk& desk) {
  if (desk.help || desk.menu) {
    desk.help = desk.menu = false;
    desk.focus_answer = desk.step() == Step::kGuess;  // digits choose an answer again
  } else if (ImGui::GetIO().ConfigFlags & ImGuiConfigFlags_NavEnableKeyboard)
    ImGui::GetIO().ConfigFlags &= ~ImGuiConfigFlags_NavEnableKeyboard;
  else if (desk.on_call.save_as)
    desk.on_call.save_as.reset();
  else if (desk.on_call.open)
    toggle_on_call(desk);
  else if (desk.prepare.open)
    toggle_prepare(desk);
  else if (desk.picture_has_keys)
    desk.picture_has_keys = false;
  else if (desk.line_mistake)
    desk.line_mistake.reset();
  else if (!desk.messages.empty())
    desk.messages.pop_back();
  else
    desk.watching.timeline.unpin();
}

bool rates(const Desk& desk) { return desk.prepare.reviewing() && desk.prepare.session->shown(); }
bool looks(const Desk& desk) { return desk.prepare.reviewing() && !desk.prepare.session->shown(); }
template <Rating rating>
void rate_as(Desk& desk) {
  desk.prepare.rate(rating);
}

constexpr int64_t kFarLines = int64_t{1} << 40;
template <int64_t lines>
void scroll_log(Desk& desk) {
  desk.on_call.view.scroll(lines);
}
template <int64_t pages>
void page_log(Desk& desk) {
  desk.on_call.view.scroll(pages * std::max<int64_t>(1, desk.on_call.view.page() - 2));
}

bool ticks_points(const Desk& desk) { return is_saying(desk) && desk.saying.page() == SayPage::kPoints; }
bool shows_answer(const Desk& desk) { return is_saying(desk) && desk.saying.shown(); }

// Each is tried in this order; F1 lists them group by group.
const KeyGroup kGroups[] = {
    {"Say it",
     {{{Key::kSpace}, "begin the half minute, tick the point, show the answer", say_space, false, is_saying},
      {{Key::kDown}, "the next point", [](Desk& d) { d.saying.choose(1); }, true, ticks_points},
      {{Key::kUp}, "the point before", [](Desk& d) { d.saying.choose(-1); }, true, ticks_points},
      {{Key::kY}, "I had the answer", [](Desk& d) { d.saying.answer(true, d.record); }, false, shows_answer},
      {{Key::kN}, "I did not", [](Desk& d) { d.saying.answer(false, d.record); }, false, shows_answer}}},
    {"Steps",
     {{{Key::k1}, "guess", [](Desk& d) { d.go_to(Step::kGuess); }},
      {{Key::k2}, "watch", [](Desk& d) { d.go_to(Step::kWatch); }},
      {{Key::k3}, "reveal", [](Desk& d) { d.go_to(Step::kReveal); }},
      {{Key::k4}, "break it", [](Desk& d) { d.go_to(Step::kBreak); }},
      {{Key::k5}, "say it", [](Desk& d) { d.go_to(Step::kSay); }},
      {{Key::kEnter}, "the one next button", [](Desk& d) { d.next(); }},
      {{Key::kN},
       "next question",
       [](Desk& d) { d.ask((d.guessing.asked + 1) % std::max<size_t>(1, d.lesson().predictions.size())); }},
      {{Key::kB, false, true},
       "question before",
       [](Desk& d) { d.ask(d.guessing.asked == 0 ? 0 : d.guessing.asked - 1); }},
      {{Key::kG}, "type an answer (Escape: leave the field)", [](Desk& d) { d.go_to(Step::kGuess); }},
      {{Key::kA}, "another way to answer: number, formula, blocks", other_answer},
      {{Key::kU}, "how sure: unsure, fairly, sure", more_sure},
      {{Key::kI}, "reveal: the same question elsewhere", ask_elsewhere},
      {{Key::k1, false, true},
       "break it, say it: run the first scenario of the text; Shift+2 the second ...",
       [](Desk& d) { run_from_text(d, 0); }},
      {{Key::kJ},
       "reveal: claims, ledger, outcome",
       [](Desk& d) { d.open_fold = (d.open_fold + 2) % 4 - 1; }}}},
    {"Playhead",
     {{{Key::kSpace}, "play, pause", [](Desk& d) { d.watching.toggle_play(); }},
      {{Key::kRight}, "next event", [](Desk& d) { d.watching.stride(Stride::kEvent, 1); }, true},
      {{Key::kLeft}, "event before", [](Desk& d) { d.watching.stride(Stride::kEvent, -1); }, true},
      {{Key::kRight, false, true}, "next phase", [](Desk& d) { d.watching.stride(Stride::kPhase, 1); }, true},
      {{Key::kLeft, false, true},
       "phase before",
       [](Desk& d) { d.watching.stride(Stride::kPhase, -1); },
       true},
      {{Key::kPageDown}, "next step of the run", [](Desk& d) { d.watching.stride(Stride::kStep, 1); }, true},
      {{Key::kPageUp}, "step of the run before", [](Desk& d) { d.watching.stride(Stride::kStep, -1); }, true},
      {{Key::kHome}, "to the beginning", to_beginning},
      {{Key::kEnd}, "to the live end, and follow it", [](Desk& d) { d.watching.go_live(); }},
      {{Key::kComma}, "slower", [](Desk& d) { set_speed(d, d.watching.playhead.speed, 1); }},
      {{Key::kPeriod}, "faster", [](Desk& d) { set_speed(d, d.watching.playhead.speed, -1); }}}},
    {"Picture",
     {{{Key::kV}, "the next picture", [](Desk& d) { next_picture(d, 1); }, true},
      {{Key::kV, false, true}, "the picture before", [](Desk& d) { next_picture(d, -1); }, true},
      {{Key::kE}, "the next group of pictures", [](Desk& d) { next_group(d, 1); }},
      {{Key::kE, false, true}, "the group before", [](Desk& d) { next_group(d, -1); }},
      {{Key::kW}, "the picture that this instant is about: its tab is underlined", show_what_matters},
      {{Key::kC}, "copy the picture's values as CSV", copy_csv},
      {{Key::kK}, "arrows move in the picture, digits choose an answer (Escape ends)", focus_picture},
      {{Key::kEqual}, "timeline: closer, around the playhead", [](Desk& d) { zoom_timeline(d, 0.5); }, true},
      {{Key::kMinus}, "timeline: further away", [](Desk& d) { zoom_timeline(d, 2); }, true},
      {{Key::k0}, "timeline: all of it", [](Desk& d) { d.watching.timeline.show_all(); }},
      {{Key::kRightBracket}, "watch the next section of the run", [](Desk& d) { next_section(d, 1); }},
      {{Key::kLeftBracket}, "watch the section before", [](Desk& d) { next_section(d, -1); }}}},
    {"Run",
     {{{Key::kR}, "run it again", [](Desk& d) { d.run(d.config()); }},
      {{Key::kX}, "stop at the next step", [](Desk& d) { d.runs.cancel(); }},
      {{Key::kP}, "pin this run, or let go", [](Desk& d) { d.pin(); }},
      {{Key::kL}, "edit the scenario line", [](Desk& d) { d.focus_scenario = true; }},
      {{Key::kC, true}, "copy the scenario line", [](Desk& d) { d.to_copy = d.drafted().scenario(); }},
      {{Key::kV, true}, "paste a scenario line and run it", run_clipboard},
      {{Key::kUp, false, true}, "the parameter before", [](Desk& d) { choose_parameter(d, -1); }, true},
      {{Key::kDown, false, true}, "the parameter after", [](Desk& d) { choose_parameter(d, 1); }, true},
      {{Key::kUp}, "raise the chosen parameter", [](Desk& d) { nudge_parameter(d, 1); }, true},
      {{Key::kDown}, "lower the chosen parameter", [](Desk& d) { nudge_parameter(d, -1); }, true},
      {{Key::kO}, "all parameters, or the main ones", [](Desk& d) { d.controls.all = !d.controls.all; }}}},
    {"Room",
     {{{Key::kM}, "lessons by name, and what is to redo", [](Desk& d) { d.menu = !d.menu; }},
      {{Key::kTab},
       "move between buttons by arrows (Enter presses, Escape ends)",
       [](Desk&) { ImGui::GetIO().ConfigFlags |= ImGuiConfigFlags_NavEnableKeyboard; }},
      {{Key::kT}, "dark or light", other_theme},
      {{Key::kEqual, true}, "larger", [](Desk& d) { change_size(d, 1.125f); }},
      {{Key::kMinus, true}, "smaller", [](Desk& d) { change_size(d, 1 / 1.125f); }},
      {{Key::k0, true}, "as large as the display says", [](Desk& d) { change_size(d, 0); }},
      {{Key::kD},
       "motion on or off",
       [](Desk& d) {
         d.look.motion = !d.look.motion;
         d.settings.change([&](Settings& kept) { kept.motion = d.look.motion; });
       }},
      {{Key::kF}, "what a frame costs", [](Desk& d) { d.frame_times = !d.frame_times; }},
      {{Key::kF1}, "this page (arrows, Page Down and End scroll it)", [](Desk& d) { d.help = !d.help; }},
      {{Key::kEscape}, "put away what lies on top", put_away},
      {{Key::kS}, "prepare for an interview: map, review, mock", toggle_prepare},
      {{Key::kO, true}, "on call: why a job stopped, from what it left", toggle_on_call},
      {{Key::kH}, "the training that is followed (--training)", toggle_training},
      {{Key::kQ, true}, "leave", [](Desk& d) { d.leave(); }}},
     KeyGroup::In::kAll},
    {"Prepare",
     {{{Key::kEnter}, "the one next button", prepare_enter},
      {{Key::kSpace}, "show the answer", [](Desk& d) { d.prepare.show_answer(); }, false, looks},
      {{Key::kD, true},
       "show the answer: I do not know",
       [](Desk& d) { d.prepare.show_answer(); },
       false,
       looks},
      {{Key::k1}, "again", rate_as<Rating::kAgain>, false, rates},
      {{Key::k2}, "hard", rate_as<Rating::kHard>, false, rates},
      {{Key::k3}, "good", rate_as<Rating::kGood>, false, rates},
      {{Key::k4}, "easy", rate_as<Rating::kEasy>, false, rates},
      {{Key::kU, true}, "take the last rating back", [](Desk& d) { d.prepare.undo(); }},
      {{Key::kR}, "see it happen: the run that shows the answer", see_it_happen},
      {{Key::kY}, "mock: I had it", [](Desk& d) { mock_had_it(d, true); }},
      {{Key::kN}, "mock: I did not", [](Desk& d) { mock_had_it(d, false); }},
      {{Key::kRightBracket}, "the next part", [](Desk& d) { prepare_part(d, 1); }},
      {{Key::kLeftBracket}, "the part before", [](Desk& d) { prepare_part(d, -1); }}},
     KeyGroup::In::kPrepare},
    {"On call",
     {{{Key::kV, true}, "paste a log, or a path", paste_log},
      {{Key::kL}, "type a path", [](Desk& d) { d.on_call.focus = true; }},
      {{Key::kE}, "another example", [](Desk& d) { d.on_call.example(); }},
      {{Key::kX}, "stop reading", [](Desk& d) { d.on_call.give_up(); }},
      {{Key::kRightBracket}, "the next line of evidence", [](Desk& d) { d.on_call.next_evidence(1); }},
      {{Key::kLeftBracket}, "the line of evidence before", [](Desk& d) { d.on_call.next_evidence(-1); }},
      {{Key::kRightBracket, false, true}, "the next file", [](Desk& d) { d.on_call.show_log(1); }},
      {{Key::kLeftBracket, false, true}, "the file before", [](Desk& d) { d.on_call.show_log(-1); }},
      {{Key::kDown}, "the log: further down", scroll_log<1>, true},
      {{Key::kUp}, "the log: further up", scroll_log<-1>, true},
      {{Key::kPageDown}, "the next page of the log", page_log<1>, true},
      {{Key::kPageUp}, "the page of the log before", page_log<-1>, true},
      {{Key::kRight}, "the log: further right", [](Desk& d) { d.on_call.view.shift(8); }, true},
      {{Key::kLeft}, "the log: further left", [](Desk& d) { d.on_call.view.shift(-8); }, true},
      {{Key::kHome}, "the log's first line", scroll_log<-kFarLines>},
      {{Key::kEnd}, "the log's last line", scroll_log<kFarLines>},
      {{Key::kC}, "copy the report as Markdown", copy_report},
      {{Key::kV}, "copy the variables that would settle it", copy_environment},
      {{Key::kW}, "save the report as HTML", [](Desk& d) { ask_where_to_save(d.on_call); }},
      {{Key::kR},
       "redact: without hosts, users, addresses and paths",
       [](Desk& d) { d.on_call.hide_names(!d.on_call.names_hidden()); }}},
     KeyGroup::In::kOnCall},
};

// While arrows move the focus, or something in a picture, they and Enter and Space belong there.
bool belongs_to_focus(const Desk& desk, const Chord& chord) {
  const bool digit = chord.key >= Key::k1 && chord.key <= Key::k9 && !chord.ctrl && !chord.shift;
  const auto nth = size_t(chord.key) - size_t(Key::k1);
  if (digit) return desk.picture_has_keys && nth < rows_to_answer(desk);
  const bool moves_focus = ImGui::GetIO().ConfigFlags & ImGuiConfigFlags_NavEnableKeyboard;
  if (!moves_focus && !desk.picture_has_keys) return false;
  if (!moves_focus && desk.prepare.open && chord.key == Key::kEnter)
    return false;  // for the topic that is chosen
  constexpr Key kTaken[] = {Key::kLeft,  Key::kRight, Key::kUp,   Key::kDown, Key::kEnter,
                            Key::kSpace, Key::kTab,   Key::kHome, Key::kEnd};
  return std::ranges::find(kTaken, chord.key) != std::end(kTaken);
}

// While a field is typed into, keys are text; what no text has, and a field does not need itself, still acts.
bool acts_in_fields(const Chord& chord) {
  return chord.key == Key::kF1 || (chord.ctrl && chord.key != Key::kC && chord.key != Key::kV);
}

}  // namespace

std::span<const KeyGroup> key_groups() { return kGroups; }

void handle_keys(Desk& desk) {
  const bool typing = ImGui::GetIO().WantTextInput;
  const KeyGroup::In here = desk.on_call.open      ? KeyGroup::In::kOnCall
                            : desk.prepare.open    ? KeyGroup::In::kPrepare
                            : shows_training(desk) ? KeyGroup::In::kAll
                                                   : KeyGroup::In::kLesson;
  for (int digit = 1; digit < 9 && !typing && here == KeyGroup::In::kLesson;
       ++digit) {  // the first is in the table, for F1
    const auto key = static_cast<Key>(int(Key::k1) + digit);
    if (ui::pressed({key, false, true})) return run_from_text(desk, size_t(digit));
  }
  for (const KeyGroup& group : kGroups) {
    if (group.in != KeyGroup::In::kAll && group.in != here) continue;
    for (const auto& [chord, does, act, repeats, when] : group.keys) {
      if (typing && !acts_in_fields(chord)) continue;
      if (when != nullptr && !when(desk)) continue;
      if (belongs_to_focus(desk, chord) || !ui::pressed(chord, repeats)) continue;
      if (desk.help && chord.key != Key::kF1 && chord.key != Key::kEscape && chord.key != Key::kQ) continue;
      return act(desk);
    }
  }
}

}  // namespace ringside::gui
