// The short ways to declare a lesson: rows, timings, claims, figures.
#include <cmath>

#include "catch.h"
#include "ringside/lesson/figure_forms.h"
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

}  // namespace

TEST_CASE("rows of a section as far as it had come, of all sections, and those that are so") {
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
}

TEST_CASE("a recorded table is a figure: all columns or some, a row lit, bytes with their unit") {
  const Trace trace = two_sections();
  const figure::Table all = table_of_rows(trace, "loans", {}, "Ulysses");
  REQUIRE(all.rows.size() == 3);
  CHECK(all.columns[1].number);
  CHECK_FALSE(all.columns[2].number);
  CHECK(all.rows[0][1].text == "2.00 KiB");
  CHECK(all.rows[0][1].number == 2048);
  CHECK(all.rows[0][2].text == "yes");
  CHECK(all.lit == std::vector<size_t>{1});
  const figure::Table some = table_of_rows(trace.find("first"), "loans", {"late", "book"});
  REQUIRE(some.rows.size() == 2);
  CHECK(some.columns[0].title == "late");
  CHECK(first_of(some, 1) == "no");
  CHECK(table_of_rows(trace, "loans", {"book", "author"}).rows.empty());
  CHECK(table_of_rows(trace, "returns").rows.empty());
  CHECK(table_of_rows(nullptr, "loans").rows.empty());
}

TEST_CASE("timings are read by way, and a claim about them is judged by its interval") {
  const Trace trace = timed(3);
  CHECK(ns_of(trace.find("sizes"), "slow") == std::vector<double>(6, 30.0));
  CHECK(median_ns(trace.find("sizes"), "fast") == 10);
  CHECK(std::isnan(median_ns(nullptr, "fast")));
  const auto twice = judge_times({"sizes", "slow", "fast", 2});
  CHECK(twice(trace).verdict == Verdict::kHolds);
  CHECK(twice(timed(1.5)).verdict == Verdict::kFails);
  CHECK(twice(Trace()).verdict == Verdict::kNotTestable);
}

TEST_CASE("a figure that has nothing to show yet") {
  CHECK(std::get<figure::Nothing>(figure::or_nothing(figure::Graph(), "not yet")).why == "not yet");
  CHECK(std::holds_alternative<figure::Graph>(figure::or_nothing(figure::Graph{{{"a"}}, {}}, "not yet")));
}

TEST_CASE("a column of numbers has its unit in brackets") {
  const auto all = figure::columns({"stage", "left [GB]", "calls []"});
  REQUIRE(all.size() == 3);
  CHECK((all[0].title == "stage" && all[0].unit.empty() && !all[0].number));
  CHECK((all[1].title == "left" && all[1].unit == "GB" && all[1].number));
  CHECK((all[2].title == "calls" && all[2].unit.empty() && all[2].number));
}
