// Frames of Dear ImGui without a window: draws whatever a test gives it and looks at
// the vertices. What a person would call broken is found here: NaN, something outside
// the display, a letter cut at the side, letters on top of each other, a missing glyph.
#pragma once

#include <catch.h>
#include <imgui.h>

#include "ringside/widgets/items.h"
#include "ringside/widgets/keys.h"
#include "ringside/widgets/look.h"

namespace ringside::test {

class Windowless {
 public:
  // `texts`: what is going to be drawn beyond the usual symbols (Chinese).
  Windowless(float width, float height, float scale = 1, ui::Mode mode = ui::Mode::kDark,
             const std::string& texts = "") {
    Baked& shared = baked(scale);
    ImGui::SetCurrentContext(ImGui::CreateContext(&shared.atlas));
    ImGuiIO& io = ImGui::GetIO();
    io.IniFilename = nullptr;
    io.DisplaySize = {width, height};
    io.DeltaTime = 1.0f / 30;
    ui::prepare_keys();
    look_.mode = mode;
    look_.scale = scale;
    look_.motion = false;
    ui::set_look(&look_);
    use(shared);
    look_.fonts.need(texts);
    if (look_.fonts.stale()) build_fonts();
    ui::apply_style();
  }
  ~Windowless() {
    ui::set_look(nullptr);
    ImGui::DestroyContext();
    ImGui::SetCurrentContext(before_);
  }
  Windowless(const Windowless&) = delete;
  Windowless& operator=(const Windowless&) = delete;

  // Another window and theme from the next frame on.
  void reshape(float width, float height, float scale, ui::Mode mode) {
    ImGui::GetIO().DisplaySize = {width, height};
    look_.mode = mode;
    look_.scale = scale;
    if (ImGui::GetIO().Fonts == &own_)
      build_fonts();
    else
      use(baked(scale));
    ui::apply_style();
  }

  // ---- A person in front of it: what is shown is drawn in each frame.
  std::function<void()> shown;  // opens its own windows
  // Inside one window that fills the display.
  void show(std::function<void()> draw) {
    shown = [draw = std::move(draw)] { in_one_window(draw); };
  }
  void frames(int count = 1) {
    for (int i = 0; i < count; ++i) frame(shown);
  }
  void click(const std::string& item, int times = 1) {
    frames();
    INFO("click " << item);
    REQUIRE(mouse_to(item));
    click_here(times);
  }
  void click(ImVec2 place) {
    mouse_to(place);
    click_here();
  }
  void click_here(int times = 1) {
    frames();
    for (int i = 0; i < 2 * times; ++i) {
      button(i % 2 == 0);
      frames();
    }
    frames();
  }
  void hover(const std::string& item) {
    INFO("hover " << item);
    REQUIRE(mouse_to(item));
    frames();
  }
  void drag(ImVec2 from, ImVec2 to) {
    mouse_to(from);
    frames();
    button(true);
    frames();
    mouse_to(to);
    frames(2);
    button(false);
    frames(2);
  }
  void press(ui::Key key, bool ctrl = false, bool shift = false) {
    ui::inject_modifiers(ctrl, shift);
    this->key(key, true);
    frames();
    this->key(key, false);
    ui::inject_modifiers(false, false);
    frames(2);
  }

  // ---- One frame; `draw` opens its own windows.
  void frame(const std::function<void()>& draw) {
    if (look_.fonts.stale()) build_fonts();
    ImGui::NewFrame();
    ui::begin_items();
    draw();
    ImGui::Render();
  }
  void in_window(const std::function<void()>& draw) {
    frame([&] { in_one_window(draw); });
  }

  void mouse_to(ImVec2 position) { ui::inject_mouse(position); }
  // The middle of a marked item of the last frame; false where it was not drawn.
  bool mouse_to(const std::string& item) {
    const ui::Item* found = ui::find_item(item);
    if (found != nullptr)
      mouse_to(ImVec2{(found->min.x + found->max.x) / 2, (found->min.y + found->max.y) / 2});
    return found != nullptr;
  }
  void button(bool down, int which = 0) { ui::inject_button(which, down); }
  void key(ui::Key key, bool down) { ui::inject(key, down); }

  size_t vertices() const { return static_cast<size_t>(ImGui::GetDrawData()->TotalVtxCount); }
  ui::Look& look() { return look_; }

  // One line a fault of the last frame; "" where a person would find none.
  std::string faults() const {
    std::ostringstream out;
    const ImDrawData* data = ImGui::GetDrawData();
    for (int l = 0; l < data->CmdListsCount; ++l) look_at(*data->CmdLists[l], out);
    return out.str();
  }

 private:
  static void in_one_window(const std::function<void()>& draw) {
    ImGui::SetNextWindowPos({0, 0});
    ImGui::SetNextWindowSize(ImGui::GetIO().DisplaySize);
    ImGui::Begin("test", nullptr, ImGuiWindowFlags_NoDecoration | ImGuiWindowFlags_NoMove);
    draw();
    ImGui::End();
  }

  struct Quad {
    ImVec2 min, max, uv;
    float area() const { return (max.x - min.x) * (max.y - min.y); }
  };

  // The usual symbols at one scale, baked once for all rooms of a program: it costs more than most frames.
  struct Baked {
    ImFontAtlas atlas;
    ui::Fonts fonts;
  };
  static Baked& baked(float scale) {
    static std::map<float, Baked> all;
    Baked& one = all[scale];
    if (one.fonts.stale()) bake(one.fonts, one.atlas, scale);
    return one;
  }
  static void bake(ui::Fonts& fonts, ImFontAtlas& atlas, float scale) {
    fonts.build(atlas, scale);
    unsigned char* pixels;
    int width, height;
    atlas.GetTexDataAsAlpha8(&pixels, &width, &height);
  }
  void use(Baked& shared) {
    look_.fonts = shared.fonts;
    ImGui::GetIO().Fonts = &shared.atlas;
  }
  // More than the usual symbols: an atlas of its own.
  void build_fonts() {
    bake(look_.fonts, own_, look_.scale);
    ImGui::GetIO().Fonts = &own_;
  }

  void look_at(const ImDrawList& list, std::ostringstream& out) const {
    const std::string where = std::string(" in ") + (list._OwnerName ? list._OwnerName : "?") + "\n";
    const ImVec2 size = ImGui::GetIO().DisplaySize;
    for (const ImDrawCmd& command : list.CmdBuffer) {
      std::vector<Quad> letters;
      for (unsigned i = 0; i < command.ElemCount; ++i) {
        const ImDrawVert& v = vertex(list, command, i);
        if (!std::isfinite(v.pos.x) || !std::isfinite(v.pos.y)) {
          out << "a vertex that is not finite" << where;
          return;
        }
      }
      if (command.ClipRect.x < -1 || command.ClipRect.y < -1 || command.ClipRect.z > size.x + 1 ||
          command.ClipRect.w > size.y + 1)
        out << "a clip rectangle outside the display" << where;
      for (unsigned i = 0; i + 5 < command.ElemCount; ++i) {
        if (!is_letter(list, command, i)) continue;
        letters.push_back(quad(list, command, i));
        i += 5;
      }
      for (const Quad& letter : letters) look_at(letter, command, out, where);
      overlaps(letters, command, out, where);
    }
  }

  static const ImDrawVert& vertex(const ImDrawList& list, const ImDrawCmd& command, unsigned i) {
    return list.VtxBuffer[static_cast<int>(command.VtxOffset) +
                          list.IdxBuffer[static_cast<int>(command.IdxOffset + i)]];
  }
  static bool is_letter(const ImDrawList& list, const ImDrawCmd& command, unsigned i) {
    const ImVec2 a = vertex(list, command, i).uv, c = vertex(list, command, i + 2).uv;
    const ImVec2 d = vertex(list, command, i + 5).uv;
    return a.x < c.x && a.y < c.y && d.x == a.x && d.y == c.y;
  }
  static Quad quad(const ImDrawList& list, const ImDrawCmd& command, unsigned i) {
    return {vertex(list, command, i).pos, vertex(list, command, i + 2).pos, vertex(list, command, i).uv};
  }

  void look_at(const Quad& q, const ImDrawCmd& command, std::ostringstream& out,
               const std::string& where) const {
    const ImVec4& clip = command.ClipRect;
    const bool seen = q.max.x > clip.x && q.min.x < clip.z && q.max.y > clip.y && q.min.y < clip.w;
    const std::string at =
        " at " + std::to_string(static_cast<int>(q.min.x)) + "," + std::to_string(static_cast<int>(q.min.y));
    if (seen && (q.min.x < clip.x - 1.5f || q.max.x > clip.z + 1.5f))
      out << "a letter cut off" << at << where;
    for (const ImFont* font : ImGui::GetIO().Fonts->Fonts) {
      const ImFontGlyph* fallback = font->FallbackGlyph;
      if (fallback != nullptr && q.uv.x == fallback->U0 && q.uv.y == fallback->V0)
        out << "a missing glyph" << at << where;
    }
  }

  // Two letters that share two fifths of the smaller one, both within the clip rectangle. A font puts "j" under
  // the letter before it ("fj"): the next letter of one text is no fault.
  static void overlaps(const std::vector<Quad>& letters, const ImDrawCmd& command, std::ostringstream& out,
                       const std::string& where) {
    constexpr int kCell = 64;
    std::map<std::pair<int, int>, std::vector<const Quad*>> cells;
    for (const Quad& q : letters) {
      const ImVec2 mid((q.min.x + q.max.x) / 2, (q.min.y + q.max.y) / 2);
      if (mid.x < command.ClipRect.x || mid.x > command.ClipRect.z || mid.y < command.ClipRect.y ||
          mid.y > command.ClipRect.w)
        continue;
      auto& cell = cells[{static_cast<int>(mid.x) / kCell, static_cast<int>(mid.y) / kCell}];
      for (const Quad* other : cell) {
        const float w = std::min(q.max.x, other->max.x) - std::max(q.min.x, other->min.x);
        const float h = std::min(q.max.y, other->max.y) - std::max(q.min.y, other->min.y);
        if (w <= 0 || h <= 0 || follows(*other, q) || w * h < 0.4f * std::min(q.area(), other->area())) continue;
        out << "letters on top of each other at " << q.min.x << "," << q.min.y << where;
        return;
      }
      cell.push_back(&q);
    }
  }

  // Drawn directly after the other, and further right: `letters` stand in one vector.
  static bool follows(const Quad& before, const Quad& next) {
    const float advance = (next.min.x + next.max.x - before.min.x - before.max.x) / 2;
    return &before + 1 == &next && advance > 1.5f;
  }

  ImGuiContext* const before_ = ImGui::GetCurrentContext();  // of an earlier one, which is not used meanwhile
  ImFontAtlas own_;
  ui::Look look_;
};

}  // namespace ringside::test
