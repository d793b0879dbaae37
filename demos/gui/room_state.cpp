#include "room_desk.h"

#include <nlohmann/json.hpp>

#include "ringside/lesson/word_question.h"
#include "room_parts.h"

namespace ringside::gui {
namespace {

nlohmann::json words_state(const Desk& desk, const PredictionSpec& spec) {
  nlohmann::json one = {{"kind", to_string(spec.words->kind)},
                        {"options", options_of(*spec.words, desk.config())},
                        {"right", spec.words->right(desk.config())}};
  if (const Guess* guess = desk.guessing.guess(spec.id)) one["guess"] = guess->words;
  if (const auto measured = desk.measurements().words_of(spec.id)) one["measured"] = *measured;
  return one;
}

nlohmann::json said(const Desk& desk) {
  const SayState& saying = desk.saying;
  nlohmann::json out = {{"page", kSayPageNames[int(saying.page())]},
                        {"points", saying.saying().points},
                        {"ticks", saying.ticks()},
                        {"asked", saying.asked()},
                        {"shown", saying.shown()},
                        {"had", nlohmann::json::array()}};
  for (const auto& one : saying.had()) out["had"].push_back(one ? nlohmann::json(*one) : nlohmann::json());
  if (const auto left = saying.seconds_left(desk.seconds())) out["seconds_left"] = *left;
  return out;
}

nlohmann::json answers(const Desk& desk) {
  nlohmann::json out = nlohmann::json::object();
  for (const PredictionSpec& spec : desk.lesson().predictions) {
    nlohmann::json& one = out[spec.id];
    if (spec.words) {
      one = words_state(desk, spec);
      continue;
    }
    one["right"] = spec.formula(desk.config());
    if (const Guess* guess = desk.guessing.guess(spec.id)) one["guess"] = guess->value;
    if (const auto measured = desk.measurements().of(spec.id)) one["measured"] = *measured;
  }
  return out;
}

nlohmann::json playhead(const Desk& desk) {
  const Playhead& playhead = desk.watching.playhead;
  const SectionView* section = desk.watching.at_playhead();
  nlohmann::json out = {{"section", section == nullptr ? "" : section->name()},
                        {"follow", playhead.follow},
                        {"playing", playhead.playing},
                        {"speed", playhead.speed},
                        {"time_ns", playhead.time_ns}};
  if (section == nullptr) return out;
  const TimeRange range = time_range(*section);
  out["since_start_ns"] = playhead.time_ns - range.first;
  out["length_ns"] = range.length();
  return out;
}

nlohmann::json moment_of(Desk& desk) {
  const SectionView* section = desk.watching.at_playhead();
  if (section == nullptr) return nlohmann::json::value_t::discarded;
  const Moment moment = desk.watching.moment(*section);
  return {{"phase", moment.phase}, {"unit", moment.unit}, {"step", moment.step}};
}

nlohmann::json run_of(Desk& desk) {
  const Trace& trace = desk.runs.trace();
  return {{"busy", desk.runs.busy() || desk.on_call.busy() || (desk.training && desk.training->behind())},
          {"ended", desk.runs.over()},
          {"complete", trace.complete()},
          {"file", desk.runs.is_file()},
          {"sections", trace.sections().size()},
          {"phase", desk.runs.progress().phase},
          {"done", desk.runs.progress().done}};
}

nlohmann::json messages(const Desk& desk) {
  nlohmann::json out = nlohmann::json::array();
  for (const Desk::Message& message : desk.messages) out.push_back(message.text);
  return out;
}

nlohmann::json pictures(const Desk& desk) {
  nlohmann::json out = nlohmann::json::array();
  for (const PictureTab& picture : desk.panel->pictures()) out.push_back(picture.id);
  return out;
}

nlohmann::json picture_shown(const Desk& desk) {
  const auto all = desk.panel->pictures();
  return all.empty() ? "" : all[desk.panel->shown_picture()].id;
}

nlohmann::json picture_that_matters(Desk& desk) {
  View view = desk.view();
  const auto matters = desk.panel->picture_that_matters(view);
  return matters ? desk.panel->pictures()[*matters].id : "";
}

// The state's parts by name; discarded: it is not there now.
struct Part {
  const char* name;
  nlohmann::json (*of)(Desk&);
};
const Part kParts[] = {
    {"lesson", [](Desk& d) -> nlohmann::json { return d.lesson().id; }},
    {"step", [](Desk& d) -> nlohmann::json { return kStepNames[int(d.step())]; }},
    {"question",
     [](Desk& d) -> nlohmann::json {
       return d.guessing.question() == nullptr ? "" : d.guessing.question()->id;
     }},
    {"caption", [](Desk& d) -> nlohmann::json { return caption(d); }},
    {"next", [](Desk& d) -> nlohmann::json { return d.next_label(); }},
    {"difference", [](Desk& d) -> nlohmann::json { return d.difference(); }},
    {"scenario", [](Desk& d) -> nlohmann::json { return d.config().scenario(); }},
    {"draft", [](Desk& d) -> nlohmann::json { return d.drafted().scenario(); }},
    {"mistake", [](Desk& d) -> nlohmann::json { return d.draft_mistake(); }},
    {"line_mistake", [](Desk& d) -> nlohmann::json { return d.line_mistake ? d.line_mistake->why : ""; }},
    {"status", [](Desk& d) -> nlohmann::json { return d.status(); }},
    {"unbuilt", [](Desk& d) -> nlohmann::json { return d.unbuilt(); }},
    {"building", [](Desk& d) -> nlohmann::json { return d.builds().building(); }},
    {"training",
     [](Desk& d) -> nlohmann::json {
       return d.training ? d.training->state() : nlohmann::json(nlohmann::json::value_t::discarded);
     }},
    {"run", [](Desk& d) { return run_of(d); }},
    {"answers", [](Desk& d) { return answers(d); }},
    {"say", [](Desk& d) { return said(d); }},
    {"prepare", [](Desk& d) -> nlohmann::json { return prepare_state(d); }},
    {"autopsy", on_call_state},
    {"playhead", [](Desk& d) { return playhead(d); }},
    {"moment", moment_of},
    {"watched",
     [](Desk& d) -> nlohmann::json {
       const SectionView* drawn = d.watched_section();
       return drawn == nullptr ? "" : drawn->name();
     }},
    {"timeline",
     [](Desk& d) -> nlohmann::json {
       return {{"from_ns", d.watching.timeline.from_ns()}, {"to_ns", d.watching.timeline.to_ns()}};
     }},
    {"outcome", [](Desk& d) -> nlohmann::json { return d.runs.trace().rows().outcome; }},
    {"pinned",
     [](Desk& d) -> nlohmann::json { return d.comparison.pinned() ? d.comparison.pinned()->scenario : ""; }},
    {"kept_runs", [](Desk& d) -> nlohmann::json { return d.comparison.kept().size(); }},
    {"claims", [](Desk& d) -> nlohmann::json { return d.runs.trace().rows().claims.size(); }},
    {"ledger_rows", [](Desk& d) -> nlohmann::json { return d.runs.trace().rows().ledger.size(); }},
    {"messages", [](Desk& d) { return messages(d); }},
    {"picture", [](Desk& d) { return picture_shown(d); }},
    {"matters", picture_that_matters},
    {"pictures", [](Desk& d) { return pictures(d); }},
    {"panel", [](Desk& d) -> nlohmann::json { return d.panel->state(); }},
    {"live", [](Desk& d) -> nlohmann::json { return d.live.state(); }},
    {"theme", [](Desk& d) -> nlohmann::json { return d.look.mode == ui::Mode::kDark ? "dark" : "light"; }},
    {"scale", [](Desk& d) -> nlohmann::json { return d.look.scale; }},
    {"help", [](Desk& d) -> nlohmann::json { return d.help; }},
};

}  // namespace

nlohmann::json state_of(Desk& desk, const std::string& part) {
  nlohmann::json out = nlohmann::json::object();
  for (const Part& one : kParts) {
    if (!part.empty() && part != one.name) continue;
    if (nlohmann::json state = one.of(desk); !state.is_discarded()) out[one.name] = std::move(state);
  }
  return out.empty() && !part.empty() ? state_of(desk, "") : out;
}

}  // namespace ringside::gui
