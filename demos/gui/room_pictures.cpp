// The picture in the middle, and the tabs over it.
#include <algorithm>

#include "ringside/lesson/tr.h"
#include "ringside/widgets/items.h"
#include "room_parts.h"

namespace ringside::gui {

void next_picture(Desk& desk, int direction) {
  const size_t count = desk.panel->pictures().size(), step = direction > 0 ? 1 : count - 1;
  if (count > 0) desk.panel->show_picture((desk.panel->shown_picture() + step) % count);
}

// To the first picture of a group; round at the last one.
void next_group(Desk& desk, int direction) {
  const auto pictures = desk.panel->pictures();
  std::vector<size_t> firsts;
  for (size_t i = 0; i < pictures.size(); ++i)
    if (i == 0 || pictures[i].group != pictures[i - 1].group) firsts.push_back(i);
  if (firsts.empty()) return;
  const auto own = std::ranges::upper_bound(firsts, desk.panel->shown_picture()) - firsts.begin() - 1;
  const auto count = std::ptrdiff_t(firsts.size());
  desk.panel->show_picture(firsts[size_t((own + direction + count) % count)]);
}

void show_what_matters(Desk& desk) {
  View view = desk.view();
  if (const auto matters = desk.panel->picture_that_matters(view)) desk.panel->show_picture(*matters);
}

namespace {

constexpr float kCopyWidth = 84;

// The title of the picture under that tab, and the picture, small, where it is not the one shown.
void draw_preview(Desk& desk, const PictureTab& tab, const ui::RestedTab& rested) {
  const FontScope font(Type::kLabel);
  const bool small = rested.nth != desk.panel->shown_picture();
  const std::string about = tab.marked ? tr("This instant is about it.") : "";
  const float most = std::min(px(380), ImGui::GetIO().DisplaySize.x - px(24));
  const std::string title = ui::broken(tab.title, most, Type::kLabel);
  const float line = ui::line_height(), high = ImGui::CalcTextSize(title.c_str()).y + (tab.marked ? line : 0);
  const float wide =
      std::max(ImGui::CalcTextSize(title.c_str()).x, tab.marked ? ui::text_width(about + "  W") : 0);
  const ImVec2 picture = small ? ImVec2(most, std::round(most * 0.62f)) : ImVec2(wide, 0);
  ui::begin_tip(rested.rect, {picture.x + 1, high + (small ? picture.y + px(6) : 0)});
  ImGui::PushStyleVar(ImGuiStyleVar_ItemSpacing, ImVec2(0, 0));
  ImGui::TextUnformatted(title.c_str());
  if (tab.marked) {
    ImGui::TextColored(ImGui::ColorConvertU32ToFloat4(colours().accent), "%s", about.c_str());
    ImGui::SameLine();
    ImGui::TextColored(ImGui::ColorConvertU32ToFloat4(colours().dim), "%s", "  W");
  }
  if (small) {
    ImGui::Dummy(px(1, 6));
    View view = desk.view();
    ui::mark("preview=" + tab.id, ImGui::GetCursorScreenPos(),
             {ImGui::GetCursorScreenPos().x + picture.x, ImGui::GetCursorScreenPos().y + picture.y});
    desk.panel->preview(view, rested.nth, picture);
  }
  ImGui::PopStyleVar();
  ui::end_tip();
}

// A tab a picture, and at the right what its values are taken along with.
void picture_row(Desk& desk, const std::vector<PictureTab>& pictures, bool has_csv) {
  const FontScope font(Type::kLabel);
  const float all = ImGui::GetContentRegionAvail().x - px(kCopyWidth + 16);
  const ImVec2 at = ImGui::GetCursorPos();
  if (pictures.size() > 1) {
    size_t shown = desk.panel->shown_picture();
    std::optional<ui::RestedTab> rested;
    if (ui::tab_row("picture", pictures, shown, all, &rested)) desk.panel->show_picture(shown);
    if (rested) draw_preview(desk, pictures[rested->nth], *rested);
  }
  if (!has_csv) return;
  const ImVec2 below = ImGui::GetCursorPos();
  ImGui::SetCursorPos({at.x + all + px(16), at.y});
  if (ui::button(tr("copy CSV").c_str(), "picture.csv", false, true,
                 tr("copies the picture's values as a table"), "C"))
    copy_csv(desk);
  if (pictures.size() > 1) ImGui::SetCursorPos(below);
}

// Where no trace was read and nothing runs: what one can do about it.
void run_offered(Desk& desk) {
  const std::string label = tr("run {} ▸", desk.lesson().id), why = tr("No run stands here.");
  const float width = ui::text_width(Type::kBody, label) + px(24);
  const ImVec2 at = ImGui::GetCursorPos(), room = ImGui::GetContentRegionAvail();
  ImGui::SetCursorPos(
      {at.x + std::max(0.0f, (room.x - ui::text_width(Type::kBody, why)) / 2), at.y + room.y * 0.3f});
  ImGui::TextUnformatted(why.c_str());
  ImGui::SetCursorPos({at.x + std::max(0.0f, (room.x - width) / 2), at.y + room.y * 0.3f + px(32)});
  if (ui::button(label.c_str(), "hero.run", true, true, desk.config().scenario(), "R"))
    desk.run(desk.config());
}

}  // namespace

void draw_hero(Desk& desk, const Rect& rect) {
  const Area area("hero", rect, false, 8);
  ui::mark("hero", rect.min, rect.max);
  View view = desk.view();
  auto pictures = desk.panel->pictures();
  if (const auto matters = desk.panel->picture_that_matters(view)) pictures[*matters].marked = true;
  const bool has_csv = desk.panel->has_csv(view);
  const bool chooses = desk.step() != Step::kGuess && desk.step() != Step::kReveal;
  if (chooses && (pictures.size() > 1 || has_csv)) picture_row(desk, pictures, has_csv);
  desk.opening_is_told = false;
  if (desk.nothing_to_show()) return run_offered(desk);
  if (desk.step() == Step::kReveal && !pictures.empty()) {
    ui::paragraph(pictures[desk.panel->shown_picture()].title, colours().dim, Type::kLabel);
    ui::mark("picture.title");
  }
  desk.panel->hero(view, ImGui::GetContentRegionAvail());
  desk.opening_is_told = view.tells_opening;
}

}  // namespace ringside::gui
