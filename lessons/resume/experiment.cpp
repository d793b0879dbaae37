// What a run shows that went on without something, against what other seeds do.
#include "embedded.h"
#include "parts.h"
#include "ringside/figures/page.h"

namespace ringside::lessons::resume {
namespace {

std::vector<Attribute> losses_sentence(const FigureInput& input) {
  const auto told = row_of<ToldRow>(input.trace);
  return {input.is_open("show")
              ? ""
              : tr(" In the next {:.0f} steps {} of {} parts show here.", kWindow, told.at_once, told.parts)};
}

// The page's picture: what is told, not the curves that do not tell it.
std::string summary(const Config& config, const Trace& trace, int width, bool colour) {
  return picture_text(find_lesson("resume"), "table", "", config, trace, width, colour);
}

}  // namespace

Lesson make_lesson() {
  return lesson_of(
      embedded("texts.inc"),
      {.run = run, .figures = {{.id = "loss", .sentence = losses_sentence}}, .summary = summary});
}

}  // namespace ringside::lessons::resume
