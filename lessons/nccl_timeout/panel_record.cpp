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

// "#61 AR": filled once it is completed. Null, and the first that never comes: what is missing.
figure::Box box_of(const Trace& trace, int64_t seq, const Call* call, bool is_missing, int64_t time_ns) {
  if (is_missing) return {.text = tr("missing"), .ink = figure::Ink::kAlarm, .filled = false};
  if (call == nullptr) return {.text = "", .ink = figure::Ink::kDim, .filled = false};
  return {.text = fmt::format("#{} {}", seq, ui::code_of(call->op)),
          .ink = trace.name(call->tag) == "gradients" ? figure::Ink::kGradients : figure::Ink::kOther,
          .filled = call->at(time_ns) == CallState::kCompleted};
}

}  // namespace

std::string card_title(const Scene& scene) {
  return tr("case {}, {}, rank {}", case_of(scene.section.name()), looks_words(scene.opened->looks.size()),
            attribute(scene.section, nccl_lesson::kCulprit));
}

// A row for each rank of each group, calls by their number.
std::string card_of(const Scene& scene, const SequenceIndex& index, const std::vector<Hole>& holes,
                    int64_t time_ns) {
  figure::Boxes boxes;
  for (size_t group = 0; group < index.groups().size(); ++group) {
    int64_t last = index.top(group, time_ns);
    for (const Hole& hole : holes)
      if (hole.group == group && hole.never) last = std::min(last, hole.seq + 1);
    for (int rank = 0; rank < index.ranks(); ++rank) {
      figure::BoxRow row{.name = tr("{}, rank {}", index.groups()[group], rank), .boxes = {}};
      for (int64_t seq = std::max<int64_t>(0, last - kShownCalls + 1); seq <= last; ++seq) {
        const bool is_missing = std::any_of(holes.begin(), holes.end(), [&](const Hole& hole) {
          return hole.rank == rank && hole.group == group && hole.seq == seq && hole.never && hole.first;
        });
        row.boxes.push_back(box_of(scene.view.trace, seq, index.find(rank, group, seq), is_missing, time_ns));
      }
      boxes.rows.push_back(std::move(row));
    }
  }
  const std::string said = attribute(scene.section, nccl_lesson::kSentence);
  return figure::to_svg(card_title(scene),
                        tr("{} The line: ./run {}", said, line_of(scene.view, case_of(scene.section.name()))),
                        boxes);
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
    ui::paragraph(cell);
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
  if (ImGui::BeginTable("cases", 3, ImGuiTableFlags_SizingStretchProp)) {
    ImGui::TableSetupColumn("case", ImGuiTableColumnFlags_WidthFixed, px(70));
    ImGui::TableSetupColumn("how", ImGuiTableColumnFlags_WidthStretch, 2);
    ImGui::TableSetupColumn("who", ImGuiTableColumnFlags_WidthStretch, 3);
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
