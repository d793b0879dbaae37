// The page of a run, of a lesson made here: what is bounded, what is said once, and which answers are told.
#include "ringside/figures/page.h"

#include <catch.h>

#include "ringside/trace/training_rows.h"

namespace ringside {
namespace {

PredictionSpec question(const std::string& id, const std::string& figure, Words options) {
  PredictionSpec spec{id, "Which one of " + id + "?"};
  spec.words = WordQuestion{AnswerKind::kChoice, always(Words{options[0]}), always(options)};
  spec.figure = figure;
  return spec;
}

Lesson lesson() {
  Lesson made;
  made.id = "made";
  made.title = "What is it?";
  made.text =
      "## Break it\n- [a=1](<run:made a=1>) One of it. Two.\n## Say it\n**In short.** A is. B is. C is. D "
      "is.\n";
  const auto listing = [](const FigureInput&) {
    return figure::Value(figure::Listing{{{"the program", ""}}, {}});
  };
  made.figures = {{"program", "The program", listing}, {"curves", "Curves", listing}};
  made.figures[0].of_configuration = true;
  made.predictions = {question("first", "program", {"right", "wrong"}),
                      question("second", "curves", {"A", "B"}), question("third", "curves", {"one", "two"})};
  return made;
}

Trace trace_of(int claims, Verdict verdict) {
  const auto store = TraceStore::create("made");
  Recorder& recorder = *store->add_section("training", {}, 1).front();
  for (int i = 0; i < 2; ++i) record_row(recorder, TrainingRemark{"loss", "", 1, "The loss is not finite."});
  TraceRows rows;
  for (int i = 0; i < claims; ++i)
    rows.claims.push_back({"c", "B1", "claim " + std::to_string(i), verdict, "it was measured"});
  rows.claims.push_back({"f", "B1", "a surprise", Verdict::kFails, "it was measured"});
  for (const char* id : {"first", "second", "third"}) {
    PredictionRow row;
    row.id = id;
    row.words = {"right"};
    rows.predictions.push_back(row);
  }
  rows.outcome["arithmetic_buckets"] = 17;  // a name of --json's
  store->set_rows(rows);
  store->set_complete();
  return store->snapshot();
}

std::string page(const Trace& trace, const PageOptions& options = {}) {
  return page_text(lesson(), Config::parse("made", {}, {}), trace, options);
}
bool has(const std::string& text, const std::string& part) { return text.find(part) != std::string::npos; }

TEST_CASE("what fails comes first, what has no room is counted, and one reason is shown once") {
  const Trace trace = trace_of(40, Verdict::kHolds);
  const std::string text = page(trace);
  CHECK(has(text, "Claims    ✗ fails  \"a surprise\" [B1]"));
  CHECK(has(text, " more ✓: --all"));
  CHECK_FALSE(has(text, "claim 39"));
  CHECK(static_cast<size_t>(std::count(text.begin(), text.end(), '\n')) <= kPageLines);
  CHECK(has(page(trace, {.all = true}), "claim 39"));
  CHECK_FALSE(has(page(trace, {.all = true}), "arithmetic_buckets"));
  const std::string open = page(trace_of(5, Verdict::kNotTestable));
  CHECK(has(open, "? open   \"claim 0\""));
  CHECK(has(open, "not testable: it was measured"));
  CHECK(has(open, "4 more ?: --all"));
}

TEST_CASE("three sentences in short, a remark once, answers, and which questions need the room") {
  const std::string text = page(trace_of(1, Verdict::kHolds));
  CHECK(has(text, "In short  A is. B is. C is.\n"));
  const std::vector<ParameterSpec> ranks = {{"ranks", "", "", ParameterKind::kInteger, "4", 1, 8}};
  const auto in_run_of = [&](const Words& words) {
    return page_text(lesson(), Config::parse("made", ranks, words), trace_of(1, Verdict::kHolds), {});
  };
  CHECK(has(in_run_of({"ranks=4"}), "In short  A is. B is. C is.\n"));
  CHECK(has(in_run_of({"ranks=8"}), "In short  (of the default run) A is. B is. C is.\n"));
  CHECK(has(text, "Note      The loss is not finite.\n"));
  CHECK(text.find("not finite") == text.rfind("not finite"));
  CHECK(has(text, "Next      ./run made a=1"));
  const Trace held = trace_of(1, Verdict::kHolds);
  CHECK_FALSE(has(page(held), "right"));
  CHECK(has(page(held), "Questions 3 more"));
  const std::string told = page(held, {.answered = {"first"}});
  CHECK(has(told, "Answers   right (calculated)  Which one of first?"));
  CHECK(has(told, "Questions 2 more"));
  const Lesson made = lesson();
  const Config config = Config::parse("made", {}, {});
  CHECK(figure_beside(made, made.predictions[0]) == &made.figures[0]);
  CHECK(figure_beside(made, made.predictions[1]) == nullptr);
  CHECK_FALSE(needs_picture(made, made.predictions[0], config));
  CHECK(needs_picture(made, made.predictions[1], config));
  CHECK_FALSE(needs_picture(made, made.predictions[2], config));
}

TEST_CASE("where the first figure has nothing to show, the page has the first one that has") {
  Lesson made = lesson();
  made.figures[0].value = [](const FigureInput&) {
    return figure::Value(figure::Nothing{"It was left out."});
  };
  const auto page_of = [&] {
    return page_text(made, Config::parse("made", {}, {}), trace_of(1, Verdict::kHolds), {});
  };
  CHECK(has(page_of(), "Curves"));
  CHECK_FALSE(has(page_of(), "It was left out."));
  made.figures[1].value = made.figures[0].value;
  CHECK(has(page_of(), "It was left out."));
}

}  // namespace
}  // namespace ringside
