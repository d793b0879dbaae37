#include <algorithm>

#include "ringside/base/check.h"
#include "ringside/lesson/front_matter.h"
#include "ringside/lesson/lesson_text.h"
#include "ringside/lesson/suggest.h"
#include "table.h"

namespace ringside {
namespace {

// lesson.md says what the lesson is called; experiment.cpp says the rest.
Lesson make_lesson(const FrontMatter& matter) {
  const auto& table = detail::experiments();
  const auto row =
      std::find_if(table.begin(), table.end(), [&](const auto& one) { return one.id == matter.id; });
  RINGSIDE_CHECK(row != table.end(), "lesson '" << matter.id << "' has a text but no experiment");
  Lesson lesson = row->make_lesson();
  RINGSIDE_CHECK(lesson.run != nullptr, "lesson '" << matter.id << "' sets no run");
  for (const PredictionSpec& asked : lesson.predictions)
    RINGSIDE_CHECK(asked.words ? asked.words->right != nullptr : asked.formula != nullptr,
                   "lesson '" << matter.id << "', prediction '" << asked.id << "': it has no right answer");
  lesson.id = matter.id;
  lesson.title = matter.title;
  lesson.track = matter.track;
  lesson.short_name = matter.short_name;
  lesson.order = matter.order;
  lesson.questions = matter.questions;
  lesson.text = matter.text;
  lesson.terms = terms_of(matter.text);
  return lesson;
}

std::vector<Lesson> make_lessons() {
  std::vector<Lesson> lessons;
  for (const FrontMatter& matter : lesson_catalogue()) lessons.push_back(make_lesson(matter));
  return lessons;
}

}  // namespace

const std::vector<Lesson>& all_lessons() {
  static const std::vector<Lesson> lessons = make_lessons();
  return lessons;
}

const Lesson& find_lesson(const std::string& id) {
  std::vector<std::string> ids;
  for (const Lesson& lesson : all_lessons()) {
    if (lesson.id == id) return lesson;
    ids.push_back(lesson.id);
  }
  throw UsageError(no_such("lesson", id, ids));
}

}  // namespace ringside
