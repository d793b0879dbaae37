#include "drill.h"

#include <catch.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <set>

#include "ringside/base/error.h"
#include "ringside/base/text.h"
#include "ringside/base/units.h"
#include "ringside/lesson/front_matter.h"
#include "ringside/lesson/prediction.h"
#include "ringside/lesson/source_questions.h"
#include "ringside/lesson/word_question.h"

namespace ringside {
namespace {

constexpr uint64_t kSeeds = 200;

Judgement judged_line(const PredictionSpec& spec, const std::string& line) {
  const TypedAnswer answer = read_in_units(spec, line);
  INFO(spec.id << ": '" << line << "' " << answer.mistake);
  REQUIRE(answer.is_answer());
  return judge(spec, no_scenario(), answer);
}

// A number as people type it, in the question's unit and in others of its kind.
std::vector<std::string> spellings(double value, const std::string& unit) {
  const std::string word = unit.substr(0, unit.find(' '));
  std::vector<std::string> all = {fmt::format("{:.6g}", value), fmt::format("{:.6g}*2/2", value),
                                  fmt::format(" {:.6g} {}", value, word)};
  if (word == "GB")
    for (const auto& [name, worth] :
         {std::pair{"GiB", 1024.0 * 1024 * 1024}, {"MB", 1e6}, {"bytes", 1.0}, {"", 1.0}})
      if (value > 1e-3) all.push_back(fmt::format("{:.6g} {}", value * 1e9 / worth, name));
  if (word == "MB") all.push_back(fmt::format("{:.6g} KiB", value * 1e6 / 1024));
  if (word == "ms") all.push_back(fmt::format("{:.6g} s", value / 1e3));
  if (value >= 1e4 && value < 1e15) all.push_back(format_count(std::llround(value)));
  return all;
}

void check_numbers(const PredictionSpec& spec) {
  for (const std::string& line : spellings(spec.formula(no_scenario()), spec.unit)) {
    CAPTURE(line);
    REQUIRE(judged_line(spec, line).right);
  }
  for (const WrongFormula& wrong : spec.wrong)
    for (const std::string& line : spellings(wrong.value(no_scenario()), spec.unit)) {
      if (line.ends_with(' ')) continue;  // bytes without a unit are told by the right answer
      CAPTURE(line, wrong.name);
      const Judgement judgement = judged_line(spec, line);
      REQUIRE_FALSE(judgement.right);
      REQUIRE(judgement.errors.size() == 1);
      REQUIRE(judgement.errors[0].name == wrong.name);
      REQUIRE_FALSE(judgement.errors[0].why.empty());
    }
}

std::vector<std::string> spellings_of(const WordQuestion& words, const Words& answer) {
  const Words options = options_of(words, no_scenario());
  if (words.kind == AnswerKind::kText) return {answer[0], " " + answer[0] + " "};
  if (words.kind == AnswerKind::kLine) return {answer[0]};
  std::string letters, text;
  for (const std::string& word : answer) {
    const auto place = static_cast<size_t>(std::find(options.begin(), options.end(), word) - options.begin());
    letters += (letters.empty() ? "" : " ") + std::string(1, letter_of(place));
  }
  std::vector<std::string> all = {letters};
  if (words.kind == AnswerKind::kChoice) all.push_back(answer[0]);
  return all;
}

void check_words(const PredictionSpec& spec) {
  const WordQuestion& words = *spec.words;
  const Words right = words.right(no_scenario());
  for (const std::string& line : spellings_of(words, right)) REQUIRE(judged_line(spec, line).right);
  size_t longest = 0;
  for (const WrongWords& wrong : words.wrong(no_scenario())) {
    CAPTURE(wrong.name);
    longest = std::max(longest, columns(wrong.answer[0]));
    for (const std::string& line : spellings_of(words, wrong.answer)) {
      const Judgement judgement = judged_line(spec, line);
      REQUIRE_FALSE(judgement.right);
      REQUIRE(judgement.errors.size() == 1);
      REQUIRE(judgement.errors[0].name == wrong.name);
    }
  }
  if (words.kind == AnswerKind::kOrder) REQUIRE(options_of(words, no_scenario()) != right);
  if (words.kind == AnswerKind::kChoice) REQUIRE(columns(right[0]) <= longest + 3);
}

TEST_CASE(
    "of every drill, over 200 seeds, the right answer is right in several spellings and each wrong one is "
    "named") {
  for (const Drill& drill : drills()) DYNAMIC_SECTION(drill.id) {
      std::set<std::string> texts;
      for (uint64_t seed = 0; seed < kSeeds; ++seed) {
        CAPTURE(drill.id, seed);
        const DrawnQuestion question = draw_question(drill, seed);
        CAPTURE(question.spec.question);
        REQUIRE(unfit(question).empty());
        REQUIRE(question.spec.question == draw_question(drill, seed).spec.question);
        texts.insert(question.spec.question);
        if (question.spec.words)
          check_words(question.spec);
        else
          check_numbers(question.spec);
      }
      const AnswerKind kind =
          draw_question(drill, 0).spec.words ? draw_question(drill, 0).spec.words->kind : AnswerKind::kNumber;
      const bool fixed = kind == AnswerKind::kOrder || kind == AnswerKind::kLine;
      CHECK(texts.size() >= (fixed ? 1 : 2));
    }
}

TEST_CASE(
    "a listing has no second bug: fp16's backward is scaled, whole parameters are clipped of whole models") {
  for (const Drill& drill : drills())
    for (uint64_t seed = 0; seed < 20; ++seed) {
      const PredictionSpec spec = draw_question(drill, seed).spec;
      if (!spec.words || spec.words->kind != AnswerKind::kLine) continue;
      const std::string listing = fmt::format("{}", fmt::join(options_of(*spec.words, no_scenario()), "\n"));
      const auto has = [&](const char* part) { return listing.find(part) != std::string::npos; };
      CAPTURE(drill.id, listing, spec.question);
      CHECK_FALSE((has("FSDP(") && has("clip_grad_norm_(model.parameters()")));
      if (spec.question.find("fp16") != std::string::npos) CHECK(has("scaler.scale(loss).backward()"));
    }
}

TEST_CASE("who logs a timeout is never the answer to who is the odd one") {
  for (const Drill& drill : drills())
    for (uint64_t seed = 0; seed < 20 && drill.topic == "hangs"; ++seed) {
      const PredictionSpec spec = draw_question(drill, seed).spec;
      if (spec.words) CHECK(spec.words->right(no_scenario()).at(0).find("logs") == std::string::npos);
    }
}

// A question of the source is named by its id ("A", "B12"), and it is one that the drill's lesson judges.
bool names_question_of_its_lesson(const Drill& drill) {
  const std::vector<SourceQuestion> questions = source_questions();
  const auto found = std::ranges::find(questions, drill.source, &SourceQuestion::id);
  if (found == questions.end()) return true;  // a paper, a common belief, our own
  return std::ranges::any_of(found->claims, [&](const SourceClaim& claim) {
    return std::ranges::any_of(claim.judged,
                               [&](const ClaimPlace& place) { return place.lesson == drill.lesson; });
  });
}

TEST_CASE("there are sixty drills and more, each with all that it needs, and no id twice") {
  std::set<std::string> ids;
  for (const Drill& drill : drills()) {
    CAPTURE(drill.id);
    CHECK(ids.insert(drill.id).second);
    CHECK(drill.level >= 1);
    CHECK(drill.level <= 3);
    CHECK(drill.see.starts_with("ringside "));
    CHECK_NOTHROW(find_front_matter(drill.lesson));
    CHECK(names_question_of_its_lesson(drill));
    for (const std::string& text : {drill.topic, drill.lesson, drill.source, drill.minute, drill.strong})
      CHECK_FALSE(text.empty());
    CHECK_FALSE(draw_question(drill, 1).brief.empty());
  }
  CHECK(ids.size() >= 60);
}

TEST_CASE("numbers are read in other units of their kind, and as bytes where they can be nothing else") {
  const DrawnQuestion question = ask_number("How much?", "GB", 112, {}, "");
  for (const char* line : {"112", "112 GB", "7e9*16", "104.3 GiB", "112,000 MB", "112e9 bytes", "16*7",
                           "0.112 TB", "7e9 * 16 B"}) {
    CAPTURE(line);
    CHECK(judged_line(question.spec, line).right);
  }
  for (const char* line : {"104.3", "104.3 GB", "112 GiB", "112 MB", "11.2"}) {
    CAPTURE(line);
    CHECK_FALSE(judged_line(question.spec, line).right);
  }
  CHECK_FALSE(read_in_units(question.spec, "many GB").is_answer());
  CHECK(judged_line(ask_number("How long?", "ms", 250, {}, "").spec, "0.25 s").right);
}

Drill drill_of(DrawnQuestion (*ask)(Draw&)) { return {.id = "own", .ask = ask}; }

TEST_CASE("a question whose answer lies within the tolerance of a wrong one is not drawn") {
  const Drill near = drill_of([](Draw& draw) {
    return ask_number("?", "", draw.pick({100.0, 200.0}), {{"near a hundred", 103, ""}, {"far", 10, ""}}, "");
  });
  for (uint64_t seed = 0; seed < 20; ++seed)
    CHECK(draw_question(near, seed).spec.formula(no_scenario()) == 200);
  const Drill never = drill_of([](Draw&) {
    return ask_number("?", "", 100, {{"near", 103, ""}, {"far", 10, ""}}, "");
  });
  CHECK_THROWS_WITH(draw_question(never, 1),
                    ContainsSubstring("'own'") && ContainsSubstring("near the right answer"));
  const Drill two = drill_of([](Draw&) {
    return ask_number("?", "", 100, {{"a", 10, ""}, {"b", 10.1, ""}}, "");
  });
  CHECK_THROWS_AS(draw_question(two, 1), InvariantError);
}

}  // namespace
}  // namespace ringside
