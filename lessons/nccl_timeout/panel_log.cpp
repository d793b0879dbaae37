// Where the case begins: what the source's eight GPUs printed, and what the line does and does not say.
#include <fmt/format.h>

#include "names.h"
#include "panel_pictures.h"
#include "ringside/base/units.h"
#include "ringside/lesson/tr.h"
#include "ringside/widgets/items.h"

namespace ringside::nccl_panel {
namespace {

using ui::px;
using ui::Type;

// The line of the source's first document. Its number is a word of the scenario.
std::string line_of(const View& view) {
  const std::string& elements = view.config.text("logged");
  return fmt::format(
      "[rank6] Watchdog caught collective operation timeout: WorkNCCL(SeqNum=56731, OpType=ALLREDUCE, "
      "NumelIn={}, NumelOut={}, Timeout(ms)={:.0f})",
      elements, elements, nccl_lesson::kSourceDeadlineS * 1000);
}

void mono(const std::string& text) {
  const ui::FontScope font(Type::kMono);
  ImGui::PushTextWrapPos(ImGui::GetCursorPosX() + ImGui::GetContentRegionAvail().x);
  ImGui::TextUnformatted(text.c_str());
  ImGui::PopTextWrapPos();
}

void field(const char* name, const std::string& says) {
  ImGui::TableNextRow();
  ImGui::TableNextColumn();
  {
    const ui::FontScope font(Type::kMono);
    ImGui::TextUnformatted(name);
  }
  ImGui::TableNextColumn();
  ui::paragraph(says, Type::kBody);
}

void fields() {
  if (!ImGui::BeginTable("fields", 2, ImGuiTableFlags_SizingFixedFit)) return;
  ImGui::TableSetupColumn("field", ImGuiTableColumnFlags_WidthFixed, px(130));
  ImGui::TableSetupColumn("says", ImGuiTableColumnFlags_WidthStretch);
  field("[rank6]", tr("the rank that prints: it called, and waits"));
  field("ALLREDUCE", tr("a collective call: all ranks of a group add up one tensor, and each has to call"));
  field("NumelIn", tr("how many elements of the tensor go in"));
  field("Timeout(ms)", tr("ten minutes; then the watchdog ends the process"));
  ImGui::EndTable();
}

// What a question needs that has no picture of its own.
void for_question(const View& view) {
  if (asks(view, "wire_ms"))
    ui::paragraph(tr("In a ring of N ranks each sends 2(N-1)/N of the tensor. {} elements in bf16 are {}.",
                     format_count(view.config.integer("logged")),
                     tr("{:.0f} MB", static_cast<double>(view.config.integer("logged")) * 2e-6)));
  if (asks(view, "numel_in"))
    ui::paragraph(tr("The run here has {} ranks, and its line looks the same but for the numbers.",
                     view.config.integer("ranks")));
  if (asks(view, "timeout_x3"))
    ui::paragraph(
        tr("Here a second stands for the ten minutes: a call may wait {} s.", view.config.text("deadline")));
}

}  // namespace

void LogPicture::draw(View& view, ImVec2 size) const {
  ImGui::PushStyleVar(ImGuiStyleVar_WindowPadding, px(16, 8));
  ImGui::BeginChild("log", size, false, ImGuiWindowFlags_AlwaysUseWindowPadding);
  ImGui::PopStyleVar();
  if (!asks_what(view))
    ui::paragraph(
        tr("Eight GPUs train a classifier on Qwen2.5-VL-7B. Training runs, the first evaluation runs. Then "
           "nothing happens for ten minutes, and one rank prints:"));
  ImGui::Dummy(px(1, 6));
  const ImVec2 at = ImGui::GetCursorScreenPos();
  mono(line_of(view));
  ui::mark("log", at, {at.x + ImGui::GetContentRegionAvail().x, ImGui::GetCursorScreenPos().y});
  ImGui::Dummy(px(1, 6));
  for_question(view);
  fields();
  ImGui::Dummy(px(1, 4));
  ui::paragraph(
      tr("The line does not say which rank is missing. Three fixes (V1, V2, V3) were made for a tensor "
         "that was guessed from the number alone."),
      ui::colours().dim);
  ImGui::EndChild();
}

std::string LogPicture::sentence(const View&) const {
  return tr(
      "One line is left of ten minutes of silence. Of what are its elements, and which rank is missing?");
}

}  // namespace ringside::nccl_panel
