// Reveal: guess, measurement and formula over each other; why the answer is right, and why the learner's
// error is one; the same question elsewhere.

#include <algorithm>
#include <cmath>
#include <ctime>

#include "ringside/lesson/prediction.h"
#include "ringside/lesson/tr.h"
#include "ringside/lesson/word_question.h"
#include "ringside/widgets/items.h"
#include "room_parts.h"
#include "typed_answer.h"

namespace ringside::gui {
namespace {

// Why the answer is right, why the learner's error is one, and one more fact for who made none.
void reasons(Desk& desk, const PredictionSpec& spec) {
  const auto judged = desk.guessing.judgement(spec);
  ImGui::Dummy(px(1, 2));
  if (judged) {
    for (const NamedError& error : judged->errors)
      if (!error.why.empty()) ui::paragraph(error.why);
  }
  if (!spec.why.empty()) ui::paragraph(spec.why);
  ui::mark("reveal.why");
  if (judged && judged->right && !spec.more.empty()) ui::paragraph(spec.more);
  if (const std::string scale = at_scale(desk, spec); !scale.empty())
    ui::paragraph(scale, colours().dim, Type::kBody);
}

// What was wrong comes back, and when.
void asked_again(Desk& desk, const PredictionSpec& spec) {
  for (const Redo& redo : desk.record.to_redo(desk.lesson().id)) {
    if (redo.prediction != spec.id) continue;
    const auto days = int64_t(std::ceil(
        std::max(0.0, std::difftime(static_cast<time_t>(redo.due_at), std::time(nullptr))) / 86400));
    remark_kept(desk, days == 0   ? tr("Kept. You can answer it again now.")
                      : days == 1 ? tr("Kept. It is asked again in 1 day.")
                                  : tr("Kept. It is asked again in {} days.", days));
  }
}

// Where the same question is asked elsewhere: "ranks=8", but not where the scenario is already.
std::vector<std::string> elsewhere(const Desk& desk, const PredictionSpec& spec) {
  std::vector<std::string> all;
  for (const std::string& words : spec.again) {
    const size_t equal = words.find('=');
    const bool here =
        equal != std::string::npos && desk.config().text(words.substr(0, equal)) == words.substr(equal + 1);
    if (!here) all.push_back(words);
  }
  return all;
}

void buttons(Desk& desk, const PredictionSpec& spec) {
  const bool measured = desk.measurements().of(spec.id) || (!is_calculated(spec) && desk.found_words(spec));
  const std::string& instant = spec.instant.empty() ? spec.section : spec.instant;
  if (!instant.empty() && ui::button(tr("see it in the run").c_str(), "reveal.show", false, measured))
    desk.show(instant);
  bool first = instant.empty();
  const std::vector<std::string> all = elsewhere(desk, spec);
  for (size_t i = 0; i < std::min<size_t>(all.size(), 3); ++i) {
    const std::string label = tr("again at {}", all[i]);
    if (!std::exchange(first, false))
      ui::beside(ui::text_width(Type::kBody, label) + 2 * ImGui::GetStyle().FramePadding.x);
    if (ui::button(label.c_str(), "again=" + all[i])) desk.again(all[i]);
  }
}

}  // namespace

void ask_elsewhere(Desk& desk) {
  const PredictionSpec* spec = desk.guessing.question();
  if (spec == nullptr) return;
  if (const auto all = elsewhere(desk, *spec); !all.empty()) desk.again(all.front());
}

namespace {

std::string error_sentence(const Judgement& judged) {
  std::string all = judged.errors[0].name;
  for (size_t i = 1; i < judged.errors.size(); ++i) all = tr("{}; or: {}", all, judged.errors[i].name);
  return tr("Your error has a name: {}.", all);
}

}  // namespace

std::string reveal_sentence(Desk& desk, const PredictionSpec& spec) {
  const auto found = desk.found(spec);
  const auto words = desk.found_words(spec);
  if (!found && !words) {
    if (desk.runs.ended() && desk.measurements().pending()) return tr("It is being measured.");
    if (desk.runs.ended() || !desk.runs.busy())
      return desk.runs.trace().complete()
                 ? tr("This run has no answer to it: that part was left out, or the noise is too large.")
                 : tr("This run did not measure it: run it to its end (R).");
    return tr("The run is on its way to it: {}.", desk.status());
  }
  const auto told = [&](const Words& said) { return in_words(*spec.words, desk.config(), said); };
  const std::string answer = words ? told(*words) : figure(*found, spec);
  const auto judged = desk.guessing.judgement(spec);
  if (!judged) return is_calculated(spec) ? tr("Calculated: {}.", answer) : tr("Measured: {}.", answer);
  if (words) {
    const Words right = spec.words->right(desk.config());
    if (!same_words(spec.words->kind, *words, right))
      return tr("Expected was: {}. This run measured: {}.", told(right), answer);
  }
  if (judged->right) return tr("Right: {}.", answer);
  if (const auto& there = judged->elsewhere)
    return tr("Right at {:g} ranks, wrong at {:g}: your formula gives {}, the right one {}.", there->here,
              there->ranks, std::isfinite(there->mine) ? in_unit(there->mine, "") : tr("nothing"),
              figure(there->right, spec));
  if (!judged->errors.empty()) return error_sentence(*judged);
  if (words) return tr("Wrong: the answer is {}.", answer);
  return tr("You said {}, it is {}.", figure_alone(desk.guessing.guess(spec.id)->value, spec), answer);
}

namespace {

void draw_found(Desk& desk, const PredictionSpec& spec) {
  Columns columns("found", is_wide());
  ui::remark(spec.question);
  if (spec.words)
    draw_words(desk, spec);
  else
    draw_number(desk, spec);
  columns.next();
  reasons(desk, spec);
  asked_again(desk, spec);
  buttons(desk, spec);
}

}  // namespace

void draw_reveal(Desk& desk, const Rect& rect) {
  const Area area("reveal", rect, true, 16);
  if (View view = desk.view(); desk.panel->record(view))
    return desk.panel->draw_record(view, ImGui::GetContentRegionAvail());
  if (const PredictionSpec* spec = desk.guessing.question()) {
    Answer& answer = desk.guessing.answer(*spec);
    if (answer.revealed_at < 0) answer.revealed_at = desk.seconds();
    draw_found(desk, *spec);
    ImGui::Dummy(px(1, 4));
  }
  draw_rows(desk);
}

}  // namespace ringside::gui
