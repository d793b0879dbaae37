#include "ringside/trace/table.h"

#include "catch.h"
#include "check_text.h"
#include "ringside/base/error.h"
#include "ringside/trace/files.h"
#include "ringside/trace/rows.h"
#include "sample_trace.h"

using namespace ringside;

namespace {

Trace read_back(const std::string& text) {
  std::istringstream in(text);
  return read_jsonl(in, "t.jsonl");
}

std::string why_refused(const std::string& text) {
  return message_of<InputError>([&] { read_back(text); }, "accepted");
}

std::string table_line(const std::string& columns) {
  return "{\"type\":\"table\",\"name\":\"t\",\"columns\":[" + columns + "]}\n";
}
std::string row_line(const std::string& values) {
  return "{\"type\":\"row\",\"section\":0,\"rank\":0,\"table\":\"t\",\"time_ns\":5,\"values\":" + values +
         "}\n";
}

const std::string kStart =
    "{\"ringside_trace\":3,\"scenario\":\"s\"}\n"
    "{\"type\":\"section\",\"name\":\"a\",\"ranks\":1,\"attributes\":{}}\n";
const std::string kCount = "{\"name\":\"n\",\"kind\":\"integer\",\"unit\":\"\"}";

struct Loan {
  static constexpr Columns kTable{"loans", "book", "days [days]", "fee", "back"};
  std::string book;
  int64_t days = 0;
  double fee = 0;
  bool back = false;
  bool operator==(const Loan&) const = default;
};

}  // namespace

TEST_CASE("rows of a table, of all ranks, as they were recorded") {
  auto store = TraceStore::create("");
  const auto recorders = store->add_section("a", {}, 2);
  const TablePtr table = store->declare(sample_table());
  CHECK(store->declare(sample_table()) == table);
  recorders[1]->row(table, {"w", 64, 0.5, true});
  const Trace before = store->snapshot();
  recorders[0]->row(table, {"b", 128, 3, false});

  CHECK(before.sections()[0].rows_of("storage").size() == 1);
  const Trace trace = store->snapshot();
  REQUIRE(trace.tables().size() == 1);
  CHECK(trace.tables()[0]->columns[1].unit == "bytes");
  const auto rows = trace.sections()[0].rows_of("storage");
  REQUIRE(rows.size() == 2);
  CHECK(rows[0]->rank == 0);
  CHECK(rows[0]->values == std::vector<Attribute>{"b", 128, 3.0, false});  // 3 fits a column of numbers
  CHECK(rows[1]->values == std::vector<Attribute>{"w", 64, 0.5, true});
  CHECK(rows[1]->time_ns > 0);
  CHECK(trace.sections()[0].rows_of("nothing").empty());
}

TEST_CASE("what does not fit a table is refused; the longest row fits a line of a file") {
  auto store = TraceStore::create("");
  Recorder& recorder = *store->add_section("a", {}, 1).front();
  const TablePtr table = store->declare(sample_table());
  CHECK_THROWS_AS(recorder.row(table, {"w", 64, 0.5}), InvariantError);
  CHECK_THROWS_AS(recorder.row(table, {"w", 0.5, 0.5, true}), InvariantError);
  CHECK_THROWS_AS(recorder.row(table, {std::string(kMaxRowText + 1, 'x'), 64, 0.5, true}), InvariantError);
  CHECK_THROWS_AS(recorder.row(nullptr, {}), InvariantError);
  CHECK(store->snapshot().sections()[0].rows(0).empty());
  TraceTable other = sample_table();
  other.columns[0].kind = ColumnKind::kInteger;
  CHECK_THROWS_AS(store->declare(other), InvariantError);
  CHECK_THROWS_AS(store->declare({"none", {}}), InvariantError);
  CHECK_THROWS_AS(store->declare({"twice", {{"a"}, {"a"}}}), InvariantError);
  CHECK_THROWS_AS(store->declare({"wide", std::vector<TraceColumn>(kMaxColumns + 1)}), InvariantError);
  for (size_t i = 1; i < kMaxTables; ++i) store->declare({std::to_string(i), {{"a"}}});
  CHECK_THROWS_AS(store->declare({"one more", {{"a"}}}), InvariantError);
  auto longest = TraceStore::create("");
  Recorder& pen = *longest->add_section("a", {}, 1).front();
  pen.row(longest->declare({"t", {{"x"}}}), {std::string(kMaxRowText, '\x01')});
  std::ostringstream out;
  write_jsonl(longest->snapshot(), out);
  CHECK(read_back(out.str()).sections()[0].rows(0)[0].values[0].text().size() == kMaxRowText);
}

TEST_CASE("a table or row of a file that does not fit is refused with its line and field") {
  const std::string start = kStart + table_line(kCount);
  CHECK(why_refused(start + row_line("[1]")) == "accepted");
  CHECK(why_refused(start + table_line(kCount)) == "t.jsonl:4: table 't' comes twice");
  CHECK(why_refused(kStart + table_line(kCount + "," + kCount)) == "t.jsonl:3: columns: 'n' comes twice");
  CHECK(why_refused(kStart + table_line("")) == "t.jsonl:3: columns: 0 of them, not 1 to 64");
  CHECK(why_refused(kStart + table_line("{\"name\":\"n\",\"kind\":\"blob\",\"unit\":\"\"}")) ==
        "t.jsonl:3: kind: 'blob' is not known; allowed are text, integer, number, boolean");
  std::string many = kCount;
  for (int i = 0; i < 64; ++i) many += "," + kCount;
  CHECK(why_refused(kStart + table_line(many)) == "t.jsonl:3: columns: 65 values, allowed are 0 to 64");
  CHECK(why_refused(kStart + row_line("[1]")) == "t.jsonl:3: table: 't' is not declared");
  CHECK(why_refused(start + row_line("[1,2]")) == "t.jsonl:4: values: 2 values, allowed are 1 to 1");
  CHECK(why_refused(start + row_line("{}")) == "t.jsonl:4: values: not an array");
  CHECK(why_refused(start + row_line("[\"1\"]")) ==
        "t.jsonl:4: values: column 'n' of table 't': text where integer belongs");
  CHECK(why_refused(start + row_line("[1.5]")) ==
        "t.jsonl:4: values: column 'n' of table 't': number where integer belongs");
  CHECK(why_refused(start + row_line("[18446744073709551615]")).find("t.jsonl:4: n: 1844") == 0);
  std::string tables = kStart;
  for (int i = 0; i <= 256; ++i)
    tables += "{\"type\":\"table\",\"name\":\"" + std::to_string(i) + "\",\"columns\":[" + kCount + "]}\n";
  CHECK(why_refused(tables) == "t.jsonl:259: more than 256 tables");
}

TEST_CASE("a struct is a row and comes back; other columns under its name are another table") {
  auto store = TraceStore::create("");
  store->add_section("a", {}, 2);
  const Loan first{"Emma", 14, 0.5, true}, second{"Persuasion", 7, 2, false};
  record_row(store->recorder("a", 0), first);
  record_row(store->recorder("a", 1), second);
  store->recorder("a", 1).row(store->declare(sample_table()), {"w", 64, 0.5, true});
  std::ostringstream out;
  write_jsonl(store->snapshot(), out);
  const Trace trace = read_back(out.str());
  CHECK(rows_as<Loan>(trace.sections()[0]) == std::vector<Loan>{first, second});
  CHECK_FALSE(row_as<Loan>(trace.sections()[0].rows(1)[1]));
  CHECK(table_of<Loan>().columns[1] == TraceColumn{"days", ColumnKind::kInteger, "days"});
  CHECK(table_of<Loan>().columns[2] == TraceColumn{"fee", ColumnKind::kNumber, ""});
  CHECK_THROWS_AS(store->recorder("a", 2), InvariantError);
  CHECK_THROWS_AS(store->recorder("b", 0), InvariantError);
  const Trace other =
      read_back(kStart + "{\"type\":\"table\",\"name\":\"loans\",\"columns\":[" + kCount +
                "]}\n"
                "{\"type\":\"row\",\"section\":0,\"rank\":0,\"table\":\"loans\",\"time_ns\":5,"
                "\"values\":[1]}\n");
  REQUIRE(other.sections()[0].rows_of(Loan::kTable).size() == 1);
  CHECK(rows_as<Loan>(other.sections()[0]).empty());
}
