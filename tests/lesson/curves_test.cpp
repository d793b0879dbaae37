// Curves are read back line by line, up to an instant, and are figures.
#include "ringside/lesson/curves.h"

#include <catch.h>

#include <cmath>

#include "ringside/lesson/figure_forms.h"

using namespace ringside;

TEST_CASE("curves of a section are read by their lines, and drawn or tabled") {
  const auto store = TraceStore::create("curves");
  Recorder& pen = *store->add_section("some", {}, 1).front();
  for (const double x : {1, 2, 3}) record_point(pen, "a", x, x * x);
  record_point(pen, "b", 1, -1);
  const Trace trace = store->snapshot();
  CHECK(first_of(trace, "some", "a") == 1);
  CHECK(last_of(trace, "some", "a") == 9);
  CHECK(most_of(trace, "some", "b") == -1);
  for (const char* section : {"some", "none"}) CHECK(std::isnan(last_of(trace, section, "c")));
  const int64_t first_ns = trace.find("some")->rows_of(CurvePoint::kTable).front()->time_ns;
  CHECK(curve(trace.find("some"), "a", first_ns - 1).empty());

  const Config config = Config::parse("curves", {}, {});
  const auto value = [&](const FigureValue& of) { return of({config, trace}); };
  const auto lines =
      std::get<figure::Lines>(value(figure_of_curves("some", {"x"}, {"y"}, {"c", "b", "a"})));
  REQUIRE(lines.lines.size() == 2);  // c has no point
  CHECK(lines.lines[1].name == "a");
  CHECK(lines.lines[1].points.size() == 3);
  const auto table = std::get<figure::Table>(value(table_of_curves("some", "x", {"a", "b"})));
  REQUIRE(table.rows.size() == 3);
  CHECK(table.rows[2][1].text == "9");
  CHECK(table.rows[2][2].text.empty());  // b ended
  CHECK(figure::is_empty(value(table_of_curves("none", "x", {"a"}))));
}
