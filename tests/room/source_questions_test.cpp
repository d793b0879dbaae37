// The list of the source documents' questions is complete: each claim is judged, or it is said why not.
#include "ringside/lesson/source_questions.h"

#include <catch.h>

#include <algorithm>
#include <set>

#include "ringside/base/error.h"
#include "ringside/lesson/front_matter.h"
#include "ringside/lesson/lesson.h"

namespace ringside {
namespace {

bool answers(const FrontMatter& lesson, const std::string& question) {
  return std::ranges::find(lesson.questions, question) != lesson.questions.end();
}

// "B13" of a claim's source "B13" or "A, 1st document"; "" where the source is no question.
std::string question_of(const std::string& source) {
  const std::string id = source.substr(0, source.find(','));
  const bool numbered = id.size() > 1 && id[0] == 'B' && std::all_of(id.begin() + 1, id.end(), isdigit);
  return id == "A" || numbered ? id : "";
}

}  // namespace

TEST_CASE("a list of questions says which line cannot be read") {
  CHECK_THROWS_AS(parse_source_questions("[B1]\nasks why\nclaim no bar\n"), InvariantError);
  CHECK_THROWS_AS(parse_source_questions("[B1]\nasks why\nclaim x | zero\n"), InvariantError);
  CHECK_THROWS_AS(parse_source_questions("[B1]\nasks why\nthinks x | zero:y\n"), InvariantError);
}

TEST_CASE("every question of the source documents is listed, with a lesson or as open") {
  std::vector<std::string> ids, expected = {"A"}, open;
  for (int number = 1; number <= 16; ++number) expected.push_back("B" + std::to_string(number));
  for (const SourceQuestion& question : source_questions()) {
    ids.push_back(question.id);
    CHECK_FALSE(question.asks.empty());
    CHECK_FALSE(question.claims.empty());
    const bool has_lesson = std::ranges::any_of(
        lesson_catalogue(), [&](const FrontMatter& lesson) { return answers(lesson, question.id); });
    if (!has_lesson) open.push_back(question.id);
  }
  CHECK(ids == expected);
  CHECK(open.empty());
}

TEST_CASE("every claim of the source's answers has its place, and every claim of a lesson its question") {
  std::set<std::string> listed;
  for (const SourceQuestion& question : source_questions()) {
    for (const SourceClaim& claim : question.claims) {
      for (const ClaimPlace& place : claim.judged) {
        INFO(question.id << ": " << place.lesson << ':' << place.claim);
        CHECK(answers(find_front_matter(place.lesson), question.id));
        const std::vector<ClaimSpec>& claims = find_lesson(place.lesson).claims;
        CHECK(std::ranges::any_of(claims, [&](const ClaimSpec& one) { return one.id == place.claim; }));
        listed.insert(question.id + place.lesson + ':' + place.claim);
      }
    }
  }
  for (const FrontMatter& lesson : lesson_catalogue()) {
    for (const ClaimSpec& claim : find_lesson(lesson.id).claims) {
      const std::string question = question_of(claim.source);
      INFO(lesson.id << ": " << claim.id << " is of " << question << " and not in assets/questions.txt");
      if (!question.empty()) CHECK(listed.count(question + lesson.id + ':' + claim.id) == 1);
    }
  }
}

}  // namespace ringside
