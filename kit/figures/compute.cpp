#include "ringside/figures/compute.h"

#include <algorithm>

#include "ringside/base/error.h"
#include "ringside/base/text.h"
#include "ringside/lesson/tr.h"

namespace ringside::figure {
namespace {

[[noreturn]] void blame(const Lesson& lesson, const FigureSpec& spec, const std::string& why) {
  throw InvariantError(tr("figure '{}' of lesson '{}': {}", spec.id, lesson.id, why));
}

}  // namespace

Value compute(const Lesson& lesson, const FigureSpec& spec, const FigureInput& input) {
  const auto same = [&](const FigureSpec& other) { return other.id == spec.id; };
  if (spec.id.empty() || spec.title.empty()) blame(lesson, spec, tr("it needs an id and a title"));
  if (std::ranges::count_if(lesson.figures, same) > 1)
    blame(lesson, spec, tr("two figures have this id; give each its own"));
  if (!spec.value) blame(lesson, spec, tr("it has no function; set FigureSpec::value"));
  Value value;
  try {
    value = spec.value(input);
  } catch (const std::exception& error) {
    blame(lesson, spec,
          tr("its function throws: {}; where there is nothing to show yet, return Nothing and say why",
             error.what()));
  }
  const std::string why = why_unfit(value);
  if (!why.empty()) blame(lesson, spec, why);
  return value;
}

std::string sentence(const Lesson& lesson, const FigureSpec& spec, const FigureInput& input) {
  if (!spec.sentence) return spec.title;
  std::string text;
  try {
    text = spec.sentence(input);
  } catch (const std::exception& error) {
    blame(lesson, spec,
          tr("its sentence throws: {}; where there is nothing to say, return \"\"", error.what()));
  }
  if (valid_utf8_bytes(text) != text.size()) blame(lesson, spec, tr("its sentence is not UTF-8"));
  return text.empty() ? spec.title : text;
}

std::vector<Readout> readouts(const Lesson& lesson, const FigureInput& input) {
  if (!lesson.readouts) return {};
  std::vector<Readout> all;
  try {
    all = lesson.readouts(input);
  } catch (const std::exception& error) {
    throw InvariantError(
        tr("the readouts of lesson '{}' throw: {}; where there is nothing to read, return none", lesson.id,
           error.what()));
  }
  for (const Readout& readout : all)
    for (const std::string* words : {&readout.name, &readout.value})
      if (valid_utf8_bytes(*words) != words->size())
        throw InvariantError(tr("a readout of lesson '{}' is not UTF-8", lesson.id));
  return all;
}

}  // namespace ringside::figure
