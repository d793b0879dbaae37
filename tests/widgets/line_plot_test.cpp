// A plot at every size, with all the data there can be, and in the hands of a person.
#include <catch.h>

#include <cmath>
#include <limits>

#include "ringside/widgets/line_plot.h"
#include "windowless.h"

using ringside::test::Windowless;
namespace ui = ringside::ui;
using ui::Point;
using ui::Series;

namespace {

constexpr double kNoValue = std::numeric_limits<double>::quiet_NaN();
const std::vector<Point> kLoss = {{0, 2.1}, {1, 1.4}, {2, 1.1}, {3, kNoValue}, {4, 0.8}, {5, 0.7}};
const std::vector<Point> kGuess = {{0, 2}, {5, 0.5}};
const std::vector<Point> kOne = {{3, 4}};

std::vector<Series> three() {
  const ui::Palette& p = ui::colours();
  return {{"measured", p.parameters, ui::Stroke::kMeasured, kLoss},
          {"your guess", p.gradients, ui::Stroke::kGuess, kGuess},
          {"2Ψ(N−1)/N", p.text, ui::Stroke::kFormula, kGuess}};
}

// A plot that fills its window.
struct HeldPlot : Windowless {
  HeldPlot() : Windowless(600, 400) {
    show([this] { drawn = plot.draw("loss", ImGui::GetContentRegionAvail(), series, options); });
  }
  ui::LinePlot plot;
  ui::LinePlot::Drawn drawn;
  ui::LinePlot::Options options{ui::Unit::seconds(), ui::Unit::bytes(), "time", "memory", true, true, {}};
  std::vector<Series> series = three();
};

}  // namespace

TEST_CASE("a plot is drawn without a fault at every size, scale and theme, whatever its data") {
  const float scale = GENERATE(1.0f, 2.0f);
  const ui::Mode mode = GENERATE(ui::Mode::kDark, ui::Mode::kLight);
  const ImVec2 size = GENERATE(ImVec2(900, 500), ImVec2(400, 240), ImVec2(240, 160));
  const bool log = GENERATE(false, true);
  Windowless room(size.x * scale, size.y * scale, scale, mode);
  const std::vector<Point> wild = {{-1e300, 1e300}, {0, -1e300}, {1, kNoValue}, {1e300, HUGE_VAL}};
  const std::vector<std::vector<Series>> all = {{},
                                                {{"nothing", ~0u, ui::Stroke::kMeasured, {}}},
                                                {{"one", ~0u, ui::Stroke::kMeasured, kOne}},
                                                {{"wild", ~0u, ui::Stroke::kGuess, wild}},
                                                three()};
  for (const auto& series : all) {
    ui::LinePlot plot;
    plot.log_x = plot.log_y = log;
    room.mouse_to(ImVec2(size.x * scale / 2, size.y * scale * 0.6f));
    for (int i = 0; i < 3; ++i) {
      room.in_window([&] {
        const ImVec2 before = ImGui::GetCursorScreenPos(), avail = ImGui::GetContentRegionAvail();
        plot.draw("p", avail, series,
                  {ui::Unit::seconds(), ui::Unit::bytes(), "time", "bytes", true, true, 2.5});
        CHECK(ImGui::GetItemRectMin().x == before.x);
        CHECK(ImGui::GetItemRectSize().y == avail.y);
      });
    }
    CHECK(room.faults() == "");
    CHECK(room.vertices() > 0);
  }
}

TEST_CASE("a million points draw as many vertices as ten thousand, with gaps too") {
  const bool broken = GENERATE(false, true);
  const auto vertices = [&](size_t count) {
    std::vector<Point> points;
    for (size_t i = 0; i < count; ++i)
      points.push_back({double(i), broken && i % 3 != 0 ? kNoValue : std::sin(double(i) * 0.01)});
    HeldPlot held;
    held.series = {{"sin", ~0u, ui::Stroke::kMeasured, points}};
    held.frames(2);
    CHECK(held.faults() == "");
    return held.vertices();
  };
  CHECK(vertices(1'000'000) < 2 * vertices(10'000));
}

TEST_CASE("a peak one point wide is seen among a million") {
  std::vector<Point> points;
  for (int i = 0; i < 1'000'000; ++i) points.push_back({i * 1e-3, i == 654'321 ? 50.0 : 1.0});
  CHECK(ui::LinePlot{}.x_range() == ui::Range{0, 1});
  HeldPlot held;
  held.series = {{"p", IM_COL32(1, 2, 3, 255), ui::Stroke::kMeasured, points}};
  held.frames(2);
  CHECK(held.plot.y_range().high >= 50);
  const ui::Item* item = ui::find_item("loss");
  const float x = item->min.x + (item->max.x - item->min.x) * float(654.321 / held.plot.x_range().high);
  bool found = false;
  const ImDrawData* data = ImGui::GetDrawData();
  for (int l = 0; l < data->CmdListsCount; ++l) {
    for (const ImDrawVert& v : data->CmdLists[l]->VtxBuffer)
      found = found ||
              (v.col == IM_COL32(1, 2, 3, 255) && std::abs(v.pos.x - x) < 3 && v.pos.y < item->min.y + 60);
  }
  CHECK(found);
}

TEST_CASE("the axes end at round numbers around the data") {
  HeldPlot held;
  held.options.x_unit = held.options.y_unit = ui::Unit::plain();
  held.frames(2);
  CHECK(held.plot.x_range() == ui::Range{0, 5});
  CHECK(held.plot.y_range().low == 0);
  CHECK(held.plot.y_range().high == Approx(2.5));
}

TEST_CASE("the wheel zooms at the mouse, a double click fits again") {
  HeldPlot held;
  held.frames(2);
  const ui::Range before = held.plot.x_range();
  const ui::Item item = *ui::find_item("loss");
  held.mouse_to(ImVec2(item.min.x + (item.max.x - item.min.x) / 4, item.min.y + 50));
  held.frames(2);
  CHECK(held.drawn.hovered);
  const double at = held.drawn.x;
  ui::inject_wheel(2);
  held.frames(2);
  CHECK(held.plot.x_range().span() < before.span() * 0.7);
  CHECK(held.drawn.x == Approx(at));
  held.click("loss", 2);
  CHECK(held.plot.x_range() == before);
}

TEST_CASE("dragging moves the view, and the cursor where it was taken") {
  HeldPlot held;
  held.options.cursor = 2.5;
  held.frames(2);
  const ui::Range before = held.plot.x_range();
  const ui::Item item = *ui::find_item("loss");
  const float width = item.max.x - item.min.x, y = (item.min.y + item.max.y) / 2;
  const auto drag = [&](float from, float to) {
    held.mouse_to(ImVec2(item.min.x + from * width, y)), held.frames(2);
    held.button(true), held.frames();
    held.mouse_to(ImVec2(item.min.x + to * width, y)), held.frames();
    const auto drawn = held.drawn;
    held.button(false), held.frames();
    return drawn;
  };
  CHECK(drag(0.5f, 0.7f).dragged.value() == Approx(0.7 * before.high).epsilon(0.01));
  CHECK(held.plot.x_range() == before);
  CHECK_FALSE(drag(0.3f, 0.2f).dragged);
  CHECK(held.plot.x_range().low == Approx(before.low + 0.1 * before.span()).epsilon(0.01));
}

TEST_CASE("a legend's entry hides its series and shows it again") {
  HeldPlot held;
  held.frames(2);
  const size_t before = held.vertices();
  held.click("loss.legend.your guess");
  CHECK(held.plot.hidden.contains("your guess"));
  CHECK(held.vertices() < before);
  held.click("loss.legend.your guess");
  CHECK(held.plot.hidden.empty());
}

TEST_CASE("L and its button make an axis logarithmic") {
  HeldPlot held;
  held.frames(2);
  held.click("loss.log");
  CHECK(held.plot.log_y);
  REQUIRE(held.mouse_to("loss"));
  held.frames();
  held.press(ui::Key::kL);
  CHECK_FALSE(held.plot.log_y);
  held.press(ui::Key::kL, false, true);
  CHECK(held.plot.log_x);
  held.mouse_to(ImVec2(-5, -5));
  held.frames();
  held.press(ui::Key::kL);
  CHECK_FALSE(held.plot.log_y);
}

TEST_CASE("with the focus, keys zoom, move and fit") {
  HeldPlot held;
  held.frames(2);
  const ui::Range all = held.plot.x_range(), y = held.plot.y_range();
  held.click("loss");
  held.mouse_to(ImVec2(-5, -5));
  held.press(ui::Key::kEqual);
  CHECK(held.plot.x_range().span() == Approx(all.span() / 1.25));
  const double low = held.plot.x_range().low;
  held.press(ui::Key::kRight);
  CHECK(held.plot.x_range().low > low);
  held.press(ui::Key::kUp);
  CHECK(held.plot.y_range().low > y.low);
  held.press(ui::Key::kMinus);
  CHECK(held.plot.x_range().span() == Approx(all.span()));
  held.press(ui::Key::k0);
  CHECK(held.plot.x_range() == all);
  CHECK(held.plot.y_range() == y);
}

TEST_CASE("zooming and moving without end stays drawable") {
  HeldPlot held;
  held.frames(2);
  held.click("loss");
  const float notch = GENERATE(9.0f, -9.0f);
  for (int i = 0; i < 200; ++i) ui::inject_wheel(notch), held.frames();
  CHECK(std::isfinite(held.plot.x_range().span()));
  CHECK(held.plot.x_range().span() > 0);
  CHECK(held.faults() == "");
}
