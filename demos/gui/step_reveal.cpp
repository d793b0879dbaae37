// Reveal: guess, measurement and formula over each other; why the answer is right, and why the learner's
// error is one; the same question elsewhere.
#include <fmt/format.h>

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
  const Judgement* judged = desk.judgement(spec);
  ImGui::Dummy(px(1, 2));
  if (judged != nullptr) {
    for (const NamedError& error : judged->errors)
      if (!error.why.empty()) ui::paragraph(error.why);
  }
  if (!spec.why.empty()) ui::paragraph(spec.why);
  ui::mark("reveal.why");
  if (judged != nullptr && judged->right && !spec.more.empty()) ui::paragraph(spec.more);
  if (const std::string scale = at_scale(desk, spec); !scale.empty())
    ui::paragraph(scale, colours().dim, Type::kBody);
}

// What was wrong comes back, and when.
void asked_again(Desk& desk, const PredictionSpec& spec) {
  for (const Redo& redo : desk.record.to_redo(desk.lesson->id)) {
    if (redo.prediction != spec.id) continue;
    const auto days = static_cast<int64_t>(std::ceil(
        std::max(0.0, std::difftime(static_cast<time_t>(redo.due_at), std::time(nullptr))) / 86400));
    ui::paragraph(days == 0   ? tr("Kept. You can answer it again now.")
                  : days == 1 ? tr("Kept. It is asked again in 1 day.")
                              : tr("Kept. It is asked again in {} days.", days),
                  colours().dim, Type::kLabel);
  }
}

void buttons(Desk& desk, const PredictionSpec& spec) {
  bool first = true;
  const bool measured = desk.measured(spec) || (!is_calculated(spec) && desk.found_words(spec));
  const std::string& instant = spec.instant.empty() ? spec.section : spec.instant;
  if (!instant.empty() && ui::button(tr("see it in the run").c_str(), "reveal.show", false, measured))
    desk.show(instant);
  first = instant.empty();
  int shown = 0;
  for (const std::string& words : spec.again) {
    bool here = false;  // the scenario is there already
    const size_t equal = words.find('=');
    if (equal != std::string::npos)
      here = desk.config->text(words.substr(0, equal)) == words.substr(equal + 1);
    if (here || shown == 3) continue;
    ++shown;
    const std::string label = tr("again at {}", words);
    if (!std::exchange(first, false))
      ui::beside(ui::text_width(Type::kBody, label) + 2 * ImGui::GetStyle().FramePadding.x);
    if (ui::button(label.c_str(), "again=" + words)) desk.again(words);
  }
}

}  // namespace

void ask_elsewhere(Desk& desk) {
  const PredictionSpec* spec = desk.question();
  if (spec == nullptr) return;
  for (const std::string& words : spec->again) {
    const size_t equal = words.find('=');
    if (equal == std::string::npos || desk.config->text(words.substr(0, equal)) == words.substr(equal + 1))
      continue;
    return desk.again(words);
  }
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
    if (desk.runs.ended()) return tr("This run did not measure it: run it to its end (R).");
    return tr("The run is on its way to it: {}.", desk.status());
  }
  const auto told = [&](const Words& said) { return in_words(*spec.words, *desk.config, said); };
  const std::string answer = words ? told(*words) : figure(*found, spec);
  const Judgement* judged = desk.judgement(spec);
  if (judged == nullptr)
    return is_calculated(spec) ? tr("Calculated: {}.", answer) : tr("Measured: {}.", answer);
  if (words) {
    const Words right = spec.words->right(*desk.config);
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
  return tr("You said {}, it is {}.", figure_alone(desk.guess(spec.id)->value, spec), answer);
}

namespace {

constexpr float kBeside = 1100;  // points: from there on the reasons stand beside the bars

void what_was_found(Desk& desk, const PredictionSpec& spec) {
  ui::paragraph(spec.question, colours().dim, Type::kLabel);
  if (spec.words)
    draw_words(desk, spec);
  else
    draw_number(desk, spec);
}

void why_it_is_so(Desk& desk, const PredictionSpec& spec) {
  reasons(desk, spec);
  asked_again(desk, spec);
  buttons(desk, spec);
}

void draw_found(Desk& desk, const PredictionSpec& spec) {
  const bool beside = ImGui::GetContentRegionAvail().x > px(kBeside);
  if (beside) {
    ImGui::BeginTable("found", 2, ImGuiTableFlags_SizingStretchSame);
    ImGui::TableNextColumn();
  }
  what_was_found(desk, spec);
  if (beside) ImGui::TableNextColumn();
  why_it_is_so(desk, spec);
  if (beside) ImGui::EndTable();
}

}  // namespace

void draw_reveal(Desk& desk, const Rect& rect) {
  const Area area("reveal", rect, true, 16);
  if (View view = desk.view(); desk.panel->record(view))
    return desk.panel->draw_record(view, ImGui::GetContentRegionAvail());
  if (const PredictionSpec* spec = desk.question()) {
    Answer& answer = desk.answer(*spec);
    if (answer.revealed_at < 0) answer.revealed_at = desk.seconds;
    draw_found(desk, *spec);
    ImGui::Dummy(px(1, 4));
  }
  draw_rows(desk);
}

}  // namespace ringside::gui
