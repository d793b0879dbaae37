#include "run_a_lesson.h"
#include "shared_memory/rows.h"

namespace ringside::lessons::shared_memory {
using namespace testing;

namespace {

const Lesson kLesson = lesson_alone("shared_memory", make_lesson());

struct Truth {
  int64_t bytes;
  bool one_storage;
};
// Counted by hand, for x of 12 elements of 4 bytes.
const std::map<std::string, Truth> kTruth = {
    {"x & x", {48, true}},
    {"x & x.view(3, -1)", {48, true}},
    {"x & x[1:]", {44, true}},
    {"x & x[1].expand(4)", {4, true}},
    {"m & t", {48, true}},
    {"m & m.reshape(-1)", {48, true}},
    {"t & t.reshape(-1)", {0, false}},
    {"m & m.contiguous()", {48, true}},
    {"t & t.contiguous()", {0, false}},
    {"x & x.clone()", {0, false}},
    {"x & x.detach()", {48, true}},
    {"x & x.to(float32)", {48, true}},
    {"x & x.to(float64)", {0, false}},
    {"x[1:] & x as int16", {44, true}},
    {"from_blob p & p", {48, false}},
    {"from_blob p & p + 2", {40, false}},
    {"empty(0) & empty(0)", {0, false}},
    {"x & x[:0]", {0, true}},
    {"freed a & next b", {0, false}},
    {"-1s & itself", {48, true}},
    {"NaNs & their clone", {0, false}},
    {"x[:n/2] & x[n/2:]", {0, true}},
    {"m[:, :1] & m[:, 1:]", {0, true}},
    {"x[2:] & x[:4]", {8, true}},
    {"x[1::2] & x[::3]", {8, true}},
    {"x[::2] & x[1::2]", {0, true}},
};

// One pair that a test of the name was asked of.
Trace doctored(const std::string& test, bool says, bool truth) {
  const auto store = TraceStore::create(kLesson.id);
  Recorder* recorder = store->add_section("pairs", {}, 1).front();
  record_row<AnswerRow>(*recorder, {"a and b", test, true, says, truth});
  return store->snapshot();
}

}  // namespace

TEST_CASE("shared memory: pairs are as counted by hand; predicted is measured for every size") {
  const Trace trace = run_lesson(kLesson, {});
  const auto rows = rows_in<CaseRow>(trace);
  CHECK(rows.size() == kTruth.size());
  for (const CaseRow& row : rows) {
    INFO(row.name);
    REQUIRE(kTruth.contains(row.name));
    CHECK(row.shared == kTruth.at(row.name).bytes);
    CHECK(row.one_storage == kTruth.at(row.name).one_storage);
  }
  for (const AnswerRow& row : rows_in<AnswerRow>(run_lesson(kLesson, {}))) {
    if (row.test != "write all") continue;
    INFO(row.name);
    CHECK(row.missed() == (row.name == "-1s & itself"));
    CHECK(row.false_alarm() == (row.name == "NaNs & their clone"));
  }
  for (const char* truth : {"truth=bytes", "truth=storage"})
    for (int columns = 2; columns <= 6; ++columns) {
      const std::vector<std::string> words = {truth, "columns=" + std::to_string(columns)};
      check_answers(kLesson, words, run_lesson(kLesson, words), 0);
    }
  CHECK(verdicts_of(run_lesson(kLesson, {"truth=bytes"})) ==
        "enough fails, needed fails, alias fails, write fails, extent holds, exact holds");
  CHECK(verdicts_of(run_lesson(kLesson, {"truth=storage"})) ==
        "enough fails, needed fails, alias holds, write fails, extent fails, exact fails");
}

TEST_CASE("shared memory: claims follow the answers; figures fit at every pair") {
  const auto verdict = [](const std::string& claim, const std::string& test, bool says, bool truth) {
    return verdict_alone(kLesson, claim, doctored(test, says, truth));
  };
  CHECK(verdict("enough", "data_ptr", true, true) == "holds");
  CHECK(verdict("enough", "data_ptr", true, false) == "fails");
  CHECK(verdict("needed", "data_ptr", true, false) == "holds");
  CHECK(verdict("needed", "data_ptr", false, true) == "fails");
  CHECK(verdict("alias", "is_alias_of", true, false) == "fails");
  CHECK(verdict("alias", "is_alias_of", false, true) == "fails");
  CHECK(verdict("alias", "is_alias_of", false, false) == "holds");
  CHECK(verdict("write", "write all", true, true) == "holds");
  CHECK(verdict("write", "write all", false, true) == "fails");
  CHECK(verdict("write", "write all", true, false) == "fails");
  CHECK(verdict("extent", "extent", false, true) == "fails");
  CHECK(verdict("exact", "exact", true, false) == "fails");
  check_says_nothing(kLesson);
  const Trace trace = run_lesson(kLesson, {});
  CHECK(figure_text(kLesson, "cells", trace)
            .starts_with("x[::2] & x[1::2]: one storage, and no byte in both."));
  for (int pair = 0; pair < static_cast<int>(kTruth.size()); ++pair)
    CHECK_FALSE(figure_text(kLesson, "cells", trace, "pairs:" + std::to_string(pair)).empty());
  CHECK(figure_text(kLesson, "cells", trace, "pairs:2").starts_with("x & x[1:]: 44 bytes in both."));
  CHECK(figure_text(kLesson, "cells", trace, "pairs:15").find("through two storages") != std::string::npos);
  CHECK(figure_text(kLesson, "cells", trace, "pairs:16").find("no byte") != std::string::npos);
  CHECK(figure_text(kLesson, "verdicts", trace).find("miss") != std::string::npos);
  CHECK(figure_text(kLesson, "layouts", trace).find("[6] by [2] at 1") != std::string::npos);
  CHECK(figure_text(kLesson, "cells", Trace()).find("being made") != std::string::npos);
}

}  // namespace ringside::lessons::shared_memory
