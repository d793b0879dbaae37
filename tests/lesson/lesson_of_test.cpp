// A lesson of texts and functions.
#include "ringside/lesson/lesson_of.h"

#include <catch.h>

#include "check_text.h"
#include "ringside/base/error.h"
#include "ringside/lesson/claim_forms.h"
#include "ringside/lesson/curves.h"
#include "ringside/lesson/parameter_specs.h"
#include "ringside/lesson/prediction.h"
#include "ringside/lesson/rows.h"
#include "ringside/lesson/timings.h"

using namespace ringside;

namespace {

struct Parcel {
  static constexpr Columns kTable{"parcels", "town", "size [bytes]", "days", "late"};
  std::string book;
  int64_t pages = 0;
  double days = 0;
  bool late = false;
};

constexpr const char* kTexts =
    "[lesson]\n"
    "watch     Now look.\n"
    "opening   {ranks} ranks count to {most}.\n"
    "nothing   Nobody counts.\n"
    "needs     counts\n"
    "\n"
    "[parameter ranks]\n"
    "means     N\n"
    "default   2\n"
    "least     1\n"
    "most      8\n"
    "[parameter way]\n"
    "default   up\n"
    "choice    up | from 1\n"
    "choice    down | to 1\n"
    "[parameter name]\n"
    "default   self\n"
    "suggest   other\n"
    "[question half]\n"
    "ask       How much is half?\n"
    "right     most / 2 + ranks\n"
    "wrong     all of it | most | That is the whole.\n"
    "near      left out\n"
    "whole     yes\n"
    "[question which]\n"
    "ask       Which?\n"
    "option    first\n"
    "option    * last\n"
    "[question order]\n"
    "ask       In which order?\n"
    "kind      order\n"
    "option    b\n"
    "option    a\n"
    "right     a, b\n"
    "wrong     backwards | b, a\n"
    "wrong     it is so | a, b\n"
    "[claim counted]\n"
    "source    arithmetic\n"
    "says      it counts\n"
    "found     {:.1f} of {}\n"
    "[claim slower]\n"
    "says      it is slower\n"
    "section   a\n"
    "slow      tortoise\n"
    "fast      hare\n"
    "least     2\n"
    "[figure all]\n"
    "title     All of them\n"
    "tab       all\n"
    "table     counts\n"
    "columns   n\n"
    "[figure last]\n"
    "title     The last\n"
    "shows     instant\n"
    "answers   half which\n"
    "[gauge most]\n"
    "name      most\n"
    "unit      bytes\n";

struct Count {
  static constexpr Columns kTable{"counts", "n [bytes]", "odd"};
  int64_t n = 0;
  bool odd = false;
};

double most(const Trace& trace) { return static_cast<double>(rows_in<Count>(trace).back().n); }

LessonParts parts() {
  return {.parameters = {number("most", "", "", "10", 1, 99)},
          .run = nullptr,
          .questions = {{"half", most}, {"which", [](const Trace&) { return 0; }}},
          .claims = {{"counted", [](const Trace&) { return judged(true, 2.0, "many"); }}},
          .figures = {{"last", [](const FigureInput&) { return figure::Value(); }}},
          .gauges = {{"most", most}}};
}

// With six rounds in which the tortoise takes n times as long.
Trace counted(int64_t n) {
  const auto store = TraceStore::create("");
  Recorder& pen = *store->add_section("a", {}, 1).front();
  record_row<Count>(pen, {n, n % 2 == 1});
  for (int round = 0; round < 6; ++round)
    for (const auto& [way, ns] : {std::pair{"tortoise", double(n)}, {"hare", 1.0}})
      record_row<Timing>(pen, {way, ns});
  return store->snapshot();
}

std::string refusal(std::string texts, LessonParts of) {
  return message_of<Error>([&] { lesson_of(texts, std::move(of)); }, "");
}

}  // namespace

TEST_CASE("texts and functions of one id are one question, claim, figure and gauge") {
  const Lesson lesson = lesson_of(kTexts, parts());
  const Config config = Config::parse("", lesson.parameters, {"ranks=3"});
  const Trace trace = counted(7);
  CHECK(lesson.words.watch == "Now look.");
  CHECK(lesson.words.step == "step");
  CHECK(lesson.opening(config) == std::vector<std::string>{"3 ranks count to 10."});
  REQUIRE(lesson.predictions.size() == 3);
  const PredictionSpec &half = lesson.predictions[0], &which = lesson.predictions[1];
  CHECK(half.formula(config) == 8);
  CHECK(half.wrong.at(0).value(config) == 10);
  CHECK(std::isnan(half.wrong[0].value(config.with({"ranks=5"}))));  // it is right there
  CHECK(half.wrong[0].why == "That is the whole.");
  CHECK(half.whole);
  CHECK(half.measured(trace) == 7);
  CHECK(which.words->right(config) == Words{"last"});
  CHECK(which.words->measured(trace) == Words{"first"});
  const WordQuestion& order = *lesson.predictions[2].words;
  CHECK(order.right(config) == Words{"a", "b"});
  REQUIRE(order.wrong(config).size() == 1);  // the other is right
  CHECK(order.wrong(config)[0].answer == Words{"b", "a"});
  CHECK(lesson.claims.at(0).statement == "it counts");
  CHECK(lesson.claims[0].judge(trace).evidence == "2.0 of many");
  CHECK(lesson.claims.at(1).judge(trace).verdict == Verdict::kHolds);
  CHECK(lesson.claims[1].judge(counted(1)).verdict == Verdict::kFails);
  CHECK_THROWS_AS(Config::parse("", lesson.parameters, {"ranks=9"}), UsageError);
  CHECK_THROWS_AS(Config::parse("", lesson.parameters, {"way=left"}), UsageError);
  CHECK(lesson.gauges.at(0).unit == "bytes");
  CHECK(lesson.gauges[0].value({config, trace}) == 7);
  CHECK(std::get<figure::Table>(lesson.figures.at(0).value({config, trace})).columns.size() == 1);
  CHECK(lesson.figures[0].tab == "all");
  CHECK_FALSE(lesson.figures[0].follows_playhead);
  CHECK(lesson.figures.at(1).follows_playhead);
  CHECK(lesson.figures[1].answers == std::vector<std::string>{"half", "which"});
}

TEST_CASE("what the trace has not, a number that is none, and no words are not measured") {
  const Lesson lesson = lesson_of(kTexts, parts());
  const Config config = Config::parse("", lesson.parameters, {});
  const Trace none;
  CHECK_FALSE(lesson.predictions[0].measured(none));
  CHECK_FALSE(lesson.predictions[1].words->measured(none));
  CHECK(lesson.claims[0].judge(none).verdict == Verdict::kNotTestable);
  CHECK(lesson.claims[0].judge(none).evidence == "it was not run");
  CHECK_FALSE(lesson.gauges[0].value({config, none}));
  for (const FigureSpec& spec : lesson.figures)
    CHECK(std::get<figure::Nothing>(spec.value({config, none})).why == "Nobody counts.");
  LessonParts of = parts();
  of.questions = {{"half", [](const Trace&) { return std::nan(""); }},
                  {"which", [](const Trace&) { return Words(); }}};
  of.gauges = {{"most", [](const Trace&) { return std::nan(""); }}};
  const Lesson unmeasured = lesson_of(kTexts, std::move(of));
  const Trace trace = counted(7);
  CHECK_FALSE(unmeasured.predictions[0].measured(trace));
  CHECK_FALSE(unmeasured.predictions[1].words->measured(trace));
  CHECK_FALSE(unmeasured.gauges[0].value({Config::parse("", unmeasured.parameters, {}), trace}));
}

TEST_CASE("answers by the scenario's names; parameters by their blocks; what stands alone is named") {
  const TextBlocks blocks("[q]\noption A\noption B\nright slow\nwrong it is quick | quick\n");
  const auto letter = [](const Config&, const std::string& name) {
    return std::string(name == "slow" ? "B" : "A");
  };
  const PredictionSpec spec = question_of(blocks["q"], {.named = letter});
  const Config config = Config::parse("", {}, {});
  CHECK(spec.words->right(config) == Words{"B"});
  CHECK(spec.words->wrong(config).at(0).answer == Words{"A"});
  LessonParts more = parts(), less = parts();
  more.claims.push_back({"another", [](const Trace&) { return ClaimResult(); }});
  less.claims.clear();
  CHECK(refusal(kTexts, more).find("'another' has a function and no block") != std::string::npos);
  CHECK(refusal(kTexts, less).find("[claim counted] has a block of text and no function") !=
        std::string::npos);
  CHECK(refusal("[verse one]\nsays a\n", {}) == "[verse one]: a lesson has no block of that kind");
  CHECK(refusal("[figure one]\nanswres a\n", {})
            .starts_with("[figure one]: there is no field 'answres' (did you mean answers?); there are: "));
  const auto specs_of = [](const char* texts) { return lesson_of(texts, {}).parameters; };
  const auto specs = specs_of(
      "[parameter stage]\ndefault  all\nchoice   all | each of them\nchoice   1 | the first, alone\n"
      "[parameter lr]\ndefault  0.001\nkind     real\nleast    1e-6\nmost     1\n"
      "[parameter data]\ndefault  self\nsuggest  self\nsuggest  tree\n");
  REQUIRE(specs.size() == 3);
  CHECK(specs[0].choices == std::vector<std::string>{"all", "1"});
  CHECK(specs[0].choice_meanings == std::vector<std::string>{"each of them", "the first, alone"});
  CHECK(specs[1].kind == ParameterKind::kReal);
  CHECK(specs[1].minimum == 1e-6);
  CHECK(specs[2].kind == ParameterKind::kText);
  CHECK(specs[2].choices.size() == 2);
  CHECK_THROWS_AS(specs_of("[parameter a]\nkind     odd\n"), InvariantError);
  CHECK_THROWS_AS(specs_of("[parameter a]\nchoice   b | c\nchoice   d\n"), InvariantError);
}

TEST_CASE(
    "curves of a block are lines over its axes: of several sections, by other names, some without a point") {
  const auto store = TraceStore::create("");
  for (const char* section : {"a", "b, c"})
    record_point(*store->add_section(section, {}, 1).front(), "loss", 1, 2);
  const Trace trace = store->snapshot();
  const std::string block =
      "[figure falls]\nx step\ny loss | nats | log\ncurves a: none | loss\ncurves b, c: loss = c's : dim "
      "dots\n";
  const FigureSpec spec = lesson_of(block, {.run = nullptr}).figures.at(0);
  const Config config = Config::parse("", {}, {});
  const auto lines = std::get<figure::Lines>(spec.value({config, trace}));
  CHECK((lines.x.name == "step" && lines.y.unit == "nats" && lines.y.log));
  REQUIRE(lines.lines.size() == 2);
  CHECK((lines.lines[0].name == "loss" && lines.lines[0].ink == figure::hue(1)));
  CHECK((lines.lines[1].name == "c's" && lines.lines[1].points.at(0).y == 2));
  CHECK((lines.lines[1].ink == figure::Ink::kDim && lines.lines[1].stroke == figure::Stroke::kDots));
  LessonParts more{.run = nullptr};
  more.figures = {{"falls",
                   {},
                   [](const FigureInput&) {
                     return std::vector<Attribute>{3, "b"};
                   },
                   [](const FigureInput&) {
                     return std::vector<figure::Mark>{{"end", 1}};
                   }}};
  const std::string said = "[figure falls]\nx s\ny % | | from 0 to 100\ncurves a: loss\nsentence {} of {}\n";
  const FigureSpec whole = lesson_of(said, more).figures.at(0);
  CHECK(whole.sentence({config, trace}) == "3 of b");
  const auto marked = std::get<figure::Lines>(whole.value({config, trace}));
  CHECK((marked.marks.at(0).name == "end" && marked.y.least == 0.0 && marked.y.most == 100.0));
  const FigureSpec other = lesson_of("[figure falls]\ncurves a: loss\nsentence {}\n", more).figures.at(0);
  CHECK(message_of<InvariantError>([&] {
          other.sentence({config, trace});
        }).find("figure 'falls': '{}': places for values: 1, values given: 2") != std::string::npos);
  const FigureSpec form =
      lesson_of("[figure falls]\ncurves a: loss\nsentence {} of {:.1f}\n", more).figures.at(0);
  CHECK_THROWS_AS(form.sentence({config, trace}), InvariantError);  // "b" has no decimals
  const auto has_no = [](const std::string& fields, const std::string& why) {
    return refusal("[figure a]\n" + fields + "\n", {}).find(why) != std::string::npos;
  };
  for (const std::string axis : {"from", "from 1 up", "from 1 to", "to 3"})
    CHECK(has_no("y n | | " + axis + "\ncurves a: b", "no axis is '" + axis + "'"));
  CHECK(has_no("curves a: b : blue", "no ink or stroke is 'blue'"));
  CHECK(refusal("[figure a]\ncurves b\n", {}).find("curves without a section: b") != std::string::npos);
}

TEST_CASE(
    "numbers of a question are made of parameters and symbols; those that the block lacks are functions'") {
  const std::string block =
      "[parameter ranks]\ndefault 4\nleast 1\nmost 8\n[question a]\nask How much?\nformula 2 N P\n"
      "wrong half | N P | Both ways.\nwrong odd | It is even.\nwrong flat | ranks + 1 | It grows.\n";
  LessonParts parts{.run = nullptr};
  parts.symbols = [](const Config& config) {
    return std::vector<Symbol>{{"N", "ranks", config.real("ranks")}, {"P", "parameters", 10}};
  };
  parts.questions = {{.id = "a", .wrong = {always(7.0)}}};
  const Lesson lesson = lesson_of(block, parts);
  const Config config = Config::parse("", lesson.parameters, {"ranks=3"});
  const PredictionSpec& spec = lesson.predictions.at(0);
  CHECK((spec.formula(config) == 60 && spec.formula_text(config) == "2 N P"));
  CHECK(spec.symbols(config).size() == 2);
  REQUIRE(spec.wrong.size() == 3);
  for (const auto& [nth, value] : {std::pair{0, 30}, {1, 7}, {2, 4}})
    CHECK(spec.wrong[size_t(nth)].value(config) == value);
  CHECK(spec.wrong[1].why == "It is even.");
  const auto with = [&](const std::vector<ByScenario>& wrong, const std::string& more = "") {
    parts.questions = {{.id = "a", .wrong = wrong}};
    return message_of<InvariantError>(
        [&] { lesson_of(block + more, parts).predictions[0].wrong.back().value(config); });
  };
  CHECK(with({always(7.0), always(8.0)}).ends_with("'a' has more values than beliefs"));
  CHECK(with({always(7.0)}, "wrong none | Why?\n").ends_with("'a': 'none' has no value"));
  CHECK(with({always(7.0)}, "wrong odd | 2 Q | Why?\n").starts_with("'a': '2 Q' is no number"));
}

TEST_CASE("rows of a block are bars with names and words, or a table in which the scenario's row is lit") {
  const auto store = TraceStore::create("");
  Recorder& pen = *store->add_section("a", {}, 1).front();
  record_row<Parcel>(pen, {"Emma", 2048, 1.25, true});
  record_row<Parcel>(pen, {"Ulysses", 12, NAN, false});
  record_row<Parcel>(pen, {"Emma", 4096, 2, true});
  const Trace trace = store->snapshot();
  const Config config = Config::parse("", {text("shelf", "", "Emma", {})}, {});
  const auto of_block = [&](const std::string& lines) {
    return lesson_of("[figure a]\ntable parcels\n" + lines, {.run = nullptr})
        .figures.at(0)
        .value({config, trace});
  };
  const auto bars = std::get<figure::Bars>(of_block(
      "bars size = so many : alarm | days\nrow {town}, {late}\nword {size} in {days : .1f}\nx n | B | "
      "from 1 to 9\n"));
  CHECK((bars.value.unit == "B" && bars.value.least == 1.0 && bars.value.most == 9.0 && !bars.stacked));
  CHECK((bars.parts.at(0).name == "so many" && bars.parts[0].ink == figure::Ink::kAlarm));
  CHECK((bars.parts.at(1).name == "days" && bars.parts[1].ink == figure::hue(1)));
  REQUIRE(bars.rows.size() == 2);  // the later Emma is in the earlier one's place
  CHECK((bars.rows[0].name == "Emma, yes" && bars.rows[0].values == std::vector<double>{4096, 2}));
  CHECK((bars.rows[0].word == "4.00 KiB in 2.0" && bars.rows[1].word == "12 B in —"));
  CHECK(std::get<figure::Bars>(of_block("bars days\nrow {town}\nstacked yes\n")).stacked);
  CHECK(std::holds_alternative<figure::Nothing>(of_block("bars years\nrow {town}\n")));
  const auto table = std::get<figure::Table>(of_block("columns days : .1f | town\nlit town = {shelf}\n"));
  CHECK((table.lit == std::vector<size_t>{0, 2} && table.rows.at(1).at(0).text == "—"));
  const std::string other_order = "table parcels where town = Emma and late = yes\n";
  const auto ordered = std::get<figure::Table>(
      lesson_of("[figure a]\ntable parcels where town = Ulysses\n" + other_order, {.run = nullptr})
          .figures.at(0)
          .value({config, trace}));
  REQUIRE(ordered.rows.size() == 3);
  CHECK((ordered.rows[0][0].text == "Ulysses" && ordered.rows[2][1].number == 4096));
}

TEST_CASE("rows of a block are lines over their first column, of some rows, up to a number of the run") {
  const auto store = TraceStore::create("");
  Recorder& pen = *store->add_section("a", {}, 1).front();
  record_row<Parcel>(pen, {"Emma", 2048, 1.25, true});
  record_row<Parcel>(pen, {"Ulysses", 12, 7, false});
  record_row<Parcel>(pen, {"Emma", 4096, NAN, true});
  const Trace trace = store->snapshot();
  const Config config = Config::parse("", {}, {});
  const auto of_block = [&](const std::string& lines) {
    return lesson_of("[figure a]\ny days | | from 0 to {last.size / 2 : .0f}\nlet last = parcels\n" + lines,
                     {.run = nullptr})
        .figures.at(0)
        .value({config, trace});
  };
  const auto lines = std::get<figure::Lines>(
      of_block("lines parcels where town = Emma: size | days = so long : dim dots | size\n"
               "lines parcels where town = Middlemarch: size | days\nlines parcels: size | days\n"));
  CHECK((lines.y.name == "days" && lines.y.most == 2048.0));
  REQUIRE(lines.lines.size() == 3);  // nobody sends Middlemarch
  CHECK((lines.lines[0].name == "so long" && lines.lines[0].stroke == figure::Stroke::kDots));
  REQUIRE(lines.lines[0].points.size() == 2);
  CHECK((lines.lines[0].points[0].x == 2048 && lines.lines[0].points[0].y == 1.25));
  CHECK(std::isnan(lines.lines[0].points[1].y));  // a gap
  CHECK((lines.lines[1].points[1].y == 4096 && lines.lines[2].points[1].x == 12));
  CHECK(std::holds_alternative<figure::Nothing>(of_block("lines parcels: size | years\n")));
  const auto mean = std::get<figure::Lines>(of_block("means 1\nlines parcels: size | size\n")).lines.at(0);
  CHECK((mean.points.size() == 1 && mean.points[0].x == 4096 && mean.points[0].y == 2052));
  CHECK(refusal("[figure a]\nlines parcels: size\n", {}).find("lines without two columns: parcels") !=
        std::string::npos);
}

TEST_CASE("numbers of recorded rows answer a question, judge a claim, fill a sentence and a gauge") {
  const auto store = TraceStore::create("");
  Recorder& pen = *store->add_section("a", {}, 1).front();
  record_row<Parcel>(pen, {"Emma", 1, 9, true});
  record_row<Parcel>(pen, {"Emma", 4096, 2, true});
  record_row<Parcel>(pen, {"Ulysses", 1200, NAN, false});
  const Trace trace = store->snapshot();
  const Config config = Config::parse("", {text("shelf", "", "Ulysses", {})}, {});
  const auto lesson_with = [](const std::string& more) {
    return lesson_of("[lesson]\nuntested nobody sent\nlet emma = parcels where town = Emma\n" + more, {});
  };
  const auto judged = [&](const std::string& fields) {
    return lesson_with("[claim a]\n" + fields).claims.at(0).judge(trace);
  };
  const ClaimResult soon = judged(
      "holds emma.days < 3, emma.days = 2\nholds 3 < emma.days < 9\n"
      "found {emma.town}: {emma.size : bytes}, {100 emma.days : .0f}\n");
  CHECK((soon.verdict == Verdict::kPartly && soon.evidence == "Emma: 4.00 KiB, 200"));
  CHECK(judged("holds emma.days >= 2\nholds emma.days <= 2\n").verdict == Verdict::kHolds);
  CHECK(judged("holds emma.days < 3, emma.days > 2\n").verdict == Verdict::kFails);
  CHECK(judged("let b = parcels where late = no\nholds b.days < 3\n").evidence == "nobody sent");  // NaN
  CHECK(judged("let b = parcels where town = Ulm\nholds b.size > 3\n").evidence == "nobody sent");
  const std::string three =
      "let all = parcels with most size / 2\nlet ulm = parcels where town = Ulm\nlet b = ";
  CHECK(judged(three + "parcels with least size\nholds b.days = 9, all.size = 4096\n").verdict ==
        Verdict::kHolds);
  CHECK(judged(three + "parcels where late = yes\nholds ulm.rows = 0\nfound {b.rows} of {all.rows}\n")
            .evidence == "2 of 3");
  CHECK(judged("let b = parcels with most late\nholds b.days = 9\n").verdict ==
        Verdict::kHolds);  // the first
  const std::string fails =
      "holds emma.days > 2\nfound {emma.days < 3 ? few |many}{emma.days > 3 ? few|emma.days > 2 ? some|, "
      "many}\n";
  CHECK((judged(fails).verdict == Verdict::kFails && judged(fails).evidence == "few , many"));
  CHECK(judged(fails + "partly emma.days > 1, emma.size > 1\n").verdict == Verdict::kPartly);
  CHECK(judged(fails + "partly emma.days > 2\n").verdict == Verdict::kFails);
  CHECK(judged("untold emma.days = 2\nholds emma.days = 2\nfound so\n").verdict == Verdict::kNotTestable);
  CHECK(judged("untold emma.days = 3\nholds emma.days = 2\nfound so\n").verdict == Verdict::kHolds);
  for (const char* wrong : {"holds emma.days\n", "holds emma.weeks > 1\n", "let b = {x}\nholds b.y > 1\n"})
    CHECK_THROWS_AS(judged(wrong), InvariantError);
  const Lesson said = lesson_with(
      "[question days]\nright 2\nmeasured 2 emma.days - 1\n[figure f]\ntable parcels\n"
      "let b = parcels where town = {shelf} and late = no\nsentence {b.size : count} of {emma.size : .0f}\n"
      "[gauge g]\nvalue emma.size / 2\n");
  CHECK(said.predictions.at(0).measured(trace) == 3);
  CHECK(said.figures.at(0).sentence({config, trace}) == "1,200 of 4096");
  CHECK(said.gauges.at(0).value({config, trace}) == 2048);
  CHECK_FALSE(said.gauges[0].value({config, Trace()}));
  const auto answer = [&](const std::string& measured, const Trace& of) {
    const std::string question = "[question q]\noption * few\noption many\n";
    return lesson_with(question + measured).predictions.at(0).words->measured(of);
  };
  const std::string by_days = "measured emma.days < 2, emma.size > 1\nmeasured emma.days < 9\n";
  CHECK(answer(by_days, trace) == Words{"many"});
  CHECK(answer("measured emma.days < 3, emma.size > 1\nmeasured emma.days < 9\n", trace) == Words{"few"});
  CHECK_FALSE(answer("measured emma.days < 1\nmeasured emma.days < 2\n", trace));
  CHECK_FALSE(answer(by_days, Trace()));
}

TEST_CASE(
    "a function that finds that it was not run: nothing is measured, with its reason where it has one") {
  const auto not_run = [](const Trace&) -> double { throw NotRun(); };
  LessonParts of = parts();
  of.questions = {{"half", not_run},
                  {"which", [](const Trace& t) { return int(needed(t.find("b")).ranks()); }}};
  of.claims = {{"counted", [](const Trace&) -> ClaimResult { throw NotRun{"nobody came"}; }}};
  of.figures = {{"last", [](const FigureInput&) -> figure::Value { throw NotRun(); },
                 [](const FigureInput&) -> std::string { throw NotRun(); }}};
  of.gauges = {{"most", not_run}};
  of.readouts = [](const FigureInput& input) {
    const std::string name = needed(input.trace.find("b")).name();
    return std::vector<Readout>{{"b", name}};
  };
  const Lesson lesson = lesson_of(kTexts, std::move(of));
  const Trace trace = counted(7);
  const Config config = Config::parse("", lesson.parameters, {});
  CHECK_FALSE(lesson.predictions[0].measured(trace));
  CHECK_FALSE(lesson.predictions[1].words->measured(trace));
  CHECK(lesson.claims[0].judge(trace).verdict == Verdict::kNotTestable);
  CHECK(lesson.claims[0].judge(trace).evidence == "nobody came");
  CHECK(std::get<figure::Nothing>(lesson.figures[1].value({config, trace})).why == "Nobody counts.");
  CHECK(lesson.figures[1].sentence({config, trace}).empty());
  CHECK_FALSE(lesson.gauges[0].value({config, trace}));
  CHECK(lesson.readouts({config, trace}).empty());
}

TEST_CASE("a parameter of C++ stands in the place of its block, which may give default and most; or first") {
  const auto specs =
      lesson_of("[parameter a]\ndefault  x\nkind     text\n[parameter b]\ndefault  3\nmost     4\n",
                {.parameters = {number("b", "N", "", "1", 1, 8), number("c", "", "", "1", 1, 8)},
                 .checks = {{"a", [](const std::string& value) { throw UsageError(value); }}},
                 .run = nullptr})
          .parameters;
  REQUIRE(specs.size() == 3);
  CHECK((specs[0].name == "c" && specs[1].name == "a" && specs[2].name == "b"));
  CHECK((specs[2].meaning == "N" && specs[2].default_value == "3" && specs[2].maximum == 4));
  CHECK_THROWS_AS(specs[1].validate("y"), UsageError);
}

TEST_CASE(
    "readouts and live lines of blocks: of the section under the playhead, or of another, as far as it "
    "came") {
  const auto store = TraceStore::create("");
  for (const auto& [section, size] : {std::pair{"a", 2048}, {"b", 4096}})
    record_row<Parcel>(*store->add_section(section, {}, 1).front(), {"Emma", size, -1.5});
  store->add_section("c", {}, 1);
  const Trace trace = store->snapshot();
  const Config config = Config::parse("", {text("town", "", "Bath", {})}, {});
  const Lesson lesson = lesson_of(
      "[lesson]\nlet one = parcels here\nlet two = parcels here or in b where town = Emma\n"
      "[readout s]\nname size of {one.town}\nvalue {one.size : bytes}\n"
      "[readout d]\nname days in {town}\nvalue {two.days : size .2f} of {two.size}\nanswers when\n"
      "[live s]\npart traffic\nname size\nvalue 2 two.size\nunit bytes\n",
      {});
  const std::vector<std::string> open{"when"};
  const auto at = [&](const char* section, int64_t time_ns, std::span<const std::string> questions = {}) {
    return FigureInput{config, trace, trace.find(section), time_ns, questions};
  };
  constexpr int64_t kEnd = std::numeric_limits<int64_t>::max();
  const auto shown = lesson.readouts(at("a", kEnd));
  REQUIRE(shown.size() == 2);
  CHECK((shown[0].name == "size of Emma" && shown[0].value == "2.00 KiB"));
  CHECK((shown[1].name == "days in Bath" && shown[1].value == "1.50 of 2.00 KiB"));
  CHECK(lesson.readouts(at("a", kEnd, open)).size() == 1);
  CHECK(lesson.readouts(at("c", kEnd)).size() == 1);  // c has no row: it is b's
  CHECK(lesson.readouts(at("a", 0)).empty());
  const auto live = lesson.live(at("c", kEnd));
  REQUIRE(live.size() == 1);
  CHECK((live[0].part == LivePart::kTraffic && live[0].name == "size" && live[0].value == 8192));
  CHECK(lesson.live(at("a", kEnd))[0].value == 4096);
  CHECK(refusal("[live a]\npart rows\n", {}).find("'a': the live panel has no part 'rows'") !=
        std::string::npos);
}

TEST_CASE("marks of a block's curves stand where rows of the run say; an opening has formulas of symbols") {
  const auto store = TraceStore::create("");
  Recorder& pen = *store->add_section("a", {}, 1).front();
  record_row<Parcel>(pen, {"Emma", 4, 1.5});
  record_point(pen, "loss", 1, 2);
  const Trace trace = store->snapshot();
  LessonParts parts;
  parts.symbols = [](const Config& config) {
    return std::vector<Symbol>{{"P", "", 10 * config.real("ranks")}};
  };
  const Lesson lesson = lesson_of(
      "[lesson]\nopening {model : stem} has {P / 8 : .2f} on {ranks}.\nlet one = parcels\nlet two = returns\n"
      "[parameter ranks]\ndefault 3\nleast 1\nmost 9\n[parameter model]\nkind text\ndefault a/qwen.json\n"
      "[figure f]\ncurves a: loss\nmark cut = one.size\nmark later = two.size\nlevel noise = 3 one.days\n",
      parts);
  const Config config = Config::parse("", lesson.parameters, {});
  CHECK(lesson.opening(config) == std::vector<std::string>{"qwen has 3.75 on 3."});
  const auto marks = std::get<figure::Lines>(lesson.figures.at(0).value({config, trace})).marks;
  REQUIRE(marks.size() == 2);
  CHECK((marks[0].name == "cut" && marks[0].at == 4 && marks[0].on_x));
  CHECK((marks[1].name == "noise" && marks[1].at == 4.5 && !marks[1].on_x));
}

TEST_CASE("every lesson's check: bytes explained, ranks agree; then its own") {
  const auto check = [](const TraceRows& rows) {
    const auto store = TraceStore::create("");
    store->set_rows(rows);
    const auto own = [](const Trace&) { return std::string("of its own"); };
    return lesson_of("", {.run = nullptr, .failed_check = own}).failed_check(store->snapshot());
  };
  CHECK(check({}) == "of its own");
  LedgerRow row;
  row.predicted = 3;
  row.counted = 5;
  TraceRows unexplained, disagreeing;
  unexplained.ledger = {row};
  disagreeing.outcome["sections_with_disagreeing_ranks"] = 1;
  CHECK(check(unexplained).starts_with("2 bytes are unexplained"));
  CHECK(check(disagreeing) == "ranks ended with different parameters");
  CHECK(lesson_of("", {}).failed_check(Trace()).empty());
}
