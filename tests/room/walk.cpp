#include "walk.h"

#include <fmt/format.h>

#include "drawn_text.h"
#include "ringside/base/units.h"
#include "ringside/lesson/front_matter.h"
#include "ringside/lesson/word_question.h"
#include "ringside/widgets/draw.h"

namespace ringside::gui {
namespace {

std::string without_blanks(const std::string& text) {
  std::string all;
  for (size_t i = 0; i < text.size(); ++i) {
    const bool narrow = text.compare(i, 2, "\u00a0") == 0;
    if (narrow) ++i;
    if (!narrow && text[i] != ' ') all += text[i];
  }
  return all;
}

bool is_digit(char c) { return c >= '0' && c <= '9'; }

// How the right answer may be written on the screen. Options and lines of a listing are shown by the question
// itself.
struct Needles {
  std::vector<std::string> numbers, texts;
};
Needles needles_of(const PredictionSpec& spec, const Config& config) {
  Needles all;
  if (spec.words) {
    if (spec.words->kind == AnswerKind::kText)
      all.texts.push_back(without_blanks(spec.words->right(config)[0]));
    return all;
  }
  const double right = spec.formula(config);
  if (spec.formula_text) all.texts.push_back(without_blanks(spec.formula_text(config)));
  if (spec.unit == "%")
    all.texts.push_back(fmt::format("{:.0f}%", right));
  else if (right >= 10000)
    all.numbers = {fmt::format("{:.0f}", right), format_count(std::llround(right))};
  else if (spec.formula_text)
    all.numbers.push_back(fmt::format("{:.2f}", right));
  else  // a small number stands for many things: with its unit it is the answer
    for (const char* form : {"{:.2f}{}", "{:.0f}{}"})
      all.numbers.push_back(fmt::format(fmt::runtime(form), right, without_blanks(spec.unit)));
  return all;
}

class Walk {
 public:
  Walk(InRoom& in, const std::string& id) : in_(in), lesson_(find_lesson(id)) {}

  void through() {
    in_.command("ask " + lesson_.predictions[0].id);
    look_at_opening();
    for (size_t nth = 0; nth < lesson_.predictions.size(); ++nth) answer(nth);
  }

 private:
  Config config() const {
    auto words = split_scenario(in_.at<std::string>("/scenario"));
    words.erase(words.begin());
    return Config::parse(lesson_.id, lesson_.parameters, words);
  }
  std::string step() const { return in_.at<std::string>("/step"); }

  // It stands once, in a picture's place or before the question.
  void look_at_opening() {
    if (!lesson_.opening) return;
    in_.frames(3);
    const std::string all = without_blanks(test::drawn_text());
    const std::string begins = without_blanks(lesson_.opening(config()).at(0)).substr(0, 24);
    INFO(lesson_.id << ": '" << begins << "' in\n" << all);
    const size_t first = all.find(begins);
    CHECK(first != std::string::npos);
    CHECK((first == std::string::npos || all.find(begins, first + 1) == std::string::npos));
  }

  void answer(size_t nth) {
    const PredictionSpec& spec = lesson_.predictions[nth];
    REQUIRE(step() == "Guess");
    REQUIRE(in_.at<std::string>("/question") == spec.id);
    look(nth, "asked");
    in_.command("predict " + spec.id + " " + wrong_answer(spec));
    look(nth + 1, "answered");
    in_.command("next");
    if (step() == "Guess") return;  // another one of its board
    REQUIRE(step() == "Watch");
    for (const std::string& picture : in_.at<std::vector<std::string>>("/pictures")) {
      in_.command("picture " + picture);
      look(nth + 1, "watched, " + picture);
    }
    in_.command("next");
    while (step() == "Reveal") {
      look(nth + 1, "revealed");
      in_.command("next");
    }
  }

  std::string wrong_answer(const PredictionSpec& spec) const {
    if (!spec.words) return "1.13";
    const Config now = config();
    const Words right = spec.words->right(now), options = options_of(*spec.words, now);
    if (spec.words->kind == AnswerKind::kText) return "nothing";
    if (spec.words->kind == AnswerKind::kLine) return right == Words{"1"} ? "2" : "1";
    for (const std::string& option : options)
      if (Words{option} != right) return option;
    return options[0];
  }

  void look(size_t first, const std::string& when) {
    in_.frames(3);
    const std::string all = without_blanks(test::drawn_text());
    const Config now = config();
    for (size_t i = first; i < lesson_.predictions.size(); ++i) {
      const PredictionSpec& spec = lesson_.predictions[i];
      INFO(lesson_.id << ", " << when << "; the answer of " << spec.id << " can be read in:\n" << all);
      const Needles needles = needles_of(spec, now);
      for (const std::string& number : needles.numbers) {
        INFO(number);
        CHECK_FALSE(has_number(all, number));
      }
      for (const std::string& text : needles.texts) {
        INFO(text);
        CHECK(all.find(text) == std::string::npos);
      }
      for (const FigureSpec& figure : lesson_.figures) {
        const auto& answers = figure.answers;
        if (std::find(answers.begin(), answers.end(), spec.id) == answers.end()) continue;
        INFO("picture " << figure.id);
        CHECK(ui::find_item("figure." + figure.id) == nullptr);
      }
    }
  }

  InRoom& in_;
  const Lesson& lesson_;
};

}  // namespace

bool has_number(const std::string& text, const std::string& number) {
  for (size_t at = text.find(number); at != std::string::npos; at = text.find(number, at + 1)) {
    const size_t end = at + number.size();
    const bool begins = at == 0 || (!is_digit(text[at - 1]) && text[at - 1] != '.');
    const bool ends =
        end >= text.size() ||
        (!is_digit(text[end]) && (text[end] != '.' || end + 1 >= text.size() || !is_digit(text[end + 1])));
    if (begins && ends) return true;
  }
  return false;
}

void walk(InRoom& in, const std::string& id) { Walk(in, id).through(); }

}  // namespace ringside::gui
