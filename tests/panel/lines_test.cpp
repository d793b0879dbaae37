// Lines with all the data there can be, and in the hands of a person.
#include <catch.h>

#include "shown_figure.h"

namespace ringside {
namespace {

using figure::kNone;
using figure::Line;
using figure::Stroke;

figure::Lines three() {
  const std::vector<figure::Point> guess = {{0, 2}, {5, 0.5}};
  return {{"time", "s", true},
          {"memory", "bytes"},
          {{"measured",
            figure::Ink::kParameters,
            Stroke::kMeasured,
            {{0, 2.1}, {1, 1.4}, {2, 1.1}, {3, kNone}, {4, 0.8}, {5, 0.7}}},
           {"your guess", figure::Ink::kGradients, Stroke::kGuess, guess},
           {"2Ψ(N−1)/N", figure::Ink::kText, Stroke::kFormula, guess}}};
}
figure::Lines plain() {
  figure::Lines lines = three();
  lines.x = {"time"}, lines.y = {"memory"};
  return lines;
}
figure::Lines one(std::vector<figure::Point> points) {
  return {{"x"}, {"y"}, {{"one", figure::Ink::kAlarm, Stroke::kMeasured, std::move(points)}}};
}

struct HeldLines : test::ShownFigure {
  using ShownFigure::ShownFigure;
  double span() const { return number("x_to") - number("x_from"); }
  ui::Item plot() const { return *ui::find_item("fig"); }
};

}  // namespace

TEST_CASE("lines are drawn without a fault whatever their data, on either kind of axis") {
  const bool log = GENERATE(false, true);
  for (const std::vector<figure::Point>& points : std::vector<std::vector<figure::Point>>{
           {}, {{3, 4}}, {{-1e300, 1e300}, {0, -1e300}, {1, kNone}, {1e300, HUGE_VAL}}}) {
    figure::Lines lines = one(points);
    lines.x.log = lines.y.log = log;
    HeldLines held(lines);
    held.options.cursor_x = 2.5;
    held.point_at("fig");
    CHECK(held.faults() == "");
    CHECK(held.vertices() > 0);
  }
}

TEST_CASE("a million points draw as many vertices as ten thousand, with gaps too") {
  const bool broken = GENERATE(false, true);
  const auto vertices = [&](size_t count) {
    std::vector<figure::Point> points;
    for (size_t i = 0; i < count; ++i)
      points.push_back({double(i), broken && i % 3 != 0 ? kNone : std::sin(double(i) * 0.01)});
    HeldLines held(one(std::move(points)));
    CHECK(held.faults() == "");
    return held.vertices();
  };
  CHECK(vertices(1'000'000) < 2 * vertices(10'000));
}

TEST_CASE("a peak one point wide is seen among a million") {
  std::vector<figure::Point> points;
  for (int i = 0; i < 1'000'000; ++i) points.push_back({i * 1e-3, i == 654'321 ? 50.0 : 1.0});
  HeldLines held(one(std::move(points)));
  CHECK(held.number("y_to") >= 50);
  const ui::Item plot = held.plot();
  const float x = plot.min.x + (plot.max.x - plot.min.x) * float(654.321 / held.number("x_to"));
  bool found = false;
  const ImDrawData* data = ImGui::GetDrawData();
  for (int l = 0; l < data->CmdListsCount; ++l)
    for (const ImDrawVert& v : data->CmdLists[l]->VtxBuffer)
      found =
          found || (v.col == ui::colours().alarm && std::abs(v.pos.x - x) < 3 && v.pos.y < plot.min.y + 60);
  CHECK(found);
}

TEST_CASE("the axes end at round numbers; a legend's entry hides its line and shows it again") {
  HeldLines held(plain());
  CHECK(held.number("x_from") == 0);
  CHECK(held.number("x_to") == 5);
  CHECK(held.number("y_from") == 0);
  CHECK(held.number("y_to") == Approx(2.2));
  HeldLines hiding(three());
  const size_t all = hiding.vertices();
  hiding.click("fig.legend.your guess");
  CHECK(hiding.state("hidden") == "your guess");
  CHECK(hiding.vertices() < all);
  hiding.click("fig.legend.your guess");
  CHECK(hiding.state("hidden") == "");
}

TEST_CASE("the wheel zooms at the mouse; dragging moves the view, or the cursor") {
  HeldLines held(plain());
  const double before = held.span();
  const ui::Item plot = held.plot();
  held.mouse_to(ImVec2(plot.min.x + (plot.max.x - plot.min.x) / 4, plot.min.y + 50));
  held.frames(2);
  CHECK(held.drawn.hovered);
  const double at = held.number("hovered");
  ui::inject_wheel(2);
  held.frames(2);
  CHECK(held.span() < before * 0.7);
  CHECK(held.number("hovered") == Approx(at).epsilon(0.05));
  held.click("fig", 2);
  CHECK(held.span() == before);
  HeldLines dragged(plain());
  dragged.options.cursor_x = 2.5;
  dragged.frames(2);
  const ui::Item area = dragged.plot();
  const float width = area.max.x - area.min.x, y = (area.min.y + area.max.y) / 2;
  const auto drag = [&](float from, float to) {
    dragged.mouse_to(ImVec2(area.min.x + from * width, y)), dragged.frames(2);
    dragged.button(true), dragged.frames();
    dragged.mouse_to(ImVec2(area.min.x + to * width, y)), dragged.frames();
    const auto drawn = dragged.drawn;
    dragged.button(false), dragged.frames();
    return drawn;
  };
  CHECK(drag(0.5f, 0.7f).dragged.value() == Approx(0.7 * 5).epsilon(0.01));
  CHECK(dragged.number("x_from") == 0);
  CHECK_FALSE(drag(0.3f, 0.2f).dragged);
  CHECK(dragged.number("x_from") == Approx(0.5).epsilon(0.01));
}

TEST_CASE("L makes an axis logarithmic; with the focus, keys zoom, move and fit") {
  HeldLines held(three());
  const std::string low = held.state("y_from");  // "0", which a logarithmic axis does not have
  held.click("fig.log");
  CHECK(held.state("y_from") != low);
  held.point_at("fig");
  held.press(ui::Key::kL);
  CHECK(held.state("y_from") == low);
  CHECK(held.state("x_from") != "0");
  held.press(ui::Key::kL, false, true);
  CHECK(held.state("x_from") == "0");
  held.mouse_to(ImVec2(-5, -5));
  held.frames();
  held.press(ui::Key::kL);
  CHECK(held.state("y_from") == low);
  HeldLines focused(plain());
  const double all = focused.span(), bottom = focused.number("y_from");
  focused.click("fig");
  focused.mouse_to(ImVec2(-5, -5));
  focused.press(ui::Key::kEqual);
  CHECK(focused.span() == Approx(all / 1.25));
  const double left = focused.number("x_from");
  focused.press(ui::Key::kRight);
  CHECK(focused.number("x_from") > left);
  focused.press(ui::Key::kUp);
  CHECK(focused.number("y_from") > bottom);
  focused.press(ui::Key::kMinus);
  CHECK(focused.span() == Approx(all));
  focused.press(ui::Key::k0);
  CHECK(focused.span() == all);
  CHECK(focused.number("y_from") == bottom);
}

TEST_CASE("zooming and moving without end stays drawable") {
  HeldLines held(three());
  held.click("fig");
  const float notch = GENERATE(9.0f, -9.0f);
  for (int i = 0; i < 200; ++i) ui::inject_wheel(notch), held.frames();
  CHECK(std::isfinite(held.span()));
  CHECK(held.span() > 0);
  CHECK(held.faults() == "");
}

}  // namespace ringside
