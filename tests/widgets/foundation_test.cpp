// The foundation, and that the windowless frame finds what is broken.
#include <catch.h>

#include "ringside/widgets/draw.h"
#include "windowless.h"

using ringside::test::Windowless;
namespace ui = ringside::ui;

TEST_CASE("letters of every type are drawn without a fault at each scale and in each theme") {
  const float scale = GENERATE(1.0f, 2.0f);
  const ui::Mode mode = GENERATE(ui::Mode::kDark, ui::Mode::kLight);
  Windowless room(900 * scale, 600 * scale, scale, mode);
  room.show([] {
    for (int type = 0; type < ui::kTypeCount; ++type) {
      const ui::FontScope scope(static_cast<ui::Type>(type));
      ImGui::TextUnformatted("2Ψ × 3 ≈ 6 − 1 µs");
    }
    ui::paragraph("✓ holds ✗ fails ◐ partly — not testable ▸ ◂ ▲ ⌊x⌋ ∈ ≤ ≥ ∞ ┌ █");
    ui::button("go on", "next", true);
  });
  room.frames(2);
  CHECK(room.faults() == "");
  CHECK(room.vertices() > 200);
}

TEST_CASE("a missing glyph, a cut letter, letters on letters and NaN are found") {
  Windowless room(400, 300);
  const auto faults_of = [&](const std::function<void(ImDrawList&)>& draw) {
    for (int i = 0; i < 2; ++i) room.in_window([&] { draw(*ImGui::GetWindowDrawList()); });
    return room.faults();
  };
  const auto says = [](const std::string& faults, const char* what) {
    return faults.find(what) != std::string::npos;
  };
  CHECK(says(faults_of([](ImDrawList& l) { ui::draw_text(l, {20, 20}, ~0u, "内存"); }), "missing glyph"));
  CHECK(says(faults_of([](ImDrawList& l) { ui::draw_text(l, {380, 20}, ~0u, "wide text"); }), "cut off"));
  CHECK(says(faults_of([](ImDrawList& l) {
               ui::draw_text(l, {20, 20}, ~0u, "one");
               ui::draw_text(l, {21, 21}, ~0u, "two");
             }),
             "on top"));
  CHECK(faults_of([](ImDrawList& l) {
          ui::draw_text(l, {20, 20}, ~0u, "ringside-test-fjIY");
        }) == "");
  CHECK(says(faults_of([](ImDrawList& l) {
               l.AddLine({0, 0}, {std::numeric_limits<float>::quiet_NaN(), 5}, ~0u);
             }),
             "not finite"));
}

TEST_CASE("Chinese characters are baked when a text needs them") {
  Windowless room(400, 200, 1, ui::Mode::kDark, "显存 梯度 优化器状态");
  if (room.look().fonts.lacks_chinese()) return;
  for (int i = 0; i < 2; ++i) room.in_window([] { ui::paragraph("显存 梯度 优化器状态"); });
  CHECK(room.faults() == "");
}

TEST_CASE("text that does not fit is shortened, or broken at blanks, never within a number") {
  Windowless room(400, 200);
  CHECK(ui::elide("parameters", 1000, ui::Type::kBody) == "parameters");
  CHECK(ui::elide("parameters", 60, ui::Type::kBody).ends_with("…"));
  CHECK(ui::elide("parameters", 3, ui::Type::kBody) == "");
  CHECK(ui::text_width(ui::Type::kBody, ui::elide("parameters ΨΨΨΨ", 70, ui::Type::kBody)) <= 70);
  const float width = ui::text_width(ui::Type::kBody, "of 467,019,0");
  CHECK(ui::broken("the sum of 467,019,003", width, ui::Type::kBody) == "the sum of\n467,019,003");
  CHECK(ui::broken("a deadline of 1 s.", ui::text_width(ui::Type::kBody, "a deadline of 1"),
                   ui::Type::kBody) == "a deadline of\n1 s.");
  CHECK(ui::broken("two  blanks\nand a line", 1000, ui::Type::kBody) == "two  blanks\nand a line");
  CHECK(ui::broken("", 100, ui::Type::kBody) == "");
}

TEST_CASE("a marked item is found and a key is seen once") {
  Windowless room(400, 200);
  bool clicked = false, key = false;
  room.show([&] {
    clicked = ui::button("go on", "next") || clicked;
    key = ui::pressed({ui::Key::kP, true}) || key;
  });
  room.click("next");
  CHECK(clicked);
  room.press(ui::Key::kP, true);
  CHECK(key);
  ui::Chord chord{};
  CHECK(ui::parse_chord("Ctrl+Shift+P", chord));
  CHECK(ui::to_string(chord) == "Ctrl+Shift+P");
  CHECK_FALSE(ui::parse_chord("Ctrl+Hyper", chord));
}

TEST_CASE("a tip comes after half a second, below its item, and not once that was pressed") {
  Windowless room(400, 200);
  double due = 0;
  room.show([&] {
    ui::button("go on", "next", true, true, "what comes next", "Enter");
    due = ui::seconds_to_tip();
  });
  const auto tip = [] { return ui::find_item("tip"); };
  room.frames(2);
  CHECK(std::isinf(due));
  REQUIRE(room.mouse_to("next"));
  room.frames(10);  // a third of a second
  CHECK(tip() == nullptr);
  CHECK(due > 0);
  CHECK(due < ui::kTipDelay);
  room.frames(8);
  REQUIRE(tip() != nullptr);
  CHECK(std::isinf(due));
  CHECK(tip()->min.y >= ui::find_item("next")->max.y);
  CHECK(room.faults() == "");
  room.look().covered = true;  // a page lies over it
  room.frames(1);
  CHECK(tip() == nullptr);
  room.look().covered = false;
  room.frames(18);
  CHECK(tip() != nullptr);
  for (const bool down : {true, false}) {
    room.button(down);
    room.frames(1);
  }
  room.frames(30);
  CHECK(tip() == nullptr);  // the button just pressed stays free
  room.mouse_to(ImVec2{390, 190});
  room.frames(2);
  REQUIRE(room.mouse_to("next"));
  room.frames(18);
  CHECK(tip() != nullptr);
}

TEST_CASE("at the lower edge a tip stands above its item") {
  Windowless room(400, 200);
  room.show([] {
    ImGui::SetCursorPosY(170);
    ui::button("go on", "next", false, true, "what comes next, in more words than fit a line of a tip",
               "Shift+Enter");
  });
  room.frames();
  room.hover("next");
  room.frames(20);
  REQUIRE(ui::find_item("tip") != nullptr);
  CHECK(ui::find_item("tip")->max.y <= ui::find_item("next")->min.y);
  CHECK(room.faults() == "");
}

TEST_CASE("tabs take their short titles where not all fit") {
  Windowless room(400, 200);
  std::vector<ui::Tab> tabs = {{"a", "What a number costs in a sum", "cost"},
                               {"b", "numpy against a list", "list"}};
  size_t chosen = 0;
  const auto width_of = [&](float width) {
    for (int i = 0; i < 2; ++i) room.in_window([&] { ui::tab_row("picture", tabs, chosen, width); });
    const ui::Item* tab = ui::find_item("picture=a");
    REQUIRE(tab != nullptr);
    return tab->max.x - tab->min.x;
  };
  CHECK(width_of(380) > 150);
  CHECK(width_of(200) == Approx(64));  // as short titles need
  for (const char* id : {"c", "d", "e", "f", "g"}) tabs.push_back({id, "another picture"});
  CHECK(width_of(240) > 52);
  CHECK(ui::find_item("picture=g")->min.y > ui::find_item("picture=a")->max.y);  // in a second row
  CHECK(room.faults() == "");
}
