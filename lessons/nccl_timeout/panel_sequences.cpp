// The lesson's hero: the log line, the lanes at the playhead's instant, and the evidence that was looked at.
#include <fmt/format.h>

#include <algorithm>

#include "names.h"
#include "panel_parts.h"
#include "ringside/base/units.h"
#include "ringside/widgets/items.h"

namespace ringside::nccl_panel {
using ui::px;
using ui::Type;

void Sequences::keep_up(View& view) {
  if (view.run != index_of_) index_ = {};
  index_of_ = view.run;
  outcomes_.update(view);
  holes_.clear();
  if (view.section == nullptr || !has_lanes(*view.section)) return;
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

// What was found out belongs to the case as this seed deals it.
Investigation* Sequences::investigation(const View& view, int number) {
  if (number == 0) return nullptr;
  return &investigations_[fmt::format("{} seed {} ranks {}", number, view.config.text("seed"),
                                      view.config.text("ranks"))];
}

Scene Sequences::scene_of(View& view) {
  const SectionView& section = *view.section;
  Investigation* opened = investigation(view, case_of(section.name()));
  bool all = true;
  if (opened != nullptr)
    all = opened->looked("dump") || !opened->open();
  else if (of_act_one(section))
    all = outcomes_.tried("rank");
  return {view, section, opened, all};
}

bool Sequences::offers(const View& view, const std::string& section) {
  const int number = case_of(section);
  return number == 0 || section == fmt::format("case {}", number) || !investigation(view, number)->open();
}

std::string Sequences::timeline_closed(View& view) {
  if (view.section == nullptr || case_of(view.section->name()) == 0 || scene_of(view).sees_all) return "";
  return "The timeline shows what every rank does: it opens with the dump, which is a look.";
}

LanesData Sequences::data_of(const Scene& scene) const {
  LanesData data;
  data.trace = &scene.view.trace;
  data.index = &index_;
  data.holes = &holes_;
  data.time_ns = now_ns_;
  data.sizes = !asks(scene.view, "first_bucket");
  data.logger = logger_of(scene.section);
  data.only_rank = scene.sees_all ? -1 : std::max(0, data.logger);
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
                      ? "Nothing runs in this part, it is arithmetic: its pictures are bucket and tensor (V)."
                      : "Nothing hangs in this part, its memory is compared: its picture is memory (V).",
                  ui::colours().dim);
    outcomes_.cases({view, *view.section, nullptr, true});
  }
  ImGui::EndChild();
}

void Sequences::content(const Scene& scene, float height) {
  const float start = ImGui::GetCursorPosY();
  const bool hang = kind_of(scene.section) == "hang";
  if (scene.opened != nullptr) outcomes_.cases(scene);
  const std::string title = attribute(scene.section, nccl_lesson::kTitle);
  if (scene.opened == nullptr && !title.empty()) ui::paragraph(title, Type::kBold);
  if (hang) draw_log_line(scene);
  if (of_act_one(scene.section)) outcomes_.fixes(scene);
  if (!hang && scene.opened != nullptr && scene.opened->open()) {
    ui::paragraph("First find out who it was: this part names it.", ui::colours().dim);
    outcomes_.after_case(scene);
    return;
  }
  // There is nothing to look at before the first line in a log.
  if (hang && scene.opened != nullptr && attribute(scene.section, nccl_lesson::kEnded).empty())
    return note_state(scene);
  if (!hang) outcomes_.ended(scene);
  if (hang && scene.opened != nullptr) draw_looks(scene);
  const float before = ImGui::GetCursorPosY();
  lanes(scene, height - others_);
  const float after = ImGui::GetCursorPosY();
  toolbar();
  evidence(scene);
  others_ = ImGui::GetCursorPosY() - start - (after - before) + px(8);
  note_state(scene);
}

void Sequences::lanes(const Scene& scene, float height) {
  const LanesData data = data_of(scene);
  if (index_.groups().empty()) return ui::paragraph("No collective was called yet.", ui::colours().dim);
  if (!scene.sees_all && data.logger < 0) return;
  const int count = scene.sees_all ? index_.ranks() : 1;
  const float least = Lanes::least_height(count), most = Lanes::most_height(count);
  lanes_.draw("lanes", {ImGui::GetContentRegionAvail().x, std::clamp(height, least, most)}, data);
  const std::string chosen = lanes_.chosen(data);
  if (!chosen.empty()) {
    ui::paragraph(chosen, Type::kLabel);
    ui::mark("chosen");
  }
}

void Sequences::toolbar() {
  const ui::FontScope font(Type::kLabel);
  constexpr const char* kAligned[] = {"by number", "by time"};
  ImGui::AlignTextToFramePadding();
  ImGui::TextUnformatted("align:");
  ImGui::SameLine(0, px(6));
  int chosen = lanes_.by_time ? 1 : 0;
  if (ui::choice_row("align", kAligned, 2, chosen, px(170))) lanes_.by_time = chosen == 1;
  ui::tooltip("Space, while the picture has the keys (K)");
  ui::beside(px(110), 16);
  draw_legend();
}

// The answer stands above what was looked at, the latest look first: both are in sight.
void Sequences::evidence(const Scene& scene) {
  const Investigation* opened = scene.opened;
  if (kind_of(scene.section) != "hang") return;
  if (opened == nullptr) {
    if (scene.sees_all) dump(scene);
    return;
  }
  if (opened->open()) draw_naming(scene);
  draw_verdict(scene);
  if (!opened->open()) outcomes_.after_case(scene);
  for (auto look = opened->looks.rbegin(); look != opened->looks.rend(); ++look) {
    if (*look == "dump") dump(scene);
    if (*look == "logs") draw_logs(scene.section);
    if (*look == "counters") draw_counters(scene, index_, now_ns_);
  }
  if (!opened->open() && !opened->looked("dump")) dump(scene);
}

// Merged: who waits for whom at this instant, and what each rank did last.
void Sequences::dump(const Scene& scene) const {
  const bool hangs = std::any_of(holes_.begin(), holes_.end(), [](const Hole& hole) { return hole.never; });
  const auto edges = waits_of(scene.section);
  if (!hangs) {
    ui::paragraph("At this instant nobody waits for a call that never comes.", ui::colours().dim,
                  Type::kLabel);
  } else if (!edges.empty()) {
    ui::paragraph(edges.size() > 1 ? "Who waits for whom: a cycle" : "Who waits for whom", ui::colours().dim,
                  Type::kLabel);
    draw_waits(edges);
  }
  if (scene.opened == nullptr) {
    const std::string sentence = attribute(scene.section, nccl_lesson::kSentence);
    if (!sentence.empty()) ui::paragraph(sentence);
  }
  draw_last(scene.section);
}

std::string Sequences::sentence(View& view) {
  keep_up(view);
  if (view.section == nullptr || !has_lanes(*view.section)) return "";
  const Scene scene = scene_of(view);
  if (attribute(scene.section, nccl_lesson::kEnded) == "completed" && now_ns_ >= index_.latest_ns())
    return "It ran to its end: every collective was called by all ranks.";
  if (holes_.empty() || holes_.front().waited_ns < 1000000) return "";
  const Hole& hole = holes_.front();
  const std::string since = waited_words(hole.waited_ns);
  const std::string in = fmt::format("{} #{}", index_.groups()[hole.group], hole.seq);
  if (!scene.sees_all) {
    const int logger = logger_of(scene.section);
    if (logger < 0) return "";
    const Call* oldest = nullptr;
    std::string in_group;
    for (size_t group = 0; group < index_.groups().size(); ++group) {
      const Call* call = index_.first_open(logger, group, now_ns_);
      if (call == nullptr || (oldest != nullptr && oldest->created_ns <= call->created_ns)) continue;
      oldest = call;
      in_group = index_.groups()[group];
    }
    if (oldest != nullptr)
      return fmt::format("Rank {} waits in {} #{} since {}. Who is missing, its log does not say.", logger,
                         in_group, oldest->seq, waited_words(oldest->waited_ns(now_ns_)));
    return "";
  }
  std::vector<int> missing;
  for (const Hole& one : holes_) {
    if (one.group == hole.group && one.seq == hole.seq) missing.push_back(one.rank);
  }
  std::sort(missing.begin(), missing.end());
  std::string who = rank_words(hole.waiting);
  who[0] = 'R';
  return fmt::format("{} {} in {} for {}, since {}.", who, hole.waiting.size() == 1 ? "waits" : "wait", in,
                     rank_words(missing), since);
}

void Sequences::readout(View& view) {
  keep_up(view);
  if (view.section == nullptr || !has_lanes(*view.section)) return;
  const Scene scene = scene_of(view);
  if (const auto deadline = number_in(scene.section, nccl_lesson::kDeadlineMs))
    ui::paragraph("deadline " + format_duration(*deadline / 1000), Type::kLabel);
  const bool hidden = scene.opened != nullptr && scene.opened->open() && kind_of(scene.section) != "hang";
  const std::string ended = ended_words(scene.section);
  if (!ended.empty() && !hidden) {
    ui::paragraph("ended: " + ended, Type::kLabel);
    ui::mark("ended");
  }
  if (scene.opened != nullptr) {
    ui::paragraph(looks_words(scene.opened->looks.size()) + " used", Type::kLabel);
    ui::mark("looks");
  }
}

void Sequences::note_state(const Scene& scene) {
  state_.clear();
  state_["align"] = lanes_.by_time ? "time" : "seq";
  state_["ended"] = attribute(scene.section, nccl_lesson::kEnded);
  state_["lanes"] = scene.sees_all ? "all" : "one";
  state_["tried"] = outcomes_.tried();
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
}

void Sequences::add_state(std::map<std::string, std::string>& state) const {
  for (const auto& [key, value] : state_) state[key] = value;
}

}  // namespace ringside::nccl_panel
