// Every figure of every lesson of a program, of its smallest scenario: fit at some instants, shown in every
// form, and moved by its trace. The page of the same run, and the lesson's answer against its key points.
#include <catch.h>

#include <fstream>
#include <map>
#include <optional>
#include <set>
#include <sstream>

#include "doctored_trace.h"
#include "live_check.h"
#include "quick_run.h"
#include "refuted.h"
#include "ringside/base/error.h"
#include "ringside/base/text.h"
#include "ringside/figures/csv.h"
#include "ringside/figures/instant.h"
#include "ringside/figures/json.h"
#include "ringside/figures/page.h"
#include "ringside/figures/svg.h"
#include "ringside/figures/text.h"
#include "ringside/lesson/front_matter.h"
#include "saying.h"
#include "xml_form.h"

namespace ringside::figure {
namespace {

// A scenario that differs in a parameter, as little as may be: the first that has another value than the
// default.
std::vector<Config> other_scenarios(const Lesson& lesson, const Config& config) {
  std::vector<Config> all;
  for (const ParameterSpec& spec : lesson.parameters) {
    std::vector<std::string> values = spec.choices;
    if (spec.choices.empty())
      for (const double part : {0.5, 2.0})
        if (spec.kind != ParameterKind::kText)
          values.push_back(
              std::to_string(static_cast<int64_t>(std::max(1.0, config.real(spec.name) * part))));
    for (const std::string& value : values) {
      try {
        all.push_back(config.with({spec.name + "=" + value}));
      } catch (const Error&) {  // out of its range
      }
    }
  }
  return all;
}

// Its end, a moment in the middle, and the beginnings and ends of some sections.
std::vector<FigureInput> instants(const Config& config, const FigureSpec& spec, const Trace& trace) {
  std::vector<FigureInput> all = {default_input(config, spec, trace)};
  for (const SectionView& section : trace.sections()) {
    const TimeRange range = time_range(section);
    if (all.size() == 1) all.push_back({config, trace, &section, range.first + range.length() / 2});
    for (const int64_t time_ns : {range.first, range.last}) all.push_back({config, trace, &section, time_ns});
    if (all.size() > 7) break;
  }
  return all;
}
constexpr size_t kInEveryForm = 2;  // of them

std::string everything(const Lesson& lesson, const FigureSpec& spec, const FigureInput& input) {
  try {
    return value_json(compute(lesson, spec, input))
        .dump(-1, ' ', false, nlohmann::json::error_handler_t::replace);
  } catch (const InvariantError& error) {  // of a trace that no run makes
    return error.what();
  }
}

void check_forms(const Lesson& lesson, const FigureSpec& spec, const FigureInput& input) {
  const Value value = compute(lesson, spec, input);
  CHECK(why_unfit(value) == "");
  for (const int width : {80, 100}) {
    const std::string text = to_text(value, width, false);
    CHECK(text.ends_with('\n'));
    CHECK(valid_utf8_bytes(text) == text.size());
    size_t widest = 0, lines = 0;
    std::istringstream in(text);
    for (std::string line; std::getline(in, line); ++lines) widest = std::max(widest, columns(line));
    CHECK(widest <= static_cast<size_t>(width));
    CHECK(lines <= 160);
  }
  const auto json = to_json(lesson, spec, input);
  CHECK(json["id"] == spec.id);
  CHECK(json["kind"] == kind_of(value));
  CHECK(points(thinned(value, kJsonPoints).value) <= kJsonPoints);
  CHECK(!json["sentence"].get<std::string>().empty());
  CHECK(json.dump().size() > 20);
  CHECK(testing::why_not_xml(to_svg(spec.title, sentence(lesson, spec, input), value)) == "");
  CHECK(to_csv(value).ends_with("\r\n"));
}

// The same run with other figures, made once for all figures that ask.
class Doctored {
 public:
  explicit Doctored(const Trace& trace) : trace_(trace) {}
  const Trace& other(testing::Doctored how) {
    std::optional<Trace>& made = made_[how];
    if (!made) made = testing::doctored(trace_, how);
    return *made;
  }

 private:
  const Trace& trace_;
  std::map<testing::Doctored, std::optional<Trace>> made_;
};

void check_moves(const Lesson& lesson, const FigureSpec& spec, const Config& config, const Trace& trace,
                 Doctored& doctored) {
  const std::string before = everything(lesson, spec, default_input(config, spec, trace));
  bool moved = false;
  if (spec.of_configuration) {
    for (const Config& other : other_scenarios(lesson, config))
      moved = moved || everything(lesson, spec, default_input(other, spec, trace)) != before;
    CHECK(moved);
    return;
  }
  for (const auto how : {testing::Doctored::kNumbers, testing::Doctored::kAll}) {
    if (moved) break;
    const Trace& other = doctored.other(how);
    moved = everything(lesson, spec, default_input(config, spec, other)) != before;
  }
  CHECK(moved);
}

// The page of the run in a terminal: bounded, without escapes, and with its parts. An answer stands there
// once its question was answered.
void check_page(const Lesson& lesson, const Config& config, const Trace& trace) {
  for (const int width : {80, 100}) {
    const std::string page = page_text(lesson, config, trace, {.width = width});
    INFO(page);
    size_t widest = 0, lines = 0;
    std::istringstream in(page);
    for (std::string line; std::getline(in, line); ++lines) widest = std::max(widest, columns(line));
    CHECK(widest <= static_cast<size_t>(width));
    CHECK(lines <= kPageLines);
    for (const char* part : {"\nIn short  ", "\nNext      ./run ", "\nClaims    "})
      CHECK(page.find(part) != std::string::npos);
    CHECK(page.find('\x1b') == std::string::npos);
    CHECK(page.find("\nAnswers   ") == std::string::npos);
  }
  if (lesson.predictions.empty()) return;
  const std::string answered =
      page_text(lesson, config, trace, {.answered = {lesson.predictions.front().id}});
  CHECK(answered.find("\nAnswers   ") != std::string::npos);
}

// Who says the model answer has said its key points.
void check_saying(const Lesson& lesson) {
  const Saying saying = saying_of(lesson.text);
  const std::string answer = without_marks(saying.answers);
  for (const std::string& point : saying.points) {
    INFO(point);
    CHECK(shares_words(point, answer));
  }
  for (const std::string& point : saying.points) CHECK_FALSE(shares_words(point, "I do not know."));
}

// Answers that somebody might give (tests/spoken/ID.txt): the grade of a person, the number of points that
// `ringside say` proposes, less the errors that it asks about and a person finds in it ("4-2"), and the
// words. A good one passes, the others do not; "wrong?": that is what the person says and words do not tell.
// Its errors are among those asked about: `refuted`.
void check_spoken(const Lesson& lesson, const std::vector<std::string>& refuted) {
  std::ifstream file(RINGSIDE_SOURCE_DIR "/tests/spoken/" + lesson.id + ".txt");
  const Saying saying = saying_of(lesson.text);
  std::map<std::string, int> answers;
  for (std::string line; std::getline(file, line);) {
    if (line.empty() || line[0] == '#') continue;
    std::istringstream words(line);
    std::string grade, said;
    ptrdiff_t points = 0, errors = 0;  // errors: 0 or less
    words >> grade >> points;
    if (words.peek() == '-') words >> errors;
    std::getline(words, said);
    std::vector<bool> ticked;
    for (const std::string& point : saying.points) ticked.push_back(shares_words(point, said));
    INFO(line);
    CHECK(std::count(ticked.begin(), ticked.end(), true) == points);
    const bool passes = points_attempt(lesson.id, saying, ticked, size_t(-errors)).correct;
    const bool agrees = grade.back() != '?';
    if (!agrees) grade.pop_back();
    CHECK((passes == (grade == "good")) == agrees);
    CHECK(std::ranges::count_if(refuted, [&](const std::string& one) { return shares_words(one, said); }) >=
          -errors);
    ++answers[grade];
  }
  if (!answers.empty())
    CHECK(answers == std::map<std::string, int>{{"good", 5}, {"middling", 5}, {"wrong", 5}});
}

void check_figures(const Lesson& lesson, const Trace& trace) {
  const Config config = testing::quick_config(lesson);
  const Trace nothing;
  for (const FigureSpec& spec : lesson.figures) check_forms(lesson, spec, {config, nothing});
  check_live(lesson, config, trace);
  check_live_document(lesson, config, trace);
  check_live_reopened(lesson, config, trace);
  Doctored doctored(trace);
  std::set<std::string> ids;
  for (const FigureSpec& spec : lesson.figures) {
    INFO("figure " << spec.id);
    CHECK(ids.insert(spec.id).second);
    const std::vector<FigureInput> all = instants(config, spec, trace);
    for (size_t i = 0; i < all.size(); ++i) {
      if (i < kInEveryForm)
        check_forms(lesson, spec, all[i]);
      else
        CHECK(why_unfit(compute(lesson, spec, all[i])) == "");
    }
    const bool shown =
        !std::holds_alternative<Nothing>(compute(lesson, spec, default_input(config, spec, trace)));
    if (shown) check_moves(lesson, spec, config, trace, doctored);
  }
  for (const FigureInput& input : instants(config, lesson.figures.front(), trace)) readouts(lesson, input);
  check_page(lesson, config, trace);
}

}  // namespace

// -c ID: of that lesson alone.
TEST_CASE("every lesson's figures are fit at every instant, in every form, and follow from the trace") {
  for (const FrontMatter& matter : lesson_catalogue()) {
    DYNAMIC_SECTION(matter.id) {
      const Lesson& lesson = find_lesson(matter.id);
      const Trace trace = lesson.figures.empty() ? Trace() : testing::quick_run(lesson);
      if (!lesson.figures.empty()) check_figures(lesson, trace);
      check_saying(lesson);
      check_spoken(lesson, refuted_by(lesson, testing::quick_config(lesson), trace));
    }
  }
}

}  // namespace ringside::figure
