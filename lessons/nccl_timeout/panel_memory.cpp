// What returning hidden states costs: trainings side by side, and their memory over time.
#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "names.h"
#include "panel_pictures.h"
#include "ringside/base/units.h"
#include "ringside/lesson/tr.h"
#include "ringside/panel/playhead.h"
#include "ringside/widgets/items.h"

namespace ringside::nccl_panel {
namespace {

using ui::px;
using ui::Type;
using namespace nccl_lesson;

struct Figure {
  const char *key, *title, *short_title;
  bool bytes;
};
constexpr Figure kFigures[] = {{kTrainingPeak, "peak, training", "train peak", true},
                               {kEvaluationPeak, "peak, evaluation", "eval peak", true},
                               {kGathered, "gathered", "gathered", true},
                               {kStepMs, "step", "step", false},
                               {kEvaluationMs, "evaluation", "eval", false}};
constexpr const char* kOrder[] = {"original",    "V1",          "V2",          "V3",      "original mismatch",
                                  "V1 mismatch", "V2 mismatch", "V3 mismatch", "chunked", "compressed"};
constexpr int kSamples = 400;  // of the curve

std::string words_of(const Figure& figure, double value) {
  return figure.bytes ? format_bytes(value) : format_duration(value / 1000);
}

std::string returned_words(const SectionView& section) {
  if (!section.has(kReturnedTraining) || !section.has(kReturnedEvaluation)) return "";
  const bool training = section.yes(kReturnedTraining), evaluation = section.yes(kReturnedEvaluation);
  if (training == evaluation) return training ? tr("hidden states returned") : tr("none returned");
  return training ? tr("returned in training only") : tr("returned in evaluation only");
}

void cell(const SectionView& section, const Figure& figure, const ui::Rect& rect, double most, bool hidden) {
  ImDrawList& list = *ImGui::GetWindowDrawList();
  const auto value = number_in(section, figure.key);
  const float line = ui::line_height(Type::kLabel);
  const ui::Rect text{rect.min, {rect.max.x - px(8), rect.min.y + line}};
  if (!value || hidden)
    return ui::draw_text_in(list, text, ui::colours().dim, hidden ? "?" : "—", Type::kLabel, false);
  ui::draw_text_in(list, text, ui::colours().text, words_of(figure, *value), Type::kLabel, false);
  const float room = rect.width() - px(12), y = rect.min.y + line + px(2);
  const auto length = static_cast<float>(most > 0 ? *value / most : 0) * room;
  list.AddRectFilled({rect.min.x, y}, {rect.min.x + std::max(1.0f, length), y + px(6)},
                     figure.bytes ? ui::colours().activations : ui::colours().other, px(1));
}

std::vector<ui::Point> curve_of(const ui::MemoryHistory& memory, const SectionView& section) {
  std::vector<ui::Point> points;
  const TimeRange range = time_range(section);
  if (memory.ranks() == 0 || range.length() <= 0) return points;
  for (int i = 0; i <= kSamples; ++i) {
    const int64_t after = range.length() / kSamples * i;
    points.push_back(
        {static_cast<double>(after) * 1e-9, static_cast<double>(memory.total(0, range.first + after))});
  }
  return points;
}

// Where the columns stand. A wide picture has one line a training, a narrow one two.
struct Columns {
  float width, name, each, line;
  bool wide;
  explicit Columns(float all) : width(all), line(ui::line_height(Type::kLabel)), wide(all > px(860)) {
    name = wide ? px(350) : std::clamp(width * 0.27f, px(150), px(240));
    each = (width - name) / static_cast<float>(std::size(kFigures));
  }
  float row() const { return wide ? line + px(12) : 2 * line + px(6); }
  float left(size_t figure) const { return name + each * static_cast<float>(figure); }
};

void draw_name(const SectionView& section, ImVec2 at, const Columns& columns, bool shown) {
  ImDrawList& list = *ImGui::GetWindowDrawList();
  const std::string title = attribute(section, kTitle), name = title.empty() ? section.name() : title;
  const float middle = at.x + (columns.wide ? px(185) : columns.name), end = at.x + columns.name - px(6);
  ui::draw_text_in(list, {{at.x + px(4), at.y + px(2)}, {middle - px(6), at.y + px(2) + columns.line}},
                   ui::colours().text, (shown ? "▸ " : "") + name, Type::kLabel, false);
  const ImVec2 words =
      columns.wide ? ImVec2(middle, at.y + px(2)) : ImVec2(at.x + px(4), at.y + px(2) + columns.line);
  ui::draw_text_in(list, {words, {end, words.y + columns.line}}, ui::colours().dim, returned_words(section),
                   Type::kLabel, false);
}

using Most = std::array<double, std::size(kFigures)>;  // of any training: as long as a bar gets

Most draw_head(const std::vector<const SectionView*>& sections, const Columns& columns) {
  Most most = {};
  const ImVec2 at = ImGui::GetCursorScreenPos();
  for (size_t i = 0; i < std::size(kFigures); ++i) {
    const float left = at.x + columns.left(i);
    ui::draw_text_in(*ImGui::GetWindowDrawList(),
                     {{left, at.y}, {left + columns.each - px(6), at.y + columns.line}}, ui::colours().dim,
                     columns.wide ? kFigures[i].title : kFigures[i].short_title, Type::kLabel, false);
    for (const SectionView* section : sections)
      most[i] = std::max(most[i], number_in(*section, kFigures[i].key).value_or(0));
  }
  ImGui::Dummy({columns.width, columns.line + px(2)});
  return most;
}

// True where it was clicked.
bool draw_row(const SectionView& section, const Columns& columns, const Most& most, bool shown, bool quiet) {
  const ImVec2 at = ImGui::GetCursorScreenPos();
  ImGui::PushID(section.name().c_str());
  const bool clicked = ImGui::InvisibleButton("row", {columns.width, columns.row()});
  ui::mark("memory." + section.name());
  if (shown || ImGui::IsItemHovered())
    ImGui::GetWindowDrawList()->AddRectFilled(at, {at.x + columns.width, at.y + columns.row() - px(2)},
                                              ui::colours().raised, px(3));
  ImGui::PopID();
  draw_name(section, at, columns, shown);
  for (size_t i = 0; i < std::size(kFigures); ++i) {
    const float left = at.x + columns.left(i);
    cell(section, kFigures[i], {{left, at.y + px(1)}, {left + columns.each, at.y + columns.row()}}, most[i],
         quiet && kFigures[i].bytes);
  }
  return clicked;
}

}  // namespace

void Memory::rows(View& view, float width) {
  std::vector<const SectionView*> sections;
  for (const char* name : kOrder) {
    const SectionView* section = view.trace.find(name);
    if (section != nullptr) sections.push_back(section);
  }
  if (sections.empty())
    return ui::paragraph(
        view.running ? tr("Act 3 is still to come.") : tr("Act 3 is not in this run: set act to 3."),
        ui::colours().dim);
  const bool quiet = asks(view, "gathered_bytes");
  const Columns columns(width);
  const Most most = draw_head(sections, columns);
  ImGui::PushStyleVar(ImGuiStyleVar_ItemSpacing, ImVec2(0, 0));
  for (const SectionView* section : sections) {
    const bool shown = view.section != nullptr && section->name() == view.section->name();
    if (draw_row(*section, columns, most, shown, quiet)) view.wishes.watch = section->name();
  }
  ImGui::PopStyleVar();
}

// What the names of the rows mean: what forward returns beside loss and logits.
void Memory::versions(const View& view, bool wide) const {
  if (view.trace.find("original") == nullptr) return;
  const ui::FontScope font(Type::kLabel);
  const std::string lines[] = {tr("original: forward returns the hidden states of all layers, always."),
                               tr("V1: it returns them while the inner model's flag says training."),
                               tr("V2: it returns them while both flags say training."),
                               tr("V3: it never returns them.")};
  ImGui::PushStyleColor(ImGuiCol_Text, ui::colours().dim);
  if (ImGui::BeginTable("versions", wide ? 2 : 1, ImGuiTableFlags_SizingStretchSame)) {
    for (const std::string& line : lines) {
      ImGui::TableNextColumn();
      ImGui::TextUnformatted(line.c_str());
    }
    ImGui::EndTable();
  }
  ImGui::PushTextWrapPos(ImGui::GetCursorPosX() + ImGui::GetContentRegionAvail().x);
  ImGui::TextUnformatted(
      tr("flags: train() and eval() set one in the wrapper and one in the inner model. They "
         "disagree where only the wrapper's is set.")
          .c_str());
  ImGui::PopTextWrapPos();
  ImGui::PopStyleColor();
  ui::mark("memory.versions");
}

void Memory::curve(View& view, ImVec2 size) {
  if (view.section == nullptr || view.memory == nullptr || kind_of(*view.section) != "outputs") return;
  const SectionView* original = view.trace.find("original");
  if (view.run != original_of_) original_ = {};
  original_of_ = view.run;
  if (original != nullptr) original_.update(*original);
  const auto now = curve_of(*view.memory, *view.section);
  const auto before = original == nullptr || original->name() == view.section->name()
                          ? std::vector<ui::Point>{}
                          : curve_of(original_, *original);
  std::vector<ui::Series> series = {
      {view.section->name(), ui::colours().activations, ui::Stroke::kMeasured, now}};
  if (!before.empty()) series.push_back({"original", ui::colours().dim, ui::Stroke::kPinned, before});
  ui::LinePlot::Options options;
  options.x_unit = ui::Unit::seconds();
  options.y_unit = ui::Unit::bytes();
  options.x_name = "time";
  options.y_name = "memory of rank 0";
  options.can_log_y = false;
  const TimeRange range = time_range(*view.section);
  options.cursor = static_cast<double>(view.playhead.time_ns - range.first) * 1e-9;
  const auto drawn = plot_.draw("memory.curve", size, series, options);
  if (!drawn.dragged) return;
  view.playhead.follow = view.playhead.playing = false;
  view.playhead.time_ns = range.first + static_cast<int64_t>(*drawn.dragged * 1e9);
}

std::string Memory::sentence(const View& view) const {
  if (view.section == nullptr || kind_of(*view.section) != "outputs")
    return tr(
        "Trainings without a fault: what each version keeps at its peak, and what its evaluation gathers.");
  const std::string title = attribute(*view.section, kTitle), words = returned_words(*view.section);
  return title.empty() || words.empty() ? "" : tr("{}: {}.", title, words);
}

void Memory::draw(View& view, ImVec2 size) {
  const bool with_curve = view.section != nullptr && view.memory != nullptr &&
                          kind_of(*view.section) == "outputs" && size.y >= px(260);
  const float curve_height = with_curve ? std::clamp(size.y * 0.36f, px(120), px(260)) : 0;
  const float bar = ImGui::GetStyle().ScrollbarSize + px(4);
  ImGui::SetNextWindowContentSize({size.x - bar, 0});
  ImGui::BeginChild("memory", {size.x, size.y - curve_height - (with_curve ? px(6) : 0)});
  const bool wide = size.x > px(860);
  if (wide) versions(view, wide);
  rows(view, size.x - bar);
  if (!wide) versions(view, wide);
  ImGui::EndChild();
  if (with_curve) curve(view, {size.x, curve_height});
}

}  // namespace ringside::nccl_panel
