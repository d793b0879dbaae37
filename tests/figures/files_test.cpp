// JSON, CSV and SVG.
#include <catch.h>

#include "ringside/figures/csv.h"
#include "ringside/figures/instant.h"
#include "ringside/figures/json.h"
#include "ringside/figures/layers.h"
#include "ringside/figures/svg.h"
#include "ringside/lesson/config.h"
#include "ringside/lesson/curves.h"
#include "samples.h"
#include "xml_form.h"

namespace ringside::figure {

TEST_CASE("a value's members are what its kind has; a graph's layers are the longest ways") {
  Lines v{
      {"step", "", true}, {"loss", "bytes"}, {{"a", Ink::kGradients, Stroke::kGuess, {{1, 2}, {2, kNone}}}}};
  CHECK(value_json(v).dump() ==
        R"({"x":{"name":"step","unit":"","log":true,"least":null,"most":null},)"
        R"("y":{"name":"loss","unit":"bytes","log":false,"least":null,"most":null},)"
        R"("lines":[{"name":"a","ink":"gradients","stroke":"guess","x":[1.0,2.0],"y":[2.0,null]}],)"
        R"("bands":[],"marks":[]})");
  CHECK(value_json(Nothing{"Not yet."}).dump() == R"({"why":"Not yet."})");
  CHECK(value_json(samples::table())["rows"][0][1].dump() == R"({"text":"1.2 µs","number":1.2e-06})");
  for (const auto& [name, value] : samples::all()) CHECK(kind_of(value) == name);
  CHECK(layers_of(samples::graph()).of_node == std::vector<size_t>{0, 1, 2, 3, 4, 4});
  const Layers turned = layers_of({{{"a"}, {"b"}}, {{0, 1}, {1, 0}}});
  CHECK(turned.of_node == std::vector<size_t>{0, 1});
  CHECK_FALSE(turned.arcs[0].backwards);
  CHECK(turned.arcs[1].backwards);
}

TEST_CASE("the document says what is left out; CSV quotes what it must, and no cell is a formula") {
  Lesson lesson;
  lesson.id = "mine";
  Lines many{{"x"}, {"y"}, {{"all", Ink::kText, Stroke::kMeasured, {}}}};
  for (int i = 0; i < 50'000; ++i) many.lines[0].points.push_back({double(i), double(i % 7)});
  lesson.figures = {{"many", "Many points", [&](const FigureInput&) { return Value(many); }}};
  const auto store = TraceStore::create("mine");
  store->add_section("train", {}, 1)[0]->span("step", 1'000'000'000, 3'000'000'000, 0);
  const Trace trace = store->snapshot();
  const Config config = Config::parse("mine", {}, {});
  const auto json = to_json(lesson, lesson.figures[0], {config, trace, &trace.sections()[0], 2'500'000'000});
  CHECK(json["instant"].dump() == R"({"section":"train","time":1.5})");
  CHECK(json["sentence"] == "Many points");
  const size_t kept = json["value"]["lines"][0]["x"].size();
  CHECK(kept <= kJsonPoints);
  CHECK(json["left_out"] == 50'000 - kept);
  CHECK(to_json(lesson, lesson.figures[0], {config, trace})["instant"].is_null());
  const auto rows = TraceStore::create("example");
  record_point(*rows->add_section("rows", {}, 1).front(), "line", 1, 2);
  const Trace of_rows = rows->snapshot();  // whose time is the machine's
  const SectionView& section = of_rows.sections()[0];
  CHECK(to_json(lesson, lesson.figures[0],
                {config, of_rows, &section, last_moment(section)})["instant"]["time"] == 0);
  Table v{{{"name"}, {"size", "bytes", true}}, {{{"a, \"b\""}, {"1 KiB", 1024}}, {{"=1+1"}, {"-1+2"}}}};
  CHECK(to_csv(v) == "name,size (bytes)\r\n\"a, \"\"b\"\"\",1024\r\n'=1+1,'-1+2\r\n");
  CHECK(to_csv(samples::matrix()) ==
        "from,rank 0,rank 1,rank 2\r\nrank 0,,1024,4096\r\nrank 1,same,different,lost\r\n");
  CHECK(to_csv(samples::bars())
            .starts_with("row,parameters (bytes),gradients (bytes),optimizer (bytes),word\r\n"
                         "stage 0,2097152,2097152,12582912,16Ψ\r\n"));
  for (const auto& [name, value] : samples::all()) CHECK(to_csv(value).ends_with("\r\n"));
  CHECK(to_csv(samples::lanes()) ==
        "lane,to lane,time (s),to,name,waits or lost\r\nrank 0,,0,0.01,forward,no\r\n"
        "rank 0,,0.01,0.02,,yes\r\nrank 1,,0,0.019,forward,no\r\nrank 1,,0.0195,,send,no\r\n"
        "rank 1,rank 0,0.0195,0.02,push,no\r\nrank 0,rank 1,0.012,0.014,pull,yes\r\n");
  const Contours log{{"x", "", true, 1, 100}, {"y", "", false, 0, 1}, 3, 1, {7, 8, 9}, {}, {}};
  CHECK(to_csv(log).starts_with("path,x,y,height\r\n,1,"));
  CHECK(to_csv(log).find("\r\n,10,") != std::string::npos);  // sqrt(1 100)
}

TEST_CASE("SVG is whole, escapes what people write, and has the palette's colours") {
  for (const auto& [name, value] : samples::all())
    for (const Mode mode : {Mode::kLight, Mode::kDark}) {
      INFO(name);
      const std::string svg = to_svg("a < b & \"c\"", "for <this>\n\x01", value, {.mode = mode});
      CHECK(testing::why_not_xml(svg) == "");
      CHECK(svg.find("<title>a &lt; b &amp; &quot;c&quot;</title>") != std::string::npos);
      CHECK(svg.find('\x01') == std::string::npos);
      CHECK(svg.find("nan") == std::string::npos);
    }
  CHECK(to_svg("t", "", samples::bars()).find("fill=\"#2f69a8\"") != std::string::npos);
  CHECK(to_svg("t", "", samples::bars(), {.mode = Mode::kDark}).find("fill=\"#42a5ee\"") !=
        std::string::npos);
  Bars counts{{"misses"}, {{"missed"}}, {{"is", {2}}, {"exact", {0}}}};
  CHECK(to_svg("t", "", counts).find(">0.2<") == std::string::npos);  // a tick between two counts
  CHECK(to_svg("t", "", counts).find(">1<") != std::string::npos);
  counts.rows[0].values[0] = 1.5;
  CHECK(to_svg("t", "", counts).find(">0.2<") != std::string::npos);
  CHECK(to_svg("t", "", Value(Lines())).find("cannot be shown") != std::string::npos);
  CHECK(testing::why_not_xml("<?xml ?><a><b></a></b>") != "");
}

}  // namespace ringside::figure
