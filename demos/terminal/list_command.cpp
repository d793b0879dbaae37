#include <algorithm>
#include <nlohmann/json.hpp>
#include <ostream>

#include "commands.h"
#include "json_text.h"
#include "ringside/base/text.h"
#include "ringside/lesson/called.h"
#include "ringside/lesson/front_matter.h"
#include "ringside/lesson/modules.h"
#include "ringside/lesson/source_questions.h"
#include "ringside/lesson/suggest.h"
#include "ringside/lesson/tr.h"
#include "terminal.h"

namespace ringside {
namespace {

void list_json(std::ostream& out) {
  Json lessons = Json::array();
  for (const FrontMatter& lesson : lesson_catalogue()) {
    lessons.push_back({{"id", lesson.id},
                       {"title", lesson.title},
                       {"track", lesson.track},
                       {"order", lesson.order},
                       {"built", build_of(lesson.id) == Build::kReady},
                       {"questions", lesson.questions}});
  }
  write_json({{"schema", kJsonSchema}, {"lessons", lessons}}, out);
}

// Those that say in lesson.md that they answer the question.
std::vector<std::string> lessons_of(const std::string& question) {
  std::vector<std::string> ids;
  for (const FrontMatter& lesson : lesson_catalogue())
    if (std::ranges::find(lesson.questions, question) != lesson.questions.end()) ids.push_back(lesson.id);
  return ids;
}

void questions_json(std::ostream& out) {
  Json questions = Json::array();
  for (const SourceQuestion& question : source_questions()) {
    Json claims = Json::array();
    for (const SourceClaim& claim : question.claims) {
      Json judged = Json::array();
      for (const ClaimPlace& place : claim.judged)
        judged.push_back({{"lesson", place.lesson}, {"claim", place.claim}});
      claims.push_back({{"says", claim.says}, {"judged", judged}, {"untestable", claim.untestable}});
    }
    questions.push_back({{"id", question.id},
                         {"asks", question.asks},
                         {"lessons", lessons_of(question.id)},
                         {"claims", claims}});
  }
  write_json({{"schema", kJsonSchema}, {"questions", questions}}, out);
}

// The lesson is named where the question has several.
std::string where_judged(const SourceClaim& claim, bool one_lesson) {
  if (!claim.untestable.empty()) return tr("not testable");
  if (claim.judged.empty()) return tr("no lesson yet");
  std::vector<std::string> places;
  for (const auto& [lesson, id] : claim.judged) places.push_back(one_lesson ? id : lesson + " " + id);
  return join(places);
}

void list_questions(std::ostream& out) {
  constexpr size_t kColumns = 80;
  for (const SourceQuestion& question : source_questions()) {
    const std::vector<std::string> lessons = lessons_of(question.id);
    out << pad(question.id, 4) << question.asks << '\n'
        << "    " << wrap(lessons.empty() ? tr("no lesson yet") : join(lessons), kColumns, 4) << '\n';
    for (const SourceClaim& claim : question.claims) {
      out << "      " << wrap(claim.says + " [" + where_judged(claim, lessons.size() == 1) + "]", kColumns, 8)
          << '\n';
      if (!claim.untestable.empty()) out << "        " << wrap(claim.untestable, kColumns, 8) << '\n';
    }
    out << '\n';
  }
  out << tr("In brackets: the claim's name in the lesson, whose run judges it.") << '\n';
}

}  // namespace

ExitCode list_lessons(const Options& options, std::ostream& out) {
  if (options.questions) {
    options.json ? questions_json(out) : list_questions(out);
    return ExitCode::kOk;
  }
  if (options.json) {
    list_json(out);
    return ExitCode::kOk;
  }
  const auto width = size_t(summary_width(options));
  size_t longest = 0;
  bool all = true;
  for (const FrontMatter& lesson : lesson_catalogue()) {
    longest = std::max(longest, lesson.id.size());
    all = all && build_of(lesson.id) == Build::kReady;
  }
  std::string track;
  for (const FrontMatter& lesson : lesson_catalogue()) {
    if (lesson.track != track) out << (track.empty() ? "" : "\n") << lesson.track << '\n';
    track = lesson.track;
    const bool marked = !all && build_of(lesson.id) == Build::kReady;
    out << (marked ? "✓ " : "  ") << pad(lesson.id, longest) << "  " << wrap(lesson.title, width, longest + 4)
        << '\n';
  }
  if (!all)
    out << '\n'
        << tr("✓ is built. Any other lesson is built when ./run LESSON asks for it; ./run build all builds "
              "them all.")
        << '\n';
  out << as_called(
      "\nringside run LESSON [name=value ...]   runs one\n"
      "ringside say LESSON                    its answer, said aloud and ticked\n"
      "ringside drill                         ten functions to write, judged against the engine\n"
      "ringside help LESSON                   its text and parameters\n"
      "ringside list --questions              the source's questions, and where each claim is judged\n");
  return ExitCode::kOk;
}

}  // namespace ringside
