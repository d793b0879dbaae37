#include "ringside/widgets/markdown.h"

#include <algorithm>
#include <utility>

#include "markdown_page.h"
#include "ringside/widgets/draw.h"

namespace ringside::ui {
namespace {

using Block = MarkdownBlock;

void append_text(std::string& out, const Block& block) {
  for (const TextRun& run : block.runs) out += run.ends_line ? "\n" : run.text;
  out += block.code;
  if (!block.runs.empty()) out += '\n';
  for (const Block& child : block.children) append_text(out, child);
}

}  // namespace

Markdown::Markdown(std::string_view text)
    : document_(std::make_shared<const MarkdownDocument>(parse_markdown(text))) {}

Markdown::Clicked Markdown::draw(float width, std::string_view id) const {
  const MarkdownDocument& d = *document_;
  const ImVec2 origin = ImGui::GetCursorScreenPos();
  width = std::max(width, px(40));
  if (d.heights_width != width || d.heights_scale != look().scale ||
      d.heights.size() != d.root.children.size()) {
    d.heights.assign(d.root.children.size(), -1);
    d.heights_width = width, d.heights_scale = look().scale;
  }
  const float top = ImGui::GetWindowDrawList()->GetClipRectMin().y,
              bottom = ImGui::GetWindowDrawList()->GetClipRectMax().y;
  ImGui::PushID(id.data(), id.data() + id.size());
  Page page(d, id);
  float y = origin.y;
  for (size_t i = 0; i < d.root.children.size(); ++i) {
    const Block& block = d.root.children[i];
    if (i > 0) y += Page::gap_before(block);
    // What can be clicked is always there: the keys reach it also where it is out of sight.
    const bool out_of_sight = y > bottom || y + d.heights[i] < top;
    if (d.heights[i] < 0 || block.clickable || !out_of_sight)
      d.heights[i] = page.block(block, {origin.x, y}, width, colours().text);
    y += d.heights[i];
  }
  ImGui::PopID();
  ImGui::SetCursorScreenPos(origin);
  ImGui::Dummy({width, y - origin.y});
  return std::move(page.clicked);
}

std::vector<std::string> Markdown::runs() const {
  std::vector<std::string> scenarios;
  for (const std::string& link : document_->links)
    if (link.starts_with(kRunLink)) scenarios.push_back(link.substr(kRunLink.size()));
  return scenarios;
}

std::string Markdown::plain_text() const {
  std::string out;
  append_text(out, document_->root);
  return out;
}

}  // namespace ringside::ui
