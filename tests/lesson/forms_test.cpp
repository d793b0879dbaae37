// The short ways to declare a lesson: rows, timings, claims, figures.
#include "catch.h"
#include "ringside/base/error.h"
#include "ringside/base/random.h"
#include "ringside/lesson/cache_misses.h"
#include "ringside/lesson/claim_forms.h"
#include "ringside/lesson/curves.h"
#include "ringside/lesson/fields.h"
#include "ringside/lesson/figure_forms.h"
#include "ringside/lesson/rows.h"
#include "ringside/lesson/run_parts.h"
#include "ringside/lesson/timings.h"

using namespace ringside;

namespace {

struct Loan {
  static constexpr Columns kTable{"loans", "book", "pages [bytes]", "late"};
  std::string book;
  int64_t pages = 0;
  bool late = false;
};

Trace two_sections() {
  const auto store = TraceStore::create("forms");
  Recorder* first = store->add_section("first", {}, 1).front();
  record_row<Loan>(*first, {"Emma", 2048, true});
  record_row<Loan>(*first, {"Ulysses", 12, false});
  record_row<Loan>(*store->add_section("second", {}, 1).front(), {"Middlemarch", 904, true});
  return store->snapshot();
}

// Six rounds in which "slow" takes so many times as long as "fast".
Trace timed(double ratio) {
  const auto store = TraceStore::create("forms");
  Recorder& recorder = *store->add_section("sizes", {}, 1).front();
  std::vector<Way> ways = {{"slow", [=](int64_t) { return 10 * ratio; }},
                           {"fast", [](int64_t) { return 10.0; }}};
  record_timings(ways, {.rounds = 6}, recorder);
  return store->snapshot();
}

std::string first_of(const figure::Table& table, size_t row) { return table.rows.at(row).at(0).text; }

constexpr double kNoEnd = std::numeric_limits<double>::infinity();

RatioInterval nine(double low, double median, double high) { return {9, median, low, high, 0.96}; }

Verdict verdict(const RatioInterval& ratio, double least, double most) {
  return judge_ratio(ratio, least, most, "").verdict;
}

}  // namespace

TEST_CASE("rows of a section as far as it had come, and a recorded table as a figure") {
  const Trace trace = two_sections();
  const SectionView* first = trace.find("first");
  CHECK(rows_in<Loan>(first).size() == 2);
  const int64_t second_row = first->rows_of("loans")[1]->time_ns;
  CHECK(rows_in<Loan>(first, second_row).size() == 2);
  CHECK(rows_in<Loan>(first, first->rows_of("loans")[0]->time_ns - 1).empty());
  CHECK(rows_in<Loan>(nullptr).empty());
  CHECK(rows_in<Loan>(trace).size() == 3);
  const auto late = rows_where<Loan>(trace, [](const Loan& loan) { return loan.late; });
  REQUIRE(late.size() == 2);
  CHECK(late[1].book == "Middlemarch");
  const figure::Table all = table_of_rows(trace, "loans", {}, "book = Ulysses");
  REQUIRE(all.rows.size() == 3);
  CHECK(all.columns[1].number);
  CHECK_FALSE(all.columns[2].number);
  CHECK(all.rows[0][1].text == "2.00 KiB");
  CHECK(all.rows[0][1].number == 2048);
  CHECK(all.rows[0][2].text == "yes");
  CHECK(all.lit == std::vector<size_t>{1});
  CHECK(table_of_rows(trace, "loans", {"book"}, "late = yes").lit == std::vector<size_t>{0, 2});
  const figure::Table some = table_of_rows(trace.find("first"), "loans", {"late", "book"});
  REQUIRE(some.rows.size() == 2);
  CHECK(some.columns[0].title == "late");
  CHECK(first_of(some, 1) == "no");
  CHECK(table_of_rows(trace, "loans", {"book", "author"}).rows.empty());
  const figure::Table formed =
      table_of_rows(trace, "loans", {"book = title", "pages [B] : count", "pages = p : .1e or none", "late"});
  CHECK((formed.columns[0].title == "title" && formed.columns[1].unit == "B" && !formed.columns[3].number));
  CHECK((formed.rows[0][1].text == "2,048" && formed.rows[0][2].text == "2.0e+03"));
  const figure::Table named = table_of_rows(trace, "loans", {"pages = p : names"});
  CHECK((!named.columns[0].number && named.rows[0][0].text == "2048" && named.rows[0][0].number == 2048));
  CHECK(number_in_form(-2, "size .1f") == "2.0");
  CHECK_THROWS_AS(table_of_rows(trace, "loans", {"pages : .1q"}), InvariantError);
  CHECK(table_of_rows(trace, "returns").rows.empty());
  CHECK(table_of_rows(nullptr, "loans").rows.empty());
}

TEST_CASE("timings are read by way, and claims judged by their interval; columns have units") {
  const Trace trace = timed(3);
  CHECK(ns_of(trace.find("sizes"), "slow") == std::vector<double>(6, 30.0));
  CHECK(median_ns(trace.find("sizes"), "fast") == 10);
  CHECK(std::isnan(median_ns(nullptr, "fast")));
  const auto twice = judge_times({"sizes", "slow", "fast", 2});
  CHECK(twice(trace).verdict == Verdict::kHolds);
  CHECK(twice(timed(1.5)).verdict == Verdict::kFails);
  CHECK(twice(Trace()).verdict == Verdict::kNotTestable);
  CHECK(std::get<figure::Nothing>(figure::or_nothing(figure::Graph(), "not yet")).why == "not yet");
  CHECK(std::holds_alternative<figure::Graph>(figure::or_nothing(figure::Graph{{{"a"}}, {}}, "not yet")));
  const auto all = figure::columns({"stage", "left [GB]", "calls []"});
  REQUIRE(all.size() == 3);
  CHECK((all[0].title == "stage" && all[0].unit.empty() && !all[0].number));
  CHECK((all[1].title == "left" && all[1].unit == "GB" && all[1].number));
  CHECK((all[2].title == "calls" && all[2].unit.empty() && all[2].number));
}

TEST_CASE("a row by its first columns") {
  const Trace trace = two_sections();
  CHECK(row_of<Loan>(trace, "Middlemarch").pages == 904);
  CHECK(last_row_of<Loan>(trace).book == "Middlemarch");
  CHECK(rows_of<Loan>(trace, "Emma").size() == 1);
  CHECK(row_of<Loan>(trace, "Emma", 2048, true).pages == 2048);
  CHECK_THROWS_AS(row_of<Loan>(trace, "Emma", 12), NotRun);
}

TEST_CASE("blocks of boxes beside each other, each under its heading") {
  figure::Boxes all;
  const figure::Box box{.text = "x"};
  figure::add_beside(all, "a", {{box, box}});
  figure::add_beside(all, "b", {{box}, {box}});
  REQUIRE(all.rows.size() == 3);
  const auto& heads = all.rows[0].boxes;
  REQUIRE(heads.size() == 3);
  CHECK((heads[0].text == "a" && heads[0].width == 2 && heads[1].blank && heads[2].text == "b"));
  CHECK((all.rows[1].boxes.size() == 4 && all.rows[1].boxes[2].blank && all.rows[1].boxes[3].text == "x"));
}

TEST_CASE("steps that are looked at; the means of stretches of a line") {
  std::vector<int64_t> steps;
  for (int64_t step = 0; step <= 1200; ++step)
    if (is_looked_at(step)) steps.push_back(step);
  CHECK(steps == std::vector<int64_t>{0, 1, 2, 3, 5, 7, 10, 20, 30, 50, 70, 100, 200, 300, 500, 700, 1000});
  const std::vector<figure::Point> line = {{1, 4}, {2, 6}, {3, 1}, {4, 3}, {5, 9}};
  const auto means = figure::means_of(line, 2);
  REQUIRE(means.size() == 2);
  CHECK((means[0].x == 2 && means[0].y == 5 && means[1].x == 4 && means[1].y == 2));
  CHECK(figure::means_of(line, 9).size() == 5);
  CHECK(figure::means_of({}, 3).empty());
}

TEST_CASE("a ratio holds beyond an end or in a range; curves are read by their lines") {
  CHECK(verdict(nine(1.02, 1.1, 1.2), 1, kNoEnd) == Verdict::kHolds);
  CHECK(verdict(nine(0.8, 0.9, 0.98), 1, kNoEnd) == Verdict::kFails);
  CHECK(verdict(nine(0.96, 1.04, 1.12), 1, kNoEnd) == Verdict::kNotTestable);
  CHECK(verdict(nine(0.62, 0.7, 0.78), 0.6, 0.8) == Verdict::kHolds);
  CHECK(verdict(nine(0.9, 1.0, 1.1), 0.6, 0.8) == Verdict::kFails);
  CHECK(verdict(nine(0.1, 0.2, 0.3), 0.6, 0.8) == Verdict::kFails);
  CHECK(verdict(nine(0.7, 0.78, 0.85), 0.6, 0.8) == Verdict::kNotTestable);
  CHECK(verdict(nine(0.5, 0.7, 0.9), 0.6, 0.8) == Verdict::kNotTestable);
  CHECK(judge_ratio(nine(1.02, 1.1, 1.2), 1, kNoEnd, "times as long").evidence ==
        "1.10 [1.02, 1.20] times as long, 9 rounds in turns");
  CHECK(judge_ratio(nine(0.96, 1.04, 1.12), 1, kNoEnd, "times as long").evidence ==
        "cannot be told here: 1.04 [0.96, 1.12] times as long, 9 rounds in turns");
  const RatioInterval two{2, 3, 2.5, 3.5, 0.5};
  CHECK(judge_ratio(two, 1, kNoEnd, "times as long").verdict == Verdict::kNotTestable);
  CHECK(judge_ratio(two, 1, kNoEnd, "times as long").evidence ==
        "cannot be told here: 3.00 [2.50, 3.50] times as long, 2 rounds in turns, too few to tell");
  CHECK(judge_ratio({2, 2, 2}, {1, 1}, 1, kNoEnd, "").verdict == Verdict::kNotTestable);  // no pairs
  // Curves are read back line by line, up to an instant, and are figures.
  const auto store = TraceStore::create("curves");
  Recorder& pen = *store->add_section("some", {}, 1).front();
  for (const double x : {1, 2, 3}) record_point(pen, "a", x, x * x);
  record_line(pen, "b", {-1, -2});
  const Trace trace = store->snapshot();
  CHECK(curve(trace, "some", "b").at(1).x == 2);
  CHECK(first_of(trace, "some", "a") == 1);
  CHECK((curves_of(trace.find("some")).size() == 2 && curves_of(trace.find("some"))[1].first == "b"));
  CHECK(last_of(trace, "some", "a") == 9);
  CHECK(most_of(trace, "some", "b") == -1);
  for (const char* section : {"some", "none"}) CHECK(std::isnan(last_of(trace, section, "c")));
  const int64_t first_ns = trace.find("some")->rows_of(CurvePoint::kTable).front()->time_ns;
  CHECK(curve(trace.find("some"), "a", first_ns - 1).empty());
}

TEST_CASE("a curve is smoothed, and several have a highest and a lowest edge") {
  const std::vector<figure::Point> steps{{1, 2}, {2, 4}, {3, 12}, {4, 5}}, flat{{1, 3}, {2, 3}, {3, 3}};
  const auto smooth = smoothed(steps, 3);
  REQUIRE(smooth.size() == 2);
  CHECK((smooth[0].x == 3 && smooth[0].y == 6 && smooth[1].x == 4 && smooth[1].y == 7));
  CHECK(smoothed(flat, 4).empty());
  std::vector<figure::Point> highest, lowest;
  for (const auto& points : {steps, flat}) {
    raise(highest, points);
    lower(lowest, points);
  }
  const auto ys = [](const auto& points) { return values_of(points, &figure::Point::y); };
  CHECK(ys(highest) == std::vector<double>{3, 4, 12, 5});
  CHECK(ys(lowest) == std::vector<double>{2, 3, 3, 5});
  const auto store = TraceStore::create("curves");
  record_line(*store->add_section("some", {}, 1).front(), "a", smooth);
  CHECK(curve(store->snapshot(), "some", "a").at(1).x == 4);
}

// Parameters that follow from the fields of a configuration.
namespace ringside::sample {

enum class Colour : uint8_t { kRed, kGreen };
std::span<const std::string_view> texts(Colour) {
  static constexpr std::array<std::string_view, 2> kTexts = {"red", "green"};
  return kTexts;
}

struct Sample {
  int few = 3;
  int64_t many = 2048;
  double share = 0.5;
  bool loud = true;
  Colour colour = Colour::kGreen;
};
void visit_fields(auto& sample, auto&& visit) {
  visit(Field{"few", "not many", "pieces", 1, 9}, sample.few);
  visit(Field{"many", "a count", "", 1, 1 << 20, true}, sample.many);
  visit(Field{"share", "a part", "", 0, 1}, sample.share);
  visit(Field{"loud", "heard"}, sample.loud);
  visit(Field{"colour", "seen"}, sample.colour);
}

}  // namespace ringside::sample

using namespace ringside;
using sample::Colour;
using sample::Sample;

TEST_CASE("a parameter has its field's name, meaning, unit, range and default, and is read back") {
  const Config config = Config::parse("sample", specs_of_fields<Sample>(), {});
  CHECK(config.scenario(true) == "sample few=3 many=2Ki share=0.5 loud=on colour=green");
  const ParameterSpec few = spec_of_field<Sample>("few");
  CHECK(few.meaning == "not many");
  CHECK(allowed_values(few) == "allowed are 1 to 9 pieces");
  CHECK(allowed_values(spec_of_field<Sample>("colour")) == "allowed are red, green");
  CHECK(allowed_values(spec_of_field<Sample>("loud")) == "allowed are on, off");
  CHECK_THROWS_AS(Config::parse("sample", specs_of_fields<Sample>(), {"few=10"}), UsageError);
  CHECK_THROWS_AS(spec_of_field<Sample>("none"), InvariantError);
  const Config said = Config::parse("sample", specs_of_fields<Sample>(),
                                    {"few=7", "many=3Ki", "share=0.25", "loud=off", "colour=red"});
  Sample sample;
  read_fields(said, sample);
  CHECK(sample.few == 7);
  CHECK(sample.many == 3072);
  CHECK(sample.share == 0.25);
  CHECK(!sample.loud);
  CHECK(sample.colour == Colour::kRed);
}

TEST_CASE("a lesson may do without a field, or declare it otherwise") {
  std::vector<ParameterSpec> specs = specs_of_fields<Sample>({"few", "share"});
  specs.push_back(choice("few", "of them", "all", {"all", "1"}));
  const Config config = Config::parse("sample", specs, {"many=1"});
  CHECK(config.scenario(true) == "sample many=1 loud=on colour=green few=all");
  Sample sample{.few = 5, .share = 0.75};
  read_fields(config, sample, {"few"});
  CHECK(sample.few == 5);
  CHECK(sample.share == 0.75);
  CHECK(sample.many == 1);
}

TEST_CASE("a walk through memory in no order misses the cache more often than one in a row") {
  const CacheMisses misses;
  if (!misses.count()) return;          // this machine lets no program count them
  constexpr size_t kNumbers = 1 << 24;  // 64 MiB: more than a cache of one core
  std::vector<uint32_t> next(kNumbers);
  RandomStream random(1, "cache misses");
  for (uint32_t& number : next) number = static_cast<uint32_t>(random.below(kNumbers));
  uint32_t sum = 0;
  const auto misses_of = [&](const auto& walk) {
    const int64_t before = misses.count().value();
    for (size_t i = 0; i < 1 << 16; ++i) sum += walk(i);
    return misses.count().value() - before;
  };
  const int64_t in_a_row = misses_of([&](size_t i) { return next[i]; });
  const int64_t anywhere = misses_of([&](size_t i) { return next[next[next.size() - 1 - i]]; });
  INFO("sum " << sum);
  CHECK(in_a_row >= 0);
  CHECK(anywhere > in_a_row);
}

TEST_CASE("cells: counts, numbers with two decimals, texts; points of rows") {
  const auto made = figure::cells("a", 2048, 1.005, figure::TableCell{"-"}, figure::cell(2.25, 1));
  std::vector<std::string> texts;
  for (const figure::TableCell& one : made) texts.push_back(one.text);
  CHECK(texts == std::vector<std::string>{"a", "2,048", "1.00", "-", "2.2"});
  CHECK((made[1].number == 2048 && made[2].number == 1.005));
  const auto half = [](const Loan& loan) { return double(loan.pages) / 2; };
  const auto points = figure::points_of(rows_in<Loan>(two_sections()), &Loan::pages, half);
  REQUIRE(points.size() == 3);
  CHECK((points[0].x == 2048 && points[0].y == 1024));
}

TEST_CASE("rows whose members have these values; what is needed and is not there") {
  const Trace trace = two_sections();
  CHECK(rows_where<Loan>(trace, having(&Loan::late, true)).size() == 2);
  CHECK(rows_where<Loan>(trace, having(&Loan::late, true, &Loan::pages, 904)).size() == 1);
  CHECK(needed(row_where<Loan>(trace, having(&Loan::book, "Emma"))).pages == 2048);
  CHECK_THROWS_AS(needed(row_where<Loan>(trace, having(&Loan::book, "Persuasion"))), NotRun);
  CHECK_THROWS_AS(needed(trace.find("third")), NotRun);
  CHECK_THROWS_AS(needed(std::vector<int>()), NotRun);
  CHECK_THROWS_AS(needed(std::nan("")), NotRun);
  CHECK((both(true, true) == Verdict::kHolds && both(false, true) == Verdict::kPartly));
  CHECK(both(false, false) == Verdict::kFails);
}
