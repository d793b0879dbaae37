#include <algorithm>

#include "ringside/figures/instant.h"
#include "ringside/figures/matters.h"
#include "ringside/lesson/tr.h"
#include "ringside/panel/figures.h"
#include "ringside/widgets/draw.h"
#include "ringside/widgets/look.h"

namespace ringside {

std::optional<size_t> Panel::picture_called(const std::string& id) const {
  const auto all = pictures();
  const auto found = std::ranges::find(all, id, &PictureTab::id);
  return found == all.end() ? std::nullopt : std::optional<size_t>(found - all.begin());
}

std::vector<PictureTab> FigurePanel::pictures() const {
  std::vector<PictureTab> all, own = own_pictures();
  const auto is_own = [&](const std::string& id) {
    return std::ranges::any_of(own, [&](const PictureTab& one) { return one.id == id; });
  };
  for (size_t i = 0; i < figures_.size(); ++i) {
    const FigureSpec& spec = figures_.spec(i);
    if (is_own(spec.id)) continue;
    all.emplace_back(spec.id, spec.title, spec.tab);
    all.back().group = spec.group;
  }
  const bool grouped = std::ranges::any_of(all, [](const PictureTab& one) { return !one.group.empty(); });
  all.insert(own_come_first() ? all.begin() : all.end(), own.begin(), own.end());
  return in_groups(std::move(all), grouped);
}

// Those of a group stand together, where its first one is.
std::vector<PictureTab> FigurePanel::in_groups(std::vector<PictureTab> all, bool grouped) {
  std::vector<std::string> groups;
  for (PictureTab& tab : all) {
    if (!grouped) tab.group.clear();
    if (std::ranges::find(groups, tab.group) == groups.end()) groups.push_back(tab.group);
  }
  std::ranges::stable_sort(all, {},
                           [&](const PictureTab& tab) { return std::ranges::find(groups, tab.group); });
  return all;
}

void FigurePanel::show_picture(size_t index) {
  const auto all = pictures();
  if (!all.empty()) shown_ = all[std::min(index, all.size() - 1)].id;
}

size_t FigurePanel::place_of(const std::string& id) const {
  const auto all = pictures();
  const auto found = std::ranges::find(all, id, &PictureTab::id);
  return found == all.end() ? 0 : size_t(found - all.begin());
}

size_t FigurePanel::shown_picture() const { return place_of(shown_); }

// ---- What matters now ---------------------------------------------------------------------

std::vector<std::string> FigurePanel::matters(const std::string& id) const {
  const auto own = own_pictures();
  if (std::ranges::find(own, id, &PictureTab::id) != own.end()) return own_matters(id);
  const FigureSpec& spec = figures_.spec(*figures_.find(id));
  if (!spec.matters.empty() || spec.section.empty()) return spec.matters;
  return {spec.section};
}

// While a run is followed, of the section that runs now. Of several the one whose event is the newest; of
// those that matter since the section began, the first.
std::string FigurePanel::find_what_matters(const View& view) const {
  const SectionView* section = view.section;
  int64_t time_ns = view.playhead.time_ns;
  if (view.running && view.playhead.follow) {
    section = &view.trace.sections().back();
    time_ns = last_moment(*section);
  }
  const figure::Happening now = figure::happening_at(view.trace, *section, time_ns);
  std::string best;
  std::optional<int64_t> newest;
  for (const PictureTab& tab : pictures()) {
    const auto figure = figures_.find(tab.id);
    if (figure && figures_.is_closed(view, *figure)) continue;
    const auto since = figure::matters_since(matters(tab.id), *section, now);
    if (since && (!newest || *since > *newest)) best = tab.id, newest = since;
  }
  return best;
}

std::optional<size_t> FigurePanel::picture_that_matters(View& view) {
  if (view.section == nullptr) return std::nullopt;
  const std::string& id = matters_.get(figures_.mark(view, true), view.seconds, view.running,
                                       [&] { return find_what_matters(view); });
  return picture_called(id);
}

void FigurePanel::preview(View& view, size_t index, ImVec2 size) {
  const auto all = pictures();
  if (index >= all.size() || all[index].id == shown()) return;
  const std::string& id = all[index].id;
  const auto own = own_pictures();
  if (std::ranges::find(own, id, &PictureTab::id) != own.end()) return draw_own(view, id, size);
  const size_t nth = *figures_.find(id);
  if (figures_.is_closed(view, nth)) return ui::remark(tr("It answers a question that is still to come."));
  draw_figure(view, nth, size);
}

// ---- Which is shown -----------------------------------------------------------------------

size_t FigurePanel::picture_for(const PredictionSpec& question) const {
  const auto beside = figures_.beside(question);
  return beside ? place_of(figures_.spec(*beside).id) : shown_picture();
}

// A figure that stood beside it and shows nothing of the run gives way to the first that answers it.
size_t FigurePanel::picture_after(const PredictionSpec& question) const {
  const auto figure = shown_figure();
  if (!figure || figures_.spec(*figure).id != question.figure || !figures_.spec(*figure).of_configuration)
    return shown_picture();
  for (size_t i = 0; i < figures_.size(); ++i)
    if (figures_.answers(i, question)) return place_of(figures_.spec(i).id);
  return shown_picture();
}

std::string FigurePanel::shown() const {
  const auto all = pictures();
  return all.empty() ? "" : all[place_of(shown_)].id;
}

// A picture of its own that has a figure's id stands in that figure's place.
std::optional<size_t> FigurePanel::shown_figure() const {
  const std::string id = shown();
  for (const PictureTab& own : own_pictures())
    if (own.id == id) return std::nullopt;
  return figures_.find(id);
}

void FigurePanel::hero(View& view, ImVec2 size) {
  see(view);
  const std::string id = shown();
  if (const auto figure = shown_figure()) return draw_figure(view, *figure, size);
  if (id.empty() && view.asked != nullptr) return figures_.draw_opening(view, size);
  if (id.empty()) return draw_nothing_yet(view, size);
  draw_own(view, id, size);
}

// As figure_table.cpp draws the row above a table, its header and its rows, and figure_listing.cpp its lines.
std::optional<float> FigurePanel::height_of_wide(View& view) {
  const auto figure = shown_figure();
  const figure::Value* value = figure ? figures_.open_value(view, *figure) : nullptr;
  const float row = ui::line_height() + 2 * ImGui::GetStyle().CellPadding.y + 1;
  if (const auto* table = std::get_if<figure::Table>(value))
    return ImGui::GetFrameHeight() + ui::px(12) + row * float(table->rows.size() + 1);
  if (const auto* listing = std::get_if<figure::Listing>(value))
    return (ui::line_height(ui::Type::kMono) + ui::px(4)) * float(listing->lines.size());
  return std::nullopt;
}

void FigurePanel::focus_picture() {
  if (const auto figure = shown_figure()) figures_.focus(*figure);
}

std::string FigurePanel::sentence(View& view) {
  const auto figure = shown_figure();
  return figure ? figures_.sentence(view, *figure) : "";
}

bool FigurePanel::has_csv(View& view) {
  const auto figure = shown_figure();
  return figure && figures_.has_csv(view, *figure);
}

std::string FigurePanel::csv(View&) {
  const auto figure = shown_figure();
  return figure ? figures_.csv(*figure) : "";
}

std::map<std::string, std::string> FigurePanel::state() const {
  std::map<std::string, std::string> state;
  if (const auto figure = shown_figure()) figures_.add_state(*figure, state);
  return state;
}

}  // namespace ringside
