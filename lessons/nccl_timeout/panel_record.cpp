// How cases were solved: looks and tries, case by case; and the card of one that is solved.
#include <fmt/format.h>

#include <algorithm>

#include "names.h"
#include "panel_parts.h"
#include "ringside/figures/svg.h"
#include "ringside/lesson/tr.h"
#include "ringside/widgets/items.h"

namespace ringside::nccl_panel {
namespace {

using ui::px;
using ui::Type;

constexpr int64_t kShownCalls = 6;  // of a group, on a card

std::string line_of(const View& view, int number) {
  return view.config.with({"act=5", fmt::format("case={}", number)}).scenario();
}

figure::LaneItem item_of(const Trace& trace, const Call& call, int64_t time_ns) {
  const bool carries_gradients = trace.name(call.tag) == "gradients";
  return {.name = std::string(ui::code_of(call.op)),
          .ink = carries_gradients ? figure::Ink::kGradients : figure::Ink::kOther,
          .filled = call.at(time_ns) == CallState::kCompleted};
}

}  // namespace

std::string card_title(const Scene& scene) {
  return tr("case {}, {}, rank {}", case_of(scene.section.name()), looks_words(scene.opened->looks.size()),
            attribute(scene.section, nccl_lesson::kCulprit));
}

// Ranks as lanes, calls by their number: a group after the other.
std::string card_of(const Scene& scene, const SequenceIndex& index, const std::vector<Hole>& holes,
                    int64_t time_ns) {
  figure::Lanes lanes;
  std::string groups;
  for (int rank = 0; rank < index.ranks(); ++rank) lanes.lanes.push_back(tr("rank {}", rank));
  double left = 0;
  for (size_t group = 0; group < index.groups().size(); ++group) {
    int64_t last = index.top(group, time_ns);
    for (const Hole& hole : holes)
      if (hole.group == group && hole.never) last = std::min(last, hole.seq + 1);
    const int64_t first = std::max<int64_t>(0, last - kShownCalls + 1);
    groups += (groups.empty() ? "" : ", ") + tr("group {} from call {}", index.groups()[group], first);
    for (int rank = 0; rank < index.ranks(); ++rank) {
      for (int64_t seq = first; seq <= last; ++seq) {
        const Call* call = index.find(rank, group, seq);
        figure::LaneItem item = call != nullptr ? item_of(scene.view.trace, *call, time_ns)
                                                : figure::LaneItem{.ink = figure::Ink::kDim, .filled = false};
        for (const Hole& hole : holes)
          if (hole.rank == rank && hole.group == group && hole.seq == seq && hole.never && hole.first)
            item = {.name = tr("missing"), .ink = figure::Ink::kAlarm, .filled = false};
        item.lane = static_cast<size_t>(rank);
        item.from = left + static_cast<double>(seq - first);
        item.to = item.from + 0.92;
        lanes.items.push_back(std::move(item));
      }
    }
    left += static_cast<double>(last - first + 1) + 0.5;
  }
  lanes.at = {.name = groups};
  const std::string said = attribute(scene.section, nccl_lesson::kSentence);
  return figure::to_svg(card_title(scene),
                        said + "  ./run " + line_of(scene.view, case_of(scene.section.name())), lanes);
}

void Sequences::card_button(const Scene& scene) {
  if (!scene.opened->right || !is_case(scene) || kind_of(scene.section) != "hang") return;
  const std::string label = tr("keep as a card");
  if (!ui::button(label.c_str(), "card", false, true,
                  tr("a picture of this case as a file, and its line to the clipboard")))
    return;
  const int number = case_of(scene.section.name());
  scene.view.wishes.save = {fmt::format("case {} seed {}.svg", number, scene.view.config.text("seed")),
                            card_of(scene, index_, holes_, now_ns_)};
  scene.view.wishes.copy = line_of(scene.view, number);
}

std::optional<std::string> Sequences::record(View& view) {
  keep_up(view);
  if (view.section == nullptr) return std::nullopt;
  const Scene scene = scene_of(view);
  if (scene.opened == nullptr || !scene.opened->searching) return std::nullopt;
  const std::string what = is_case(scene) ? tr("Case {}", case_of(scene.section.name())) : tr("Act 1");
  if (scene.opened->open())
    return tr("{} is open: {} used. Name the rank in Watch.", what, looks_words(scene.opened->looks.size()));
  return tr("{}: {}. The fewest possible: {}.", what, solved_words(*scene.opened), looks_words(kFewestLooks));
}

// "case 2   solved with 2 looks, at try 2   rank 3 has one batch more"
void Sequences::record_row(const View& view, int number) {
  const std::string name = fmt::format("case {}", number);
  const Investigation& opened = *investigation(view, name);
  const SectionView* section = view.trace.find(name);
  const bool known = !opened.open() && section != nullptr;
  ImGui::TableNextRow();
  for (const std::string& cell :
       {(opened.right ? "✓ " : "") + name,
        known                  ? solved_words(opened)
        : opened.looks.empty() ? tr("not looked at")
                               : tr("open, {} used", looks_words(opened.looks.size())),
        known ? tr("rank {} {}", attribute(*section, nccl_lesson::kCulprit),
                   cause_words(attribute(*section, nccl_lesson::kCause)))
              : std::string("?")}) {
    ImGui::TableNextColumn();
    ImGui::TextUnformatted(cell.c_str());
  }
  ui::mark("record." + name);
}

void Sequences::draw_record(View& view, ImVec2 size) {
  keep_up(view);
  if (view.section == nullptr) return;
  const Scene scene = scene_of(view);
  ImGui::BeginChild("record", size);
  if (scene.opened != nullptr && !scene.opened->open())
    ui::paragraph(attribute(scene.section, nccl_lesson::kSentence));
  if (ImGui::BeginTable("cases", 3, ImGuiTableFlags_SizingFixedFit)) {
    ImGui::TableSetupColumn("case", ImGuiTableColumnFlags_None, px(90));
    ImGui::TableSetupColumn("how", ImGuiTableColumnFlags_None, px(280));
    ImGui::TableSetupColumn("who", ImGuiTableColumnFlags_None, px(340));
    for (int number = 1; number <= kCases; ++number) record_row(view, number);
    ImGui::EndTable();
  }
  ui::paragraph(tr("One look can be enough: the dump names who is missing, and what each rank did last."),
                ui::colours().dim, Type::kLabel);
  if (scene.opened != nullptr) card_button(scene);
  ImGui::EndChild();
  ui::mark("record");
}

}  // namespace ringside::nccl_panel
