// The lesson's hero: the log line, the lanes at the playhead's instant, and the evidence that was looked at.
#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "names.h"
#include "panel_parts.h"
#include "ringside/base/units.h"
#include "ringside/lesson/tr.h"
#include "ringside/widgets/items.h"

namespace ringside::nccl_panel {
using ui::px;
using ui::Type;

// Once a frame: the sentence, the picture and the next button ask for it.
void Sequences::keep_up(View& view) {
  if (std::exchange(kept_up_, ImGui::GetFrameCount()) == ImGui::GetFrameCount() && view.run == index_of_)
    return;
  if (view.run != index_of_) index_ = {};
  index_of_ = view.run;
  outcomes_.update(view);
  holes_.clear();
  if (view.section == nullptr || !has_lanes(*view.section)) return;
  Investigation* opened = investigation(view, view.section->name());
  if (opened != nullptr && !opened->open() && kind_of(*view.section) != "hang")
    opened->seen.insert(kind_of(*view.section));
  index_.update(view.trace, *view.section);
  now_ns_ = instant_of(view);
  holes_ = holes_at(index_, now_ns_, has_ended(view, *view.section));
}

// The playhead goes as far as every rank has come. A rank that was killed comes no further: of an ended
// section its end then stands for all that the others did later.
int64_t Sequences::instant_of(const View& view) const {
  const int64_t time = view.playhead.time_ns;
  if (!has_ended(view, *view.section) || time < time_range(*view.section).last) return time;
  return std::max(time, index_.latest_ns());
}

// What was found out belongs to the case as this seed deals it. Act 1 is a case too, once its rank is looked
// for.
Investigation* Sequences::investigation(const View& view, const std::string& section) {
  const int number = case_of(section);
  const bool act_one = section == "symptom" || section.starts_with("fix ");
  if (number == 0 && !act_one) return nullptr;
  Investigation& found = investigations_[fmt::format("{} seed {} ranks {}", number, view.config.text("seed"),
                                                     view.config.text("ranks"))];
  found.by_rank = act_one;
  found.searching = found.searching || number > 0;
  return &found;
}

void Sequences::search(const View& view) { investigation(view, "symptom")->searching = true; }

Scene Sequences::scene_of(View& view) {
  const SectionView& section = *view.section;
  Investigation* opened = investigation(view, section.name());
  return {view, section, opened, opened == nullptr || opened->looked("dump") || !opened->open()};
}

bool Sequences::offers(const View& view, const std::string& section) {
  const Investigation* opened = investigation(view, section);
  const bool tells =
      section == "fix rank" || (case_of(section) > 0 && section.find(' ', 5) != std::string::npos);
  return opened == nullptr || !tells || !opened->open();
}

bool Sequences::investigates(const View& view) {
  if (view.section == nullptr || case_of(view.section->name()) == 0) return false;
  return investigation(view, view.section->name())->open();
}

std::string Sequences::timeline_closed(View& view) {
  if (view.section == nullptr) return "";
  if (kind_of(*view.section) == "plan") return tr("Nothing runs in this part: it is arithmetic.");
  if (asks_what(view)) return tr("The timeline shows what the ranks send: it opens after the guess.");
  if (scene_of(view).sees_all) return "";
  return tr("The timeline shows what every rank does: it opens with the dump, which is a look.");
}

LanesData Sequences::data_of(const Scene& scene) const {
  LanesData data;
  data.trace = &scene.view.trace;
  data.index = &index_;
  data.holes = &holes_;
  data.time_ns = now_ns_;
  data.sizes = !asks_how_many(scene.view);
  data.tags = !asks_what(scene.view);
  data.logger = logger_of(scene.section);
  data.only_rank = scene.sees_all ? -1 : std::max(0, data.logger);
  if (!data.sizes || !data.tags) return data;
  data.struck = rows_as<nccl_lesson::StruckCall>(scene.section);
  // Until it died it did what the others did.
  if (kind_of(scene.section) != "hang" || !scene.sees_all) return data;
  for (const int rank : gone_ranks(scene.section)) {
    const auto over = [&](const Hole& hole) { return hole.rank == rank && hole.never; };
    if (std::any_of(holes_.begin(), holes_.end(), over)) data.gone.insert(rank);
  }
  return data;
}

void Sequences::draw(View& view, ImVec2 size) {
  keep_up(view);
  if (view.section == nullptr) return draw_nothing_yet(view, size);
  // Its width is the same with and without a scroll bar, so that lines do not jump.
  ImGui::SetNextWindowContentSize({size.x - ImGui::GetStyle().ScrollbarSize - px(4), 0});
  ImGui::BeginChild("sequences", size);
  ui::mark("sequences", ImGui::GetWindowPos(),
           {ImGui::GetWindowPos().x + size.x, ImGui::GetWindowPos().y + size.y});
  if (has_lanes(*view.section)) {
    content(scene_of(view), size.y);
  } else {
    ui::paragraph(kind_of(*view.section) == "plan"
                      ? tr("Nothing runs in this part, it is arithmetic: its pictures are bucket and tensor.")
                      : tr("Nothing hangs in this part, its memory is compared: its picture is memory."),
                  ui::colours().dim);
    outcomes_.cases({view, *view.section, nullptr, true});
  }
  ImGui::EndChild();
}

// What stands above the lanes. False where nothing may stand below.
bool Sequences::heading(const Scene& scene) {
  const bool hang = kind_of(scene.section) == "hang";
  if (is_case(scene)) outcomes_.cases(scene);
  const std::string title = attribute(scene.section, nccl_lesson::kTitle);
  if (!is_case(scene) && !title.empty()) ui::paragraph(title, Type::kBold);
  const auto unnoticed = unnoticed_in(scene.view, scene.section);
  if (unnoticed)
    draw_unnoticed(*unnoticed);
  else if (hang)
    draw_log_line(scene);
  if (of_act_one(scene.section)) outcomes_.fixes(scene);
  if (!hang && is_case(scene) && scene.opened->open()) {
    ui::paragraph(tr("First find out which rank it was: this part names it."), ui::colours().dim);
    outcomes_.after_case(scene);
    return false;
  }
  // There is nothing to look at before the first line in a log.
  if (hang && is_case(scene) && attribute(scene.section, nccl_lesson::kEnded).empty()) return false;
  if (!hang) outcomes_.ended(scene);
  if (hang && scene.opened != nullptr && scene.opened->searching) {
    const bool before = scene.opened->looked("dump");
    draw_looks(scene);
    if (!before && scene.opened->looked("dump")) lanes_.open_hole();
  }
  return true;
}

void Sequences::content(const Scene& scene, float height) {
  const float start = ImGui::GetCursorPosY();
  if (!heading(scene)) return note_state(scene);
  const float before = ImGui::GetCursorPosY();
  lanes(scene, height - others_);
  const float after = ImGui::GetCursorPosY();
  toolbar(scene);
  evidence(scene);
  others_ = ImGui::GetCursorPosY() - start - (after - before) + px(8);
  note_state(scene);
}

void Sequences::lanes(const Scene& scene, float height) {
  const LanesData data = data_of(scene);
  if (index_.groups().empty()) return ui::paragraph(tr("No collective was called yet."), ui::colours().dim);
  if (!scene.sees_all && data.logger < 0) return;
  const int count = scene.sees_all ? index_.ranks() : 1;
  const float least = lanes_.least_height(count, index_.groups().size()), most = Lanes::most_height(count);
  lanes_.draw("lanes", {ImGui::GetContentRegionAvail().x, std::clamp(height, least, most)}, data);
  const std::string chosen = lanes_.chosen(data);
  if (!chosen.empty()) {
    ui::paragraph(chosen, Type::kLabel);
    ui::mark("chosen");
  }
}

void Sequences::toolbar(const Scene& scene) {
  const ui::FontScope font(Type::kLabel);
  constexpr const char* kAligned[] = {"by number", "by time"};
  ImGui::AlignTextToFramePadding();
  ImGui::TextUnformatted(tr("align:").c_str());
  ImGui::SameLine(0, px(6));
  int chosen = lanes_.by_time ? 1 : 0;
  if (ui::choice_row("align", kAligned, 2, chosen, px(170))) lanes_.by_time = chosen == 1;
  ui::tooltip(tr("the calls of all ranks under each other, or when they were made (Space, after K)"));
  if (scene.sees_all && !holes_.empty()) {
    const std::string label = tr("open the hole ▸");
    ui::beside(ui::text_width(Type::kLabel, label) + 2 * ImGui::GetStyle().FramePadding.x, 16);
    if (ui::button(label.c_str(), "hole", false, true,
                   tr("the wait once more, then the calls of all ranks under each other (End, after K)")))
      lanes_.open_hole();
  }
  ui::beside(px(110), 16);
  draw_legend();
}

// What was looked at, the latest look first. The answer stands in the inspector (answer()), so that it is at
// hand however long the evidence is.
void Sequences::evidence(const Scene& scene) {
  if (kind_of(scene.section) != "hang") return;
  if (scene.opened == nullptr) {
    if (scene.sees_all && !unnoticed_in(scene.view, scene.section)) dump(scene);
    return;
  }
  if (scene.opened->searching) looked_at(scene);
}

void Sequences::answer(View& view) {
  keep_up(view);
  if (view.section == nullptr || kind_of(*view.section) != "hang" || view.revealing) return;
  const Scene scene = scene_of(view);
  if (scene.opened == nullptr || !scene.opened->searching) return;
  if (is_case(scene) && attribute(scene.section, nccl_lesson::kEnded).empty()) return;
  ImGui::Dummy(px(1, 4));
  if (scene.opened->open()) draw_naming(scene);
  draw_verdict(scene);
  if (!scene.opened->open() && is_case(scene)) outcomes_.after_case(scene);
  if (!scene.opened->open()) card_button(scene);
}

void Sequences::looked_at(const Scene& scene) {
  const Investigation& opened = *scene.opened;
  for (auto look = opened.looks.rbegin(); look != opened.looks.rend(); ++look) {
    if (*look == "dump") dump(scene);
    if (*look == "logs") draw_logs(scene.section);
    if (*look == "counters") draw_counters(scene, index_, now_ns_);
  }
  if (!opened.open() && !opened.looked("dump")) dump(scene);
}

// Merged: who waits for whom at this instant, and what each rank did last.
void Sequences::dump(const Scene& scene) const {
  const bool hangs = std::any_of(holes_.begin(), holes_.end(), [](const Hole& hole) { return hole.never; });
  const auto edges = waits_of(scene.section);
  if (!hangs) {
    ui::paragraph(tr("At this instant nobody waits for a call that never comes."), ui::colours().dim,
                  Type::kLabel);
  } else if (!edges.empty()) {
    ui::paragraph(edges.size() > 1 ? tr("Who waits for whom: a cycle") : tr("Who waits for whom"),
                  ui::colours().dim, Type::kLabel);
    draw_waits(edges);
  }
  if (scene.opened == nullptr) {
    const std::string sentence = attribute(scene.section, nccl_lesson::kSentence);
    if (!sentence.empty()) ui::paragraph(sentence);
  }
  draw_last(scene.section);
}

void Sequences::readout(View& view) {
  keep_up(view);
  if (view.section == nullptr || !has_lanes(*view.section)) return;
  const Scene scene = scene_of(view);
  if (const auto deadline = number_in(scene.section, nccl_lesson::kDeadlineMs))
    ui::paragraph(tr("deadline {}", format_duration(*deadline / 1000)), Type::kLabel);
  const bool hidden = scene.opened != nullptr && scene.opened->open() && kind_of(scene.section) != "hang";
  const std::string ended = ended_words(scene.section);
  if (!ended.empty() && !hidden) {
    ui::paragraph(tr("ended: {}", ended), Type::kLabel);
    ui::mark("ended");
  }
  if (scene.opened != nullptr && scene.opened->searching) {
    ui::paragraph(tr("{} used", looks_words(scene.opened->looks.size())), Type::kLabel);
    ui::mark("looks");
  }
}

void Sequences::note_state(const Scene& scene) {
  state_.clear();
  state_["align"] = lanes_.by_time ? "time" : "seq";
  state_["ended"] = attribute(scene.section, nccl_lesson::kEnded);
  state_["lanes"] = scene.sees_all ? "all" : "one";
  state_["tried"] = outcomes_.tried();
  state_["hole"] = lanes_.opening();
  if (const auto unnoticed = unnoticed_in(scene.view, scene.section))
    state_["unnoticed"] = !unnoticed->is_known() ? "unknown" : unnoticed->differs() ? "differs" : "same";
  for (const nccl_lesson::StruckCall& one : rows_as<nccl_lesson::StruckCall>(scene.section))
    state_["struck"] = fmt::format("{}.{}#{}", one.rank, one.group, one.call);
  for (const Hole& hole : holes_) {
    if (!scene.sees_all) break;
    std::string& missing = state_["missing"];
    missing += fmt::format("{}{}#{}:{}", missing.empty() ? "" : " ", index_.groups()[hole.group], hole.seq,
                           hole.rank);
  }
  if (scene.sees_all) state_["cycle"] = text_of(waits_of(scene.section));
  if (scene.opened == nullptr) return;
  constexpr const char* kVerdicts[] = {"none", "right", "only rank", "only cause", "wrong"};
  state_["case"] = std::to_string(case_of(scene.section.name()));
  state_["looks"] = std::to_string(scene.opened->looks.size());
  state_["tries"] = std::to_string(scene.opened->tries);
  state_["verdict"] = kVerdicts[static_cast<int>(scene.opened->verdict)];
  state_["solved"] = std::to_string(solved(scene.view));
}

void Sequences::add_state(std::map<std::string, std::string>& state) const {
  for (const auto& [key, value] : state_) state[key] = value;
}

}  // namespace ringside::nccl_panel
