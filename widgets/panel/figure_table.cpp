// A table that sorts and copies, the rows of this instant lit. Only rows that are seen are measured and
// drawn, so that a hundred thousand cost what a screenful costs.
#include <cmath>
#include <numeric>
#include <set>

#include "figure_drawing.h"
#include "ringside/base/units.h"
#include "ringside/figures/text.h"
#include "ringside/widgets/items.h"
#include "ringside/widgets/keys.h"

namespace ringside {
namespace {

using figure::TableCell;
using figure::TableColumn;
using ui::px;

constexpr float kLeastColumn = 88;     // points; narrower, two letters and dots are left of a word
constexpr size_t kMeasuredRows = 256;  // the widths are those of the first rows

std::string title_of(const TableColumn& column) {
  return column.unit.empty() ? column.title : column.title + " (" + column.unit + ")";
}

// The widest give first, until the sum fits; none below its least.
std::vector<float> shrink(std::vector<float> widths, float room, const std::vector<float>& least) {
  float sum = std::accumulate(widths.begin(), widths.end(), 0.0f);
  for (float step = px(8); sum > room;) {
    size_t widest = widths.size();
    for (size_t c = 0; c < widths.size(); ++c)
      if (widths[c] > least[c] && (widest == widths.size() || widths[c] > widths[widest])) widest = c;
    if (widest == widths.size()) break;
    const float less = std::min({step, widths[widest] - least[widest], std::max(1.0f, sum - room)});
    widths[widest] -= less;
    sum -= less;
  }
  for (float& w : widths) w = std::floor(w);
  return widths;
}

// Of a cell that the edge of a scrolled table cuts, the part that is seen.
float seen(float width) {
  const float room = ImGui::GetWindowDrawList()->GetClipRectMax().x - ImGui::GetCursorScreenPos().x;
  return std::clamp(room, 0.0f, width);
}

// Marks "ID.copy" and "ID.header.TITLE".
class TableDrawing : public FigureDrawing {
 public:
  void draw(FigureFrame& frame) override {
    table_ = &std::get<figure::Table>(frame.value);
    id_ = frame.id;
    hovered_.reset();
    const ImVec2 origin = ImGui::GetCursorScreenPos();
    const ImVec2 end(origin.x + frame.size.x, origin.y + frame.size.y);
    const ui::FontScope scope(ui::Type::kLabel);
    ImGui::PushID(id_.c_str());
    order(frame.version);
    if (frame.focus) ui::focus_next_item();
    bool copy = top_row(origin, frame.size);
    const float top = ImGui::GetCursorScreenPos().y - origin.y;
    if (!table_->columns.empty() && frame.size.y - top > ui::line_height())
      grid({frame.size.x, frame.size.y - top}, frame.version);
    ui::mark(id_, origin, end);
    const bool over = ImGui::IsWindowHovered(ImGuiHoveredFlags_ChildWindows) &&
                      ImGui::IsMouseHoveringRect(origin, end) && !ImGui::GetIO().WantTextInput;
    copy = copy || (over && ui::pressed({ui::Key::kC, true}));
    if (copy) ImGui::SetClipboardText(tab_separated().c_str());
    ImGui::PopID();
    frame.drawn.hovered = hovered_.has_value();
    frame.state["rows"] = std::to_string(table_->rows.size());
    frame.state["columns"] = std::to_string(table_->columns.size());
    if (hovered_) frame.state["hovered"] = std::to_string(*hovered_);
    if (sorted_by_) frame.state["sorted"] = table_->columns[*sorted_by_].title;
  }

 private:
  struct Key {
    size_t rows = 0, columns = 0;
    uint64_t version = 0;
    std::optional<size_t> sorted_by = {};
    bool descending = false;
    float scale = 0;
    bool operator==(const Key&) const = default;
  };

  const TableCell& cell_of(size_t row, size_t column) const {
    static const TableCell kNone;
    const auto& cells = table_->rows[row];
    return column < cells.size() ? cells[column] : kNone;
  }

  std::string text_at(size_t row, size_t column) const {
    return figure::text_of(cell_of(row, column), table_->columns[column]);
  }

  // As it is sorted: titles, then rows, separated by tabs.
  std::string tab_separated() const {
    std::string out;
    // What separates columns and rows must not stand in a cell.
    const auto append = [&](size_t column, std::string_view text) {
      if (column > 0) out += '\t';
      for (const char c : text) out += c == '\t' || c == '\n' || c == '\r' ? ' ' : c;
    };
    for (size_t c = 0; c < table_->columns.size(); ++c) append(c, title_of(table_->columns[c]));
    out += '\n';
    for (const size_t row : order_) {
      for (size_t c = 0; c < table_->columns.size(); ++c) append(c, text_at(row, c));
      out += '\n';
    }
    return out;
  }

  // Equal rows keep their order, also when it is reversed; a cell without a number stays last.
  void order(uint64_t version) {
    if (sorted_by_ && *sorted_by_ >= table_->columns.size()) sorted_by_.reset();
    const Key now{table_->rows.size(), table_->columns.size(), version, sorted_by_, descending_};
    if (now == ordered_) return;
    ordered_ = now;
    order_.resize(table_->rows.size());
    std::iota(order_.begin(), order_.end(), size_t{0});
    if (!sorted_by_) return;
    const bool numeric = table_->columns[*sorted_by_].number, down = descending_;
    std::ranges::stable_sort(order_, [&](size_t a, size_t b) {
      const TableCell &x = cell_of(a, *sorted_by_), &y = cell_of(b, *sorted_by_);
      if (!numeric) return down ? y.text < x.text : x.text < y.text;
      if (std::isnan(x.number) || std::isnan(y.number)) return !std::isnan(x.number) && std::isnan(y.number);
      return down ? y.number < x.number : x.number < y.number;
    });
  }

  void measure(float width, uint64_t version) {
    const size_t count = table_->columns.size();
    const Key now{table_->rows.size(), count, version, {}, false, ui::look().scale};
    if (now != measured_) {
      measured_ = now;
      natural_.assign(count, 0);
      least_.assign(count, px(kLeastColumn));
      for (size_t c = 0; c < count; ++c) {
        float widest = 0;
        for (size_t row = 0; row < std::min(table_->rows.size(), kMeasuredRows); ++row)
          widest = std::max(widest, ui::text_width(text_at(row, c)));
        natural_[c] = std::ceil(std::max(widest, ui::text_width(title_of(table_->columns[c]) + " ▲"))) + 1;
        if (table_->columns[c].number)
          least_[c] = std::max(least_[c], std::ceil(widest) + 1);  // a cut number lies
        least_[c] = std::min(least_[c], natural_[c]);
      }
    }
    const ImGuiStyle& style = ImGui::GetStyle();
    const float padding = 2 * style.CellPadding.x * float(count);
    widths_ = shrink(natural_, width - padding - style.ScrollbarSize, least_);
  }

  // How many rows there are, and the button that copies them: true where it was pressed.
  bool top_row(ImVec2 origin, ImVec2 size) const {
    const size_t rows = table_->rows.size();
    const std::string count = format_count(int64_t(rows)) + (rows == 1 ? " row" : " rows");
    const float width = ui::text_width("copy") + 2 * ImGui::GetStyle().FramePadding.x;
    const float height = ImGui::GetFrameHeight();
    if (size.y < 3 * height) return false;
    const float left = origin.x + std::max(0.0f, size.x - width);
    ui::draw_label(*ImGui::GetWindowDrawList(), {origin, {left - px(8), origin.y + height}},
                   ui::colours().dim, count);
    ImGui::SetCursorScreenPos({left, origin.y});
    const bool copy =
        ui::button("copy", id_ + ".copy", false, rows > 0, "The table, for a spreadsheet (Ctrl+C)");
    ImGui::SetCursorScreenPos({origin.x, origin.y + height + px(4)});
    return copy;
  }

  void grid(ImVec2 size, uint64_t version) {
    measure(size.x, version);
    ImGuiTableFlags flags = ImGuiTableFlags_ScrollY | ImGuiTableFlags_NoSavedSettings |
                            ImGuiTableFlags_SizingFixedFit | ImGuiTableFlags_BordersInnerH |
                            ImGuiTableFlags_PadOuterX;
    float sum = ImGui::GetStyle().ScrollbarSize;
    for (const float w : widths_) sum += w + 2 * ImGui::GetStyle().CellPadding.x;
    if (sum > size.x) flags |= ImGuiTableFlags_ScrollX;
    const int count = int(std::min<size_t>(table_->columns.size(), 64));
    if (!ImGui::BeginTable("rows", count, flags, size)) return;
    header(version);
    body();
    ImGui::EndTable();
  }

  void header(uint64_t version) {
    ImGui::TableSetupScrollFreeze(0, 1);
    for (size_t c = 0; c < widths_.size(); ++c)
      ImGui::TableSetupColumn(table_->columns[c].title.c_str(), ImGuiTableColumnFlags_WidthFixed, widths_[c]);
    ImGui::TableNextRow(ImGuiTableRowFlags_Headers);
    for (size_t c = 0; c < widths_.size(); ++c) {
      if (!ImGui::TableSetColumnIndex(int(c))) continue;
      const std::string title = title_of(table_->columns[c]);
      const ImVec2 at = ImGui::GetCursorScreenPos();
      const bool clicked = ui::touch(id_ + ".header." + table_->columns[c].title,
                                     {at, {at.x + widths_[c], at.y + ui::line_height() + px(4)}});
      const bool lit = ui::item_lit(), by_this = sorted_by_ == c;
      ui::tooltip(title + (by_this ? ": click to reverse" : ": click to sort"));
      const std::string arrow = by_this ? (descending_ ? " ▼" : " ▲") : "";
      const std::string text = ui::elide(title, seen(widths_[c]) - ui::text_width(arrow)) + arrow;
      const float shift = table_->columns[c].number ? widths_[c] - ui::text_width(text) : 0;
      ui::draw_text(*ImGui::GetWindowDrawList(), {at.x + shift, at.y + px(2)},
                    by_this || lit ? ui::colours().text : ui::colours().dim, text);
      if (!clicked) continue;
      descending_ = by_this && !descending_;
      sorted_by_ = c;
    }
    order(version);
  }

  void body() {
    const std::set<size_t> lit(table_->lit.begin(), table_->lit.end());
    ImGuiListClipper clipper;
    clipper.Begin(int(std::min<size_t>(order_.size(), 1u << 30)));
    while (clipper.Step()) {
      for (int i = clipper.DisplayStart; i < clipper.DisplayEnd; ++i) {
        const size_t row = order_[size_t(i)];
        ImGui::TableNextRow();
        ImGui::TableSetColumnIndex(0);
        ImGui::PushID(int(row));
        ImGui::Selectable("##row", false, ImGuiSelectableFlags_SpanAllColumns, {0, ui::line_height()});
        ImGui::PopID();
        if (ImGui::IsItemHovered()) hovered_ = row;
        if (lit.contains(row))
          ImGui::TableSetBgColor(ImGuiTableBgTarget_RowBg0, ui::fade(ui::colours().accent, 0.6f));
        for (size_t c = 0; c < widths_.size(); ++c) {
          if (c == 0) ImGui::SameLine(0, 0);
          if (c == 0 || ImGui::TableSetColumnIndex(int(c))) draw_cell(row, c);
        }
      }
    }
  }

  void draw_cell(size_t row, size_t column) const {
    const std::string whole = text_at(row, column);
    const float width = seen(widths_[column]);
    const std::string text = ui::elide(whole, width);
    const ImVec2 at = ImGui::GetCursorScreenPos();
    const float shift = table_->columns[column].number ? width - ui::text_width(text) : 0;
    ui::draw_text(*ImGui::GetWindowDrawList(), {at.x + shift, at.y}, ui::colours().text, text);
    ImGui::Dummy({widths_[column], ui::line_height()});
    if (text != whole) ui::tooltip(whole);
  }

  std::optional<size_t> sorted_by_;  // a column; none: as the figure has them
  bool descending_ = false;
  Key ordered_, measured_;
  std::vector<size_t> order_;
  std::vector<float> natural_, least_;  // widths that nothing is cut in; that no column goes below
  // Of this frame.
  const figure::Table* table_ = nullptr;
  std::string id_;
  std::vector<float> widths_;
  std::optional<size_t> hovered_;
};

}  // namespace

std::unique_ptr<FigureDrawing> table_drawing() { return std::make_unique<TableDrawing>(); }

}  // namespace ringside
