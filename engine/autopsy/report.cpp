// A diagnosis as text, JSON and Markdown.
#include <algorithm>
#include <set>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "ringside/autopsy/diagnosis.h"
#include "ringside/base/text.h"
#include "ringside/flight/words.h"

namespace ringside {
namespace {

using Ordered = nlohmann::ordered_json;

constexpr size_t kIndent = 14;
constexpr size_t kMostEvidence = 4, kMostCarries = 8;
constexpr size_t kEvidenceColumns = 200;

struct Page {
  size_t columns;
  std::set<std::string> told{};  // evidence that stands on it already
};

std::string entry(const Page& page, std::string_view heading, const std::string& text) {
  return pad(heading, kIndent) + wrap(text, page.columns, kIndent) + "\n";
}

std::string evidence_text(Page& page, const std::vector<Evidence>& all) {
  std::string text;
  for (size_t i = 0; i < std::min(all.size(), kMostEvidence); ++i) {
    const bool again = !page.told.insert(all[i].place + all[i].text).second;
    const std::string words =
        all[i].place + (again ? ", as above" : ": " + as_typed(all[i].text, kEvidenceColumns));
    text += std::string(kIndent, ' ') + "│ " + wrap(words, page.columns, kIndent + 2) + "\n";
  }
  return text;
}

std::string sure_words(const Finding& finding) { return fmt::format(" [{}]", to_string(finding.sure)); }

std::string findings_text(Page& page, std::string_view heading, const std::vector<Finding>& all,
                          size_t most) {
  std::string text;
  for (size_t i = 0; i < std::min(all.size(), most); ++i)
    text += entry(page, i == 0 ? heading : "", all[i].sentence + sure_words(all[i])) +
            evidence_text(page, all[i].evidence);
  if (all.size() > most)
    text += entry(page, "", fmt::format("and {} more; --json has them", all.size() - most));
  return text;
}

std::string lines_text(const Page& page, std::string_view heading, const std::vector<std::string>& lines) {
  std::string text;
  for (size_t i = 0; i < lines.size(); ++i) text += entry(page, i == 0 ? heading : "", lines[i]);
  return text;
}

std::string first_heading(const Diagnosis& diagnosis) {
  return diagnosis.first.size() > 1 ? "one of these" : "first";
}

Ordered findings_json(const std::vector<Finding>& all) {
  Ordered json = Ordered::array();
  for (const Finding& finding : all) {
    Ordered evidence = Ordered::array();
    for (const Evidence& one : finding.evidence)
      evidence.push_back({{"place", one.place}, {"text", one.text}});
    json.push_back({{"cause", to_string(finding.cause)},
                    {"sure", to_string(finding.sure)},
                    {"ranks", finding.ranks},
                    {"sentence", finding.sentence},
                    {"evidence", evidence}});
  }
  return json;
}

std::string markdown_of(std::string_view heading, const std::vector<Finding>& all) {
  std::string text;
  if (!all.empty()) text += fmt::format("\n**{}**\n\n", heading);
  for (const Finding& finding : all) {
    text += fmt::format("- {} ({})\n", finding.sentence, to_string(finding.sure));
    for (size_t i = 0; i < std::min(finding.evidence.size(), kMostEvidence); ++i)
      text += fmt::format("  - `{}`: `{}`\n", finding.evidence[i].place, finding.evidence[i].text);
  }
  return text;
}

std::string markdown_of(std::string_view heading, const std::vector<std::string>& lines) {
  std::string text;
  if (!lines.empty()) text += fmt::format("\n**{}**\n\n", heading);
  for (const std::string& line : lines) text += "- " + line + "\n";
  return text;
}

}  // namespace

std::string diagnosis_headline(const Diagnosis& diagnosis) {
  std::string text = diagnosis.lines == 1 ? "1 line" : fmt::format("{} lines", diagnosis.lines);
  if (diagnosis.ranks > 0)
    text += fmt::format(", {} {} named", diagnosis.ranks, diagnosis.ranks == 1 ? "rank" : "ranks");
  if (diagnosis.dumps > 0) text += fmt::format(", {} dumps of flight recorders", diagnosis.dumps);
  if (!diagnosis.torch.empty()) text += ", PyTorch " + diagnosis.torch;
  return text;
}

std::string diagnosis_text(const Diagnosis& diagnosis, size_t columns) {
  Page page{.columns = columns};
  std::string text = diagnosis_headline(diagnosis) + "\n\n";
  text += findings_text(page, first_heading(diagnosis), diagnosis.first, SIZE_MAX);
  text += findings_text(page, "waits", diagnosis.waits, kMostCarries);
  text += findings_text(page, "carries", diagnosis.carries, kMostCarries);
  text +=
      lines_text(page, "to settle", diagnosis.settle) + lines_text(page, "try first", diagnosis.try_first);
  return text + lines_text(page, "no help", diagnosis.no_help) +
         lines_text(page, "not read", diagnosis.not_read);
}

std::string diagnosis_json(const Diagnosis& diagnosis) {
  const Ordered json = {{"schema", 1},  // assets/schema/autopsy.schema.json
                        {"lines", diagnosis.lines},
                        {"ranks", diagnosis.ranks},
                        {"dumps", diagnosis.dumps},
                        {"torch", diagnosis.torch},
                        {"first", findings_json(diagnosis.first)},
                        {"waits", findings_json(diagnosis.waits)},
                        {"carries", findings_json(diagnosis.carries)},
                        {"settle", diagnosis.settle},
                        {"try_first", diagnosis.try_first},
                        {"no_help", diagnosis.no_help},
                        {"not_read", diagnosis.not_read}};
  return json.dump(2, ' ', false, Ordered::error_handler_t::replace) + "\n";
}

std::string diagnosis_markdown(const Diagnosis& diagnosis) {
  return fmt::format("{}\n", diagnosis_headline(diagnosis)) +
         markdown_of(diagnosis.first.size() > 1 ? "What stopped first: one of these" : "What stopped first",
                     diagnosis.first) +
         markdown_of("Who waits", diagnosis.waits) + markdown_of("What the call carries", diagnosis.carries) +
         markdown_of("What would settle it", diagnosis.settle) +
         markdown_of("Try first", diagnosis.try_first) + markdown_of("Will not help", diagnosis.no_help) +
         markdown_of("Not read", diagnosis.not_read);
}

}  // namespace ringside
