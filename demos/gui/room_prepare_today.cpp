// Today's review, and the placement: a card, its answer, its rating.
#include <imgui.h>

#include <algorithm>

#include "ringside/lesson/tr.h"
#include "room_parts.h"

namespace ringside::gui {
namespace {

void draw_start(Desk& desk) {
  Prepare& prepare = desk.prepare;
  const SessionPlan& plan = prepare.path.today;
  if (prepare.session) {
    const ReviewSession& over = *prepare.session;
    ui::paragraph(prepare.placement
                      ? tr("{} of {} right", over.recalled(), over.reviewed())
                      : tr("{} reviewed, {} recalled. All of it is kept.", over.reviewed(), over.recalled()),
                  Type::kQuestion);
    space();
  }
  const size_t due = plan.due - plan.left_out;
  ui::paragraph(tr("{} cards, about {:.0f} min: {} due, {} new", plan.cards.size(),
                   std::max(1.0, plan.seconds / 60), due, plan.cards.size() - due));
  if (plan.left_out > 0) ui::remark(tr("{} more are due than there are minutes for.", plan.left_out));
  space();
  if (ui::button(tr("begin").c_str(), "prepare.begin", true, !plan.cards.empty(), "", "Enter"))
    prepare.review("");
  ImGui::SameLine();
  if (ui::button(tr("the map").c_str(), "prepare.to_map", false, true, "", "["))
    prepare.show(PreparePart::kMap);
  if (!prepare.path.here.empty()) return;
  space(24);
  ui::paragraph(tr("Nothing was asked yet. Twelve questions show where to begin."));
  if (ui::button(tr("the twelve questions").c_str(), "prepare.placement")) prepare.place();
}

void draw_ratings(Desk& desk) {
  Prepare& prepare = desk.prepare;
  const Rating proposed = prepare.session->proposed();
  if (prepare.placement) {
    if (ui::button(tr("next ▸").c_str(), "prepare.next", true, true, "", "Enter")) prepare.rate(proposed);
    return;
  }
  ui::remark(prepare.session->judgement() ? tr("How well did you know it?") : tr("Did you have it?"));
  for (const Rating one : {Rating::kAgain, Rating::kHard, Rating::kGood, Rating::kEasy}) {
    const std::string name(to_string(one));
    const std::string key(1, char('1' + int(one)));
    if (one != Rating::kAgain) ImGui::SameLine();
    if (ui::button((key + "  " + name).c_str(), "prepare.rate=" + name, one == proposed, true, "", key))
      return prepare.rate(one);
  }
}

}  // namespace

void draw_today(Desk& desk) {
  Prepare& prepare = desk.prepare;
  if (!prepare.reviewing()) return draw_start(desk);
  const ReviewSession& session = *prepare.session;
  const AskedCard asked = session.asked();  // an answer may go on to the next card
  const Card card = session.card();
  std::string about = tr("{}   level {}   {}", card.topic, card.level,
                         session.times_seen() == 0 ? tr("new") : tr("seen {} times", session.times_seen()));
  about += prepare.placement
               ? tr("   question {} of {}", *prepare.placement - session.left() + 1, *prepare.placement)
               : tr("   {} left", session.left());
  ui::remark(about);
  if (session.reviewed() > 0) {
    ui::remark(prepare.rated);
    ImGui::SameLine();
    if (ui::button(tr("take it back").c_str(), "prepare.undo", false, true, "", "Ctrl+U"))
      return prepare.undo();
  }
  space();
  prepare_question(question_lines(asked));
  if (session.shown()) {
    prepare_feedback(desk, asked, session.judgement());
    return draw_ratings(desk);
  }
  if (asked.by_person) {
    ui::paragraph(tr("Say it aloud, then look."));
    if (ui::button(tr("show the answer").c_str(), "prepare.show", true, true, "", "Space"))
      prepare.show_answer();
    return;
  }
  prepare_answer(desk, &asked, asked.spec.unit.empty() ? tr("your answer") : asked.spec.unit);
  space(4);
  if (ui::button(tr("I do not know").c_str(), "prepare.show", false, true, "", "Ctrl+D"))
    prepare.show_answer();
}

}  // namespace ringside::gui
