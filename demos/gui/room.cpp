#include "room.h"

#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>

#include "frame_times.h"
#include "ringside/base/clock.h"
#include "ringside/base/error.h"
#include "ringside/base/read_file.h"
#include "ringside/widgets/canvas.h"
#include "ringside/widgets/items.h"
#include "room_parts.h"

namespace ringside::gui {
namespace {

// How much larger everything is in a large window: letters of 15 points at 1080p instead of 13, 18 at 1440p,
// 24 at 2160p. `size` in points; baked in steps, so that a window's edge can be dragged.
float size_factor(ImVec2 size) {
  struct Step {
    float width, height, letters;
  };
  constexpr float kLetters = 13;
  for (const Step& step : {Step{3000, 1900, 24}, Step{2200, 1300, 18}, Step{1500, 960, 15}})
    if (size.x >= step.width && size.y >= step.height) return step.letters / kLetters;
  return 1;
}

// As write_jsonl begins one.
bool is_trace_file(const std::filesystem::path& path) {
  return read_at_most(path, 256).value_or("").find("\"ringside_trace\"") != std::string::npos;
}

// Widths and heights in points; a window that is small gets less of everything but text.
struct Layout {
  Rect rail, title, caption, hero, transport, inspector, scenario;
};

constexpr float kRail = 70;

float inspector_width(ImVec2 size) { return std::clamp(size.x * 0.24f, px(248), px(440)); }

// `mistake`: how high it is over the scenario line.
Layout lay_out(ImVec2 size, float transport, float inspector, float mistake) {
  const float rail = px(kRail), title = px(44), caption = px(52), scenario = px(36);
  const float right = size.x - inspector, line = size.y - scenario, bottom = line - mistake;
  Layout l;
  l.rail = {{0, 0}, {rail, size.y}};
  l.title = {{rail, 0}, {size.x, title}};
  l.caption = {{rail, title}, {right, title + caption}};
  l.transport = {{rail, bottom - transport}, {right, bottom}};
  l.hero = {{rail, title + caption}, {right, bottom - transport}};
  l.inspector = {{right, title}, {size.x, bottom}};
  l.scenario = {{rail, line}, {size.x, size.y}};
  return l;
}

}  // namespace

Area::Area(const char* id, const Rect& rect, bool scrolls, float padding) {
  ImGui::SetCursorScreenPos(rect.min);
  ImGui::PushStyleVar(ImGuiStyleVar_WindowPadding, ImVec2(px(padding), px(padding)));
  ImGui::BeginChild(id, {std::max(1.0f, rect.width()), std::max(1.0f, rect.height())}, false,
                    ImGuiWindowFlags_AlwaysUseWindowPadding |
                        (scrolls ? 0 : ImGuiWindowFlags_NoScrollbar | ImGuiWindowFlags_NoScrollWithMouse));
  ImGui::PopStyleVar();
  ui::mark(std::string("area.") + id, rect.min, rect.max);
}
Area::~Area() { ImGui::EndChild(); }

struct Room::Impl {
  Desk desk;
  int64_t start_ns = now_ns();
  float display = 1;
  std::optional<float> own_scale;  // the command line's, instead of the display's
  Impl(const RoomOptions& options, ui::Look& look) : desk(options, look) {}

  void layout() {
    const ImVec2 size = ImGui::GetIO().DisplaySize;
    const bool plays = desk.step() == Step::kWatch || desk.step() == Step::kBreak;
    const bool fills = desk.step() == Step::kSay || (!plays && size.x < px(640));  // without the column
    const Layout l = lay_out(size, plays ? transport_height(desk, size.y) : 0,
                             fills ? 0 : inspector_width(size), mistake_height(desk, size.x - px(kRail)));
    ImDrawList& list = *ImGui::GetWindowDrawList();
    list.AddRectFilled(l.rail.min, l.rail.max, ui::colours().panel);
    if (const auto page = page_shown()) {
      draw_rail(desk, l.rail);
      page(desk, {{l.rail.max.x, 0}, size});
      if (desk.menu) draw_menu(desk, menu_place(l.rail, size));
      return;
    }
    list.AddRectFilled(l.inspector.min, l.inspector.max, ui::colours().panel);
    list.AddRectFilled(l.title.min, l.title.max, ui::colours().panel);
    list.AddRectFilled(l.scenario.min, l.scenario.max, ui::colours().panel);
    draw_rail(desk, l.rail);
    draw_title(desk, l.title);
    draw_caption(desk, l.caption);
    draw_step(l);
    draw_scenario(desk, l.scenario);
    const float height = std::min(px(140), l.hero.height());
    draw_messages(desk, {{l.hero.min.x, l.hero.max.y - height}, l.hero.max});
    if (desk.frame_times) draw_frame_times(l.title);
    if (desk.menu) draw_menu(desk, menu_place(l.rail, size));
  }
  // In the place of the lesson; null: the lesson.
  void (*page_shown() const)(Desk&, const Rect&) {
    if (desk.on_call.open) return draw_on_call;
    if (desk.prepare.open) return draw_prepare;
    return shows_training(desk) ? draw_training : nullptr;
  }
  static Rect menu_place(const Rect& rail, ImVec2 size) {
    return {{rail.max.x, 0}, {std::min(size.x, rail.max.x + px(420)), size.y}};
  }

  double idle_seconds();

  // A click on a picture does not take the keys along: they go there only when asked to (K).
  void give_keys_back() {
    if (!desk.picture_has_keys && ui::canvas_has_keys() && !ImGui::IsAnyMouseDown())
      ImGui::SetWindowFocus("room");
  }

  // What the room itself costs: the 99th of a hundred frames, of the last 512.
  void draw_frame_times(const Rect& title) {
    const FrameTimes& times = frame_times();
    const std::string text =
        fmt::format("frame {:.1f} ms, 99% within {:.1f} ms", times.recent(0.5), times.recent(0.99));
    const float width = ui::text_width(text) + px(16);
    const Rect box{{title.max.x - width, title.max.y}, {title.max.x, title.max.y + px(22)}};
    ImDrawList& list = *ImGui::GetForegroundDrawList();
    list.AddRectFilled(box.min, box.max, ui::colours().raised);
    ui::draw_text_in(list, box, ui::colours().text, text);
    ui::mark("frame_times", box.min, box.max);
  }

  // At Reveal the picture that shows why stands beside the answer, over it where the window is narrow or the
  // picture a table or a listing.
  Rect beside_picture(const Rect& rect) {
    constexpr float kAnswer = 0.46f;  // of the width
    View now = desk.view();
    const PredictionSpec* spec = desk.guessing.question();
    if (spec == nullptr || !desk.picture_at_reveal(*spec) || desk.panel->record(now)) return rect;
    const auto wide = desk.panel->height_of_wide(now);
    if (!wide && rect.width() > px(760)) {
      const float cut = rect.min.x + std::round(rect.width() * kAnswer);
      draw_hero(desk, {{cut, rect.min.y}, rect.max});
      return {rect.min, {cut, rect.max.y}};
    }
    const float under_title = px(24) + ui::line_height();
    const float high = std::min(rect.height() * 0.45f, wide ? *wide + under_title : rect.height());
    const float cut = rect.min.y + std::round(high);
    draw_hero(desk, {rect.min, {rect.max.x, cut}});
    return {{rect.min.x, cut}, rect.max};
  }

  void draw_step(const Layout& l) {
    switch (desk.step()) {
      case Step::kGuess: {
        const float answer = answer_height(desk, l.hero);
        const float cut = l.hero.max.y - answer;
        draw_hero(desk, {l.hero.min, {l.hero.max.x, cut}});
        draw_answer(desk, {{l.hero.min.x, cut}, l.hero.max});
        return draw_column(l);
      }
      case Step::kWatch:
        draw_hero(desk, l.hero);
        draw_transport(desk, l.transport);
        return draw_inspector(desk, l.inspector);
      case Step::kReveal: draw_reveal(desk, beside_picture(l.hero)); return draw_column(l);
      case Step::kBreak:
        draw_hero(desk, l.hero);
        draw_transport(desk, l.transport);
        return draw_break(desk, l.inspector);
      case Step::kSay: return draw_say(desk, l.hero);
    }
  }
  void draw_column(const Layout& l) {
    if (l.inspector.width() > 0) draw_inspector(desk, l.inspector);
  }
};

Room::Room(const RoomOptions& options, ui::Look& look) : impl_(std::make_unique<Impl>(options, look)) {
  const Settings& kept = impl_->desk.settings.get();
  look.mode = options.mode.value_or(kept.theme);
  impl_->own_scale = options.scale;
  look.motion = kept.motion;
  look.scale = scale();
}
Room::~Room() = default;

void Room::frame() {
  Desk& desk = impl_->desk;
  desk.update(double(now_ns() - impl_->start_ns) * 1e-9);
  ImGui::SetNextWindowPos({0, 0});
  ImGui::SetNextWindowSize(ImGui::GetIO().DisplaySize);
  ImGui::PushStyleVar(ImGuiStyleVar_WindowPadding, ImVec2(0, 0));
  ImGui::Begin("room", nullptr,
               ImGuiWindowFlags_NoDecoration | ImGuiWindowFlags_NoMove | ImGuiWindowFlags_NoSavedSettings |
                   ImGuiWindowFlags_NoBringToFrontOnFocus | ImGuiWindowFlags_NoScrollWithMouse);
  ImGui::PopStyleVar();
  desk.look.covered = desk.help || desk.menu;
  handle_keys(desk);
  impl_->give_keys_back();  // before a field is drawn that asks for them
  {
    const ui::FontScope font(ui::Type::kBody);
    impl_->layout();
  }
  ImGui::End();
  if (desk.help) draw_help(desk);
  desk.carry_out(desk.wishes);
  if (desk.to_copy) ImGui::SetClipboardText(std::exchange(desk.to_copy, std::nullopt)->c_str());
}

bool Room::leaving() const { return impl_->desk.leaving(); }

double Room::idle_seconds() const { return std::min(impl_->idle_seconds(), ui::seconds_to_tip()); }

double Room::Impl::idle_seconds() {
  if (desk.on_call.busy()) return 0.05;
  if (shows_training(desk)) return desk.training->idle_seconds();
  if (desk.watching.playhead.playing || desk.filling() || desk.panel->moves()) return 0.033;
  if (desk.prepare.open && desk.prepare.interviewing()) return 0.25;  // its clock
  if (desk.step() == Step::kSay && desk.saying.counting(desk.seconds()))
    return desk.look.motion ? 0.033 : 0.25;
  if (desk.runs.busy()) return desk.step() == Step::kWatch || desk.step() == Step::kGuess ? 0.125 : 0.25;
  return desk.waiting() ? 0.1 : 1.0;
}

bool Room::closing() const { return impl_->desk.leaving() && !impl_->desk.runs.busy(); }
void Room::close() { impl_->desk.leave(); }
void Room::take_dropped(const std::vector<std::filesystem::path>& paths) {
  Desk& desk = impl_->desk;
  if (!desk.on_call.open && paths.size() == 1 && is_trace_file(paths.front()))
    return desk.open_trace(paths.front());
  std::vector<std::string> dropped;
  for (const auto& path : paths) dropped.push_back(path.string());
  desk.show_lesson();
  desk.on_call.take(dropped);
}
float Room::scale() const {
  const Settings& kept = impl_->desk.settings.get();
  const float points = impl_->own_scale.value_or(impl_->display * kept.scale);
  const ImVec2 pixels = ImGui::GetIO().DisplaySize;
  return points * size_factor({pixels.x / points, pixels.y / points}) * kept.font_size;
}
void Room::display_scale(float content_scale) { impl_->display = std::clamp(content_scale, 0.5f, 4.0f); }
void Room::command(const std::string& line) { run_command(impl_->desk, line); }
nlohmann::json Room::state(const std::string& part) const { return state_of(impl_->desk, part); }

}  // namespace ringside::gui
