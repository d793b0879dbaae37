#include "ringside/widgets/table.h"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "ringside/base/units.h"
#include "ringside/widgets/draw.h"
#include "ringside/widgets/items.h"
#include "ringside/widgets/keys.h"

namespace ringside::ui {
namespace {

constexpr float kLeastColumn = 88;     // points; narrower, two letters and dots are left of a word
constexpr size_t kMeasuredRows = 256;  // the widths are those of the first rows

std::string title_of(const Table::Column& c) {
  return c.unit.empty() ? c.title : c.title + " (" + c.unit + ")";
}

// What separates columns and rows must not stand in a cell.
void append(std::string& out, std::string_view text) {
  for (const char c : text) out += c == '\t' || c == '\n' || c == '\r' ? ' ' : c;
}

// The widest give first, until the sum fits; none below its least.
std::vector<float> shrink(std::vector<float> widths, float room, const std::vector<float>& least) {
  float sum = std::accumulate(widths.begin(), widths.end(), 0.0f);
  for (float step = px(8); sum > room;) {
    size_t widest = widths.size();
    for (size_t c = 0; c < widths.size(); ++c) {
      if (widths[c] > least[c] && (widest == widths.size() || widths[c] > widths[widest])) widest = c;
    }
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

}  // namespace

struct Table::Frame {
  std::string id;
  ImVec2 origin, size;
  const std::vector<Column>& columns;
  const Rows& rows;
  std::vector<float> widths{};
  Drawn drawn{};
  bool copy = false;
};

Table::Drawn Table::draw(std::string_view id, ImVec2 size, const std::vector<Column>& columns,
                         const Rows& rows) {
  Frame f{std::string(id),
          ImGui::GetCursorScreenPos(),
          {std::max(size.x, 1.0f), std::max(size.y, 1.0f)},
          columns,
          rows};
  const FontScope scope(Type::kLabel);
  ImGui::PushID(f.id.c_str());
  order(columns, rows);
  top_row(f);
  const float top = ImGui::GetCursorScreenPos().y - f.origin.y;
  if (!columns.empty() && size.y - top > line_height()) {
    measure(f);
    ImGuiTableFlags flags = ImGuiTableFlags_ScrollY | ImGuiTableFlags_NoSavedSettings |
                            ImGuiTableFlags_SizingFixedFit | ImGuiTableFlags_BordersInnerH |
                            ImGuiTableFlags_PadOuterX;
    float sum = 0;
    for (const float w : f.widths) sum += w + 2 * ImGui::GetStyle().CellPadding.x;
    if (sum + ImGui::GetStyle().ScrollbarSize > f.size.x) flags |= ImGuiTableFlags_ScrollX;
    if (ImGui::BeginTable("rows", static_cast<int>(std::min<size_t>(columns.size(), 64)), flags,
                          {f.size.x, f.size.y - top})) {
      header(f);
      body(f);
      ImGui::EndTable();
    }
  }
  mark(f.id, f.origin, {f.origin.x + f.size.x, f.origin.y + f.size.y});
  const bool over = ImGui::IsWindowHovered(ImGuiHoveredFlags_ChildWindows) &&
                    ImGui::IsMouseHoveringRect(f.origin, {f.origin.x + f.size.x, f.origin.y + f.size.y});
  if (f.copy || (over && !ImGui::GetIO().WantTextInput && pressed({ui::Key::kC, true})))
    ImGui::SetClipboardText(tab_separated(columns, rows).c_str());
  ImGui::PopID();
  ImGui::SetCursorScreenPos(f.origin);
  ImGui::Dummy(f.size);
  return f.drawn;
}

std::string Table::tab_separated(const std::vector<Column>& columns, const Rows& rows) {
  order(columns, rows);
  std::string out;
  for (size_t c = 0; c < columns.size(); ++c) {
    if (c > 0) out += '\t';
    append(out, title_of(columns[c]));
  }
  out += '\n';
  for (size_t i = 0; i < rows.count; ++i) {
    for (size_t c = 0; c < columns.size(); ++c) {
      if (c > 0) out += '\t';
      append(out, rows.cell(row_at(i), c).text);
    }
    out += '\n';
  }
  return out;
}

// Each cell of the column is read once; equal ones keep their order, also when it is reversed.
void Table::order(const std::vector<Column>& columns, const Rows& rows) {
  if (sorted_by >= static_cast<int>(columns.size())) sorted_by = -1;
  const Key now{rows.count, columns.size(), rows.version, sorted_by, descending, 0};
  if (now == ordered_) return;
  ordered_ = now;
  order_.clear();
  if (sorted_by < 0) return;
  const auto column = static_cast<size_t>(sorted_by);
  std::vector<Cell> cells;
  cells.reserve(rows.count);
  for (size_t i = 0; i < rows.count; ++i) cells.push_back(rows.cell(i, column));
  order_.resize(rows.count);
  std::iota(order_.begin(), order_.end(), 0u);
  const bool numeric = columns[column].number, down = descending;
  std::ranges::stable_sort(order_, [&](uint32_t a, uint32_t b) {
    const Cell &x = cells[a], &y = cells[b];
    if (!numeric) return down ? y.text < x.text : x.text < y.text;
    if (std::isnan(x.number) || std::isnan(y.number)) return !std::isnan(x.number) && std::isnan(y.number);
    return down ? y.number < x.number : x.number < y.number;
  });
}

void Table::measure(Frame& f) {
  const Key now{f.rows.count, f.columns.size(), f.rows.version, -1, false, look().scale};
  if (now != measured_ || natural_.size() != f.columns.size()) {
    measured_ = now;
    natural_.assign(f.columns.size(), 0);
    least_.assign(f.columns.size(), px(kLeastColumn));
    for (size_t c = 0; c < f.columns.size(); ++c) {
      float widest = 0;
      for (size_t i = 0; i < std::min(f.rows.count, kMeasuredRows); ++i)
        widest = std::max(widest, text_width(f.rows.cell(i, c).text));
      natural_[c] = std::max(widest, text_width(title_of(f.columns[c]) + " ▲"));
      natural_[c] = std::ceil(natural_[c]) + 1;
      if (f.columns[c].number) least_[c] = std::max(least_[c], std::ceil(widest) + 1);  // a cut number lies
      least_[c] = std::min(least_[c], natural_[c]);
    }
  }
  const ImGuiStyle& style = ImGui::GetStyle();
  const float padding = 2 * style.CellPadding.x * static_cast<float>(f.columns.size());
  f.widths = shrink(natural_, f.size.x - padding - style.ScrollbarSize, least_);
}

void Table::top_row(Frame& f) {
  const std::string count =
      format_count(static_cast<int64_t>(f.rows.count)) + (f.rows.count == 1 ? " row" : " rows");
  const float width = text_width("copy") + 2 * ImGui::GetStyle().FramePadding.x;
  const float height = ImGui::GetFrameHeight();
  if (f.size.y < 3 * height) return;
  draw_label(*ImGui::GetWindowDrawList(),
             {f.origin, {f.origin.x + std::max(0.0f, f.size.x - width - px(8)), f.origin.y + height}},
             colours().dim, count);
  ImGui::SetCursorScreenPos({f.origin.x + std::max(0.0f, f.size.x - width), f.origin.y});
  f.copy = button("copy", f.id + ".copy", false, f.rows.count > 0, "The table, for a spreadsheet (Ctrl+C)");
  ImGui::SetCursorScreenPos({f.origin.x, f.origin.y + height + px(4)});
}

void Table::header(Frame& f) {
  const float height = line_height() + px(4);
  ImGui::TableSetupScrollFreeze(0, 1);
  for (size_t c = 0; c < f.widths.size(); ++c)
    ImGui::TableSetupColumn(f.columns[c].title.c_str(), ImGuiTableColumnFlags_WidthFixed, f.widths[c]);
  ImGui::TableNextRow(ImGuiTableRowFlags_Headers);
  for (size_t c = 0; c < f.widths.size(); ++c) {
    if (!ImGui::TableSetColumnIndex(static_cast<int>(c))) continue;
    ImGui::PushID(static_cast<int>(c));
    const ImVec2 at = ImGui::GetCursorScreenPos();
    const bool clicked = ImGui::InvisibleButton("title", {f.widths[c], height});
    ImGui::PopID();
    const bool lit = item_lit(), by_this = sorted_by == static_cast<int>(c);
    mark(f.id + ".header." + f.columns[c].title);
    tooltip(title_of(f.columns[c]) + (by_this ? ": click to reverse" : ": click to sort"));
    const std::string arrow = by_this ? (descending ? " ▼" : " ▲") : "";
    const float width = seen(f.widths[c]), room = width - text_width(arrow);
    const std::string text = elide(title_of(f.columns[c]), room) + arrow;
    const float shift = f.columns[c].number ? f.widths[c] - text_width(text) : 0;
    draw_text(*ImGui::GetWindowDrawList(), {at.x + shift, at.y + px(2)},
              by_this || lit ? colours().text : colours().dim, text);
    if (!clicked) continue;
    descending = by_this && !descending;
    sorted_by = static_cast<int>(c);
  }
  order(f.columns, f.rows);
}

void Table::body(Frame& f) {
  ImGuiListClipper clipper;
  clipper.Begin(static_cast<int>(std::min<size_t>(f.rows.count, 1u << 30)));
  while (clipper.Step()) {
    for (int i = clipper.DisplayStart; i < clipper.DisplayEnd; ++i) {
      const size_t row = row_at(static_cast<size_t>(i));
      ImGui::TableNextRow();
      ImGui::TableSetColumnIndex(0);
      ImGui::PushID(static_cast<int>(row));
      if (ImGui::Selectable("##row", false, ImGuiSelectableFlags_SpanAllColumns, {0, line_height()}))
        f.drawn.clicked = static_cast<int64_t>(row);
      ImGui::PopID();
      if (ImGui::IsItemHovered()) f.drawn.hovered = static_cast<int64_t>(row);
      if (f.rows.highlighted && f.rows.highlighted(row))
        ImGui::TableSetBgColor(ImGuiTableBgTarget_RowBg0, fade(colours().accent, 0.6f));
      for (size_t c = 0; c < f.widths.size(); ++c) {
        if (c == 0) ImGui::SameLine(0, 0);
        if (c == 0 || ImGui::TableSetColumnIndex(static_cast<int>(c))) cell(f, row, c, f.widths[c]);
      }
    }
  }
}

void Table::cell(Frame& f, size_t row, size_t column, float width) {
  const Cell cell = f.rows.cell(row, column);
  const std::string text = elide(cell.text, seen(width));
  const ImVec2 at = ImGui::GetCursorScreenPos();
  const float shift = f.columns[column].number ? seen(width) - text_width(text) : 0;
  draw_text(*ImGui::GetWindowDrawList(), {at.x + shift, at.y}, colours().text, text);
  ImGui::Dummy({width, line_height()});
  if (text != cell.text) tooltip(cell.text);
}

}  // namespace ringside::ui
