#include <algorithm>
#include <nlohmann/json.hpp>
#include <ostream>

#include "commands.h"
#include "json_text.h"
#include "ringside/base/text.h"
#include "ringside/lesson/front_matter.h"
#include "ringside/lesson/modules.h"
#include "ringside/lesson/tr.h"

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

}  // namespace

ExitCode list_lessons(const Options& options, std::ostream& out) {
  if (options.json) {
    list_json(out);
    return ExitCode::kOk;
  }
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
    out << (marked ? "✓ " : "  ") << pad(lesson.id, longest) << ' ' << lesson.title << '\n';
  }
  if (!all)
    out << '\n'
        << tr("✓ is built. Any other lesson is built when ./run LESSON asks for it; ./run build all builds "
              "them all.")
        << '\n';
  out << "\nringside run LESSON [name=value ...]   runs one\n"
         "ringside say LESSON                    its answer, said aloud and ticked\n"
         "ringside help LESSON                   its text and parameters\n";
  return ExitCode::kOk;
}

}  // namespace ringside
