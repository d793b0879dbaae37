// The words that every lesson explains where the mouse rests on them.
#include <catch.h>

#include "ringside/lesson/front_matter.h"
#include "ringside/lesson/lesson.h"

namespace ringside {

TEST_CASE("every lesson has a table of words, each with Chinese and a sentence") {
  for (const FrontMatter& matter : lesson_catalogue()) {
    const Lesson& lesson = find_lesson(matter.id);
    INFO(lesson.id);
    CHECK(lesson.terms.size() >= 5);
    for (const Term& term : lesson.terms) {
      INFO(term.word);
      CHECK(std::any_of(term.chinese.begin(), term.chinese.end(),
                        [](char c) { return static_cast<unsigned char>(c) >= 0xE4; }));  // from U+4000 on
      CHECK(term.sentence.ends_with('.'));
      CHECK(term.sentence.find('`') == std::string::npos);  // it is shown as it stands
    }
  }
}

}  // namespace ringside
