#include "ringside/lesson/summary_text.h"

#include <algorithm>

#include "ringside/base/text.h"
#include "ringside/lesson/claim_forms.h"

namespace ringside {
namespace {

struct Mark {
  const char* colour;
  std::string text;
  int place;  // among the claims
};

Mark mark_of(Verdict verdict) {
  switch (verdict) {
    case Verdict::kFails:
      return {"31", "✗ fails", 0};
    case Verdict::kPartly:
      return {"33", "◐ partly", 1};
    case Verdict::kHolds:
      return {"32", "✓ holds", 2};
    case Verdict::kNotTestable:
      break;
  }
  return {"0", "— not testable", 3};
}

Mark mark_of(const ClaimRow& claim) {
  Mark mark = mark_of(claim.verdict);
  if (not_told_apart(claim)) mark.text = "— not told apart";
  return mark;
}

}  // namespace

SummaryText::SummaryText(int width, bool colour, int least)
    : width_(static_cast<size_t>(std::clamp(width, least, 100))), colour_(colour) {}

void SummaryText::line(const std::string& content) {
  text_ += content.substr(0, content.find_last_not_of(' ') + 1) + '\n';
}

void SummaryText::labelled(const std::string& label, const std::string& content) {
  line(bold(pad(label, kIndent)) + wrap(content, width_, kIndent));
}

void SummaryText::paragraph(const std::string& content, size_t indent) {
  line(std::string(indent, ' ') + wrap(content, width_, indent));
}

std::string SummaryText::paint(const char* code, const std::string& content) const {
  return colour_ && !content.empty() ? "\x1b[" + std::string(code) + "m" + content + "\x1b[0m" : content;
}

void SummaryText::title(const std::string& id, const std::string& title, const std::string& means) {
  const size_t used = columns(id) + 3 + columns(title);
  const bool fits = used + 2 + columns(means) <= width_;
  line(bold(id) + "   " + title + (fits && !means.empty() ? pad_left(means, width_ - used) : ""));
}

void SummaryText::claims(std::vector<ClaimRow> rows) {
  std::stable_sort(rows.begin(), rows.end(), [](const ClaimRow& a, const ClaimRow& b) {
    return mark_of(a.verdict).place < mark_of(b.verdict).place;
  });
  size_t widest = 0;
  for (const ClaimRow& claim : rows) widest = std::max(widest, columns(mark_of(claim).text));
  const size_t indent = kIndent + widest + 2;
  for (size_t i = 0; i < rows.size(); ++i) {
    const Mark mark = mark_of(rows[i]);
    line(bold(pad(i == 0 ? "Claims" : "", kIndent)) + paint(mark.colour, pad(mark.text, widest + 2)) +
         wrap("\"" + rows[i].statement + "\"" + (rows[i].source.empty() ? "" : "  [" + rows[i].source + "]"),
              width_, indent));
    line(std::string(indent, ' ') + paint("2", wrap(rows[i].evidence, width_, indent)));
  }
}

void SummaryText::next(const std::vector<std::pair<std::string, std::string>>& steps) {
  size_t widest = 0;
  for (const auto& [command, question] : steps) widest = std::max(widest, columns(command));
  for (size_t i = 0; i < steps.size(); ++i)
    line(bold(pad(i == 0 ? "Next" : "", kIndent)) + pad(steps[i].first, widest + 3) + steps[i].second);
}

}  // namespace ringside
