#include "script.h"

#include <algorithm>
#include <fstream>

#include "ringside/lesson/suggest.h"
#include "ringside/widgets/items.h"
#include "ringside/widgets/look.h"

namespace ringside::gui {
namespace {

// A panel that opens or scrolls needs some frames, which take their time where OpenGL is computed by a busy
// CPU.
constexpr double kItemDeadline = 2;
constexpr int kItemFrames = 60;

// "" where a person could click it.
std::string unclickable(const std::string& name, bool needs_enabled) {
  const ui::Item* item = ui::find_item(name);
  if (item == nullptr) {
    std::vector<std::string> names;
    for (const ui::Item& each : ui::items()) names.push_back(each.name);
    return "there is no item '" + name + "'" + suggestion(name, names) + "; there are: " + join(names);
  }
  if (needs_enabled && !item->enabled) return "'" + name + "' cannot be used now";
  const ImVec2 size = ImGui::GetIO().DisplaySize, mid = item->middle();
  const bool inside = mid.x >= 0 && mid.y >= 0 && mid.x < size.x && mid.y < size.y;
  return inside ? "" : "'" + name + "' lies outside the window";
}

// "/run/ended" to "run".
std::string first_name(const std::string& pointer) {
  const size_t begin = pointer.starts_with('/') ? 1 : 0;
  return pointer.substr(begin, pointer.find('/', begin) - begin);
}

// Of what a person sees of it.
ImVec2 middle(const std::string& name) { return ui::find_item(name)->middle(); }

void write_text(const std::string& file, const std::string& text) {
  std::ofstream out(file);
  out << text << '\n';
  out.close();
  if (!out) throw ScriptError(file + ": cannot be written");
}

std::string items_as_json() {
  nlohmann::json list = nlohmann::json::array();
  for (const ui::Item& item : ui::items()) {
    list.push_back({{"name", item.name},
                    {"rect", {item.min.x, item.min.y, item.max.x, item.max.y}},
                    {"enabled", item.enabled}});
  }
  return list.dump(1, ' ', false, nlohmann::json::error_handler_t::replace);
}

}  // namespace

ScriptPlayer::ScriptPlayer(std::vector<ScriptLine> lines, std::string name, ScriptStage stage)
    : lines_(std::move(lines)), name_(std::move(name)), stage_(std::move(stage)) {
  frames(2);  // the first measures what it draws
}

void ScriptPlayer::fail(const std::string& what) const {
  throw ScriptError(name_ + ":" + std::to_string(current_.number) + ": " + current_.text + ": " + what);
}

double ScriptPlayer::number(size_t word) const { return std::stod(current_.words[word]); }

void ScriptPlayer::before_frame(double now, InputQueue& input) {
  if (input.pending()) return;
  waiting_ = false;
  if (!actions_.empty()) {
    const Action action = std::move(actions_.front());
    actions_.pop_front();
    if (!action(now, input)) actions_.push_front(action);
  } else if (next_ < lines_.size()) {
    current_ = lines_[next_++];
    try {
      start(now);
    } catch (const ScriptError&) {
      throw;
    } catch (const Error& error) {  // of the room: a command that it does not know, say
      fail(error.what());
    }
  }
}

void ScriptPlayer::start(double now) {
  const std::string& command = current_.command;
  const std::vector<std::string>& words = current_.words;
  const auto json = [&] {
    return stage_.state("").dump(1, ' ', false, nlohmann::json::error_handler_t::replace);
  };
  if (start_input()) return frames(2);
  if (command == "expect") {
    if (const std::string fault = condition(words.size())(); !fault.empty()) fail(fault);
  } else if (command == "wait") {
    wait_for(now, number(words.size() - 1), condition(words.size() - 1));
  } else if (command == "sleep") {
    sleep_until(now + number(0));
  } else if (command == "frames") {
    frames(int(std::clamp(number(0), 0.0, 1e5)));
  } else if (command == "quit") {
    next_ = lines_.size();
  } else if (command == "screenshot") {
    stage_.screenshot(words[0]);
  } else if (command == "dump") {
    write_text(words[0], json());
  } else if (command == "items") {
    write_text(words[0], items_as_json());
  } else if (command == "size") {
    stage_.resize(int(number(0)), int(number(1)));
    frames(3);
  } else if (command == "scale") {
    stage_.scale(float(number(0)));
    frames(3);
  } else {
    stage_.command(current_.text);
    frames(2);
  }
}

void ScriptPlayer::then(std::function<void(InputQueue&)> act) {
  actions_.push_back([act = std::move(act)](double, InputQueue& input) { return act(input), true; });
}

void ScriptPlayer::frames(int count) {
  for (int i = 0; i < count; ++i) then([](InputQueue&) {});
}

// Waits a moment for the item, then moves there.
void ScriptPlayer::to_item(const std::string& name) {
  const bool needs_enabled = current_.command != "hover";
  actions_.push_back(
      [this, name, needs_enabled, end = -1.0, frames = 0](double now, InputQueue& input) mutable {
        const std::string fault = unclickable(name, needs_enabled);
        if (end < 0) end = now + kItemDeadline;
        if (!fault.empty() && now > end && ++frames > kItemFrames) fail(fault);
        if (!fault.empty()) return false;
        mouse_ = middle(name);
        input.move(mouse_);
        return true;
      });
}

void ScriptPlayer::press_and_release() {
  for (const bool down : {true, false}) then([down](InputQueue& input) { input.button(0, down); });
}

void ScriptPlayer::drag() {
  constexpr int kPieces = 8;  // a hand does not jump
  then([](InputQueue& input) { input.button(0, true); });
  then([this](InputQueue&) {
    ImVec2 by;
    if (current_.words[1] == "to") {
      if (const std::string fault = unclickable(current_.words[2], false); !fault.empty()) fail(fault);
      const ImVec2 end = middle(current_.words[2]);
      by = {end.x - mouse_.x, end.y - mouse_.y};
    } else {
      by = ui::px(float(number(1)), float(number(2)));
    }
    std::deque<Action> moves;
    for (int i = 1; i <= kPieces; ++i) {
      const float part = float(i) / kPieces;
      moves.push_back([to = ImVec2(mouse_.x + by.x * part, mouse_.y + by.y * part)](
                          double, InputQueue& input) { return input.move(to), true; });
    }
    actions_.insert(actions_.begin(), moves.begin(), moves.end());
  });
  then([](InputQueue& input) { input.button(0, false); });
}

// Mouse and keys.
bool ScriptPlayer::start_input() {
  const std::string& command = current_.command;
  const std::vector<std::string>& words = current_.words;
  const bool clicks = command == "click" || command == "double_click";
  if (clicks || command == "hover" || command == "drag" || command == "wheel") {
    to_item(words[0]);
    frames(1);
    if (clicks) press_and_release();
    if (command == "double_click") press_and_release();
    if (command == "drag") drag();
    if (command == "wheel") then([n = float(number(1))](InputQueue& input) { input.wheel(n); });
  } else if (command == "key") {
    ui::Chord chord;
    ui::parse_chord(words[0], chord);
    for (const bool down : {true, false})
      then([chord, down](InputQueue& input) { input.chord(chord, down); });
  } else if (command == "type") {
    then([text = words[0]](InputQueue& input) { input.text(text); });
  } else {
    return false;
  }
  return true;
}

std::function<std::string()> ScriptPlayer::condition(size_t words) const {
  const std::vector<std::string>& w = current_.words;
  if (words == 3) return [this, w] { return unmet(stage_.state(first_name(w[0])), w[0], w[1], w[2]); };
  if (w[0] == "no_item")
    return [w] { return ui::find_item(w[1]) == nullptr ? "" : "'" + w[1] + "' is there"; };
  return [w] { return ui::find_item(w[1]) != nullptr ? "" : unclickable(w[1], false); };
}

void ScriptPlayer::sleep_until(double end) {
  actions_.push_back([this, end](double now, InputQueue&) {
    waiting_ = now < end;
    return !waiting_;
  });
}

// A slow run may take its time: only one that stands still is waited for in vain.
void ScriptPlayer::wait_for(double now, double seconds, std::function<std::string()> fault) {
  constexpr double kBetweenLooks = 0.05;  // s
  actions_.push_back([this, end = now + seconds, next = now, seconds, fault = std::move(fault),
                      before = nlohmann::json()](double time, InputQueue&) mutable {
    waiting_ = true;
    if (time < next) return false;
    next = time + kBetweenLooks;
    const std::string what = fault();
    waiting_ = !what.empty();
    if (what.empty()) return true;
    const nlohmann::json state = stage_.state("run");
    if (const auto run = state.find("run"); run != state.end() && *run != before) {
      before = *run;
      end = time + seconds;
    }
    if (time > end) fail(what);
    return false;
  });
}

}  // namespace ringside::gui
