#include "kept_pictures.h"

#include <algorithm>
#include <ostream>

#include "ringside/base/atomic_file.h"
#include "ringside/base/error.h"
#include "ringside/figures/compute.h"
#include "ringside/figures/instant.h"
#include "ringside/figures/svg.h"

namespace ringside {
namespace {

namespace fs = std::filesystem;

// Of several figures that answer it, the one that answers least else.
const FigureSpec* figure_that_answers(const Lesson& lesson, const std::string& question) {
  const FigureSpec* found = nullptr;
  for (const FigureSpec& one : lesson.figures)
    if (std::ranges::count(one.answers, question) > 0 &&
        (found == nullptr || one.answers.size() < found->answers.size()))
      found = &one;
  return found;
}

}  // namespace

void keep_pictures(const fs::path& data, const Lesson& lesson, const Config& config, const Trace& trace) {
  if (data.empty()) return;
  std::error_code failed;
  fs::create_directories(kept_picture(data, "").parent_path(), failed);
  for (const PredictionSpec& question : lesson.predictions) {
    const FigureSpec* spec = figure_that_answers(lesson, question.id);
    if (spec == nullptr || failed) continue;
    const FigureInput input = default_input(config, *spec, trace);
    const figure::Value value = figure::compute(lesson, *spec, input);
    if (std::holds_alternative<figure::Nothing>(value)) continue;
    const std::string svg = figure::to_svg(spec->title, figure::sentence(lesson, *spec, input), value);
    try {
      if (svg.size() <= kMostPictureBytes)
        write_file_atomically(kept_picture(data, lesson.id + "." + question.id),
                              [&](std::ostream& out) { out << svg; });
    } catch (const Error&) {
    }
  }
}

}  // namespace ringside
