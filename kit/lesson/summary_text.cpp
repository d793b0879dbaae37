#include "ringside/lesson/summary_text.h"

#include <algorithm>
#include <set>
#include <sstream>

#include "ringside/base/text.h"
#include "ringside/lesson/claim_forms.h"
#include "ringside/lesson/tr.h"

namespace ringside::inline kit {
namespace {

constexpr size_t kLinesOfEvidence = 2;  // where the page is bounded
constexpr const char* kLegend = "In brackets: who says so. The command list --questions has [B3] and the others.";

struct Mark {
  const char* colour;
  std::string text;
  int place;  // among the claims
};

Mark mark_of(const ClaimRow& claim) {
  switch (claim.verdict) {
    case Verdict::kFails: return {"31", tr("✗ fails"), 0};
    case Verdict::kPartly: return {"33", tr("◐ partly"), 1};
    case Verdict::kHolds: return {"32", tr("✓ holds"), 2};
    case Verdict::kNotTestable: break;
  }
  return {"0", tr("? open"), 3};
}

// What is open is said in words.
std::string evidence_of(const ClaimRow& claim) {
  const bool open = claim.verdict == Verdict::kNotTestable && !not_told_apart(claim);
  return (open ? tr("not testable: ") : "") + printable(claim.evidence);
}

size_t lines_in(const std::string& text) { return size_t(std::ranges::count(text, '\n')); }

std::vector<std::string> lines_of(const std::string& text) {
  std::vector<std::string> lines;
  std::istringstream in(text);
  for (std::string line; std::getline(in, line);) lines.push_back(line);
  return lines;
}

std::string joined(const std::vector<std::string>& lines, size_t most, const std::string& end) {
  std::string text;
  for (size_t i = 0; i < std::min(most, lines.size()); ++i) text += (i == 0 ? "" : "\n") + lines[i];
  return most < lines.size() ? text + end : text;
}

// "3 more ✓, 2 more ?"
std::string counted(const std::vector<ClaimRow>& rows, size_t from) {
  constexpr const char* kSigns[] = {"✗", "◐", "✓", "?"};
  size_t counts[4] = {};
  for (size_t i = from; i < rows.size(); ++i) ++counts[mark_of(rows[i]).place];
  std::string text;
  for (size_t place = 0; place < 4; ++place)
    if (counts[place] > 0)
      text += (text.empty() ? "" : ", ") + tr("{} more {}", counts[place], kSigns[place]);
  return text;
}

}  // namespace

SummaryText::SummaryText(int width, bool colour)
    : width_(size_t(std::clamp(width, 40, 100))), colour_(colour) {}

size_t SummaryText::lines() const { return lines_in(text_); }

void SummaryText::line(const std::string& content) {
  text_ += content.substr(0, content.find_last_not_of(' ') + 1) + '\n';
}

void SummaryText::block(const std::string& lines, size_t most) {
  const std::vector<std::string> all = lines_of(lines);
  if (all.size() <= most) return block(lines);
  text_ += joined(all, most - 1, "\n");
  line(tr("… {} more lines: --all", all.size() - (most - 1)));
}

void SummaryText::labelled(const std::string& label, const std::string& content) {
  line(bold(pad(label, kIndent)) + wrap(content, width_, kIndent));
}

void SummaryText::pairs(const std::string& label, const Pairs& rows, size_t most) {
  size_t widest = 0;
  for (const auto& [first, second] : rows)
    if (columns(first) <= most) widest = std::max(widest, columns(first));
  if (widest == 0) widest = 2;
  const size_t indent = kIndent + widest + 2;
  for (size_t i = 0; i < rows.size(); ++i) {
    const auto& [first, second] = rows[i];
    const std::string begin = bold(pad(i == 0 ? label : "", kIndent));
    const bool fits = columns(first) <= widest;
    if (!fits) line(begin + wrap(first, width_, kIndent));
    line((fits ? begin + pad(first, widest + 2) : std::string(indent, ' ')) + wrap(second, width_, indent));
  }
}

void SummaryText::next(const Pairs& steps) {
  size_t commands = 0, words = 0;
  for (const auto& [command, says] : steps) {
    commands = std::max(commands, columns(command));
    words = std::max(words, columns(says));
  }
  if (kIndent + commands + 2 + words <= width_) return pairs(tr("Next"), steps, commands);
  for (size_t i = 0; i < steps.size(); ++i) {
    line(bold(pad(i == 0 ? tr("Next") : "", kIndent)) + steps[i].first);
    line(std::string(kIndent + 2, ' ') + wrap(steps[i].second, width_, kIndent + 2));
  }
}

std::string SummaryText::paint(const char* code, const std::string& content) const {
  return colour_ && !content.empty() ? "\x1b[" + std::string(code) + "m" + content + "\x1b[0m" : content;
}

// Its lines behind the label's columns.
std::string SummaryText::claim(const ClaimRow& row, size_t marks, size_t most_of_evidence) const {
  const Mark mark = mark_of(row);
  const size_t indent = kIndent + marks + 2;
  const std::string says = "\"" + row.statement + "\"" + (row.source.empty() ? "" : " [" + row.source + "]");
  const std::string evidence =
      joined(lines_of(wrap(evidence_of(row), width_ - 1, indent)), most_of_evidence, "…");
  return paint(mark.colour, pad(mark.text, marks + 2)) + wrap(says, width_, indent) + '\n' +
         std::string(indent, ' ') + paint("2", evidence) + '\n';
}

void SummaryText::claims(std::vector<ClaimRow> rows, size_t most, bool bounded) {
  if (rows.empty()) return;
  std::set<std::string> reasons;  // one claim is shown of those that are open for one reason
  std::ranges::stable_sort(
      rows, [](const ClaimRow& a, const ClaimRow& b) { return mark_of(a).place < mark_of(b).place; });
  const auto is_new = [&](const ClaimRow& row) {
    return row.verdict != Verdict::kNotTestable || reasons.insert(row.evidence).second;
  };
  const auto end = bounded ? std::stable_partition(rows.begin(), rows.end(), is_new) : rows.end();
  const auto showable = size_t(end - rows.begin());
  size_t marks = 0;
  for (const ClaimRow& row : rows) marks = std::max(marks, columns(mark_of(row).text));
  const std::string legend = paint("2", wrap(kLegend, width_, kIndent));
  const size_t room = most - std::min(most, lines_in(legend) + 2);  // the legend, and what is counted
  std::string text;
  size_t shown = 0;
  for (; shown < showable; ++shown) {
    const std::string next =
        claim(rows[shown], marks, bounded ? kLinesOfEvidence : rows[shown].evidence.size());
    if (bounded && shown > 0 && lines_in(text) + lines_in(next) > room) break;
    text += (shown == 0 ? bold(pad(tr("Claims"), kIndent)) : std::string(kIndent, ' ')) + next;
  }
  block(text);
  if (shown < rows.size()) labelled("", counted(rows, shown) + ": --all");
  line(std::string(kIndent, ' ') + legend);
}

}  // namespace ringside::inline kit
