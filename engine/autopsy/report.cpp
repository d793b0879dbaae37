// A diagnosis as text, JSON and Markdown.
#include <algorithm>
#include <regex>
#include <set>

#include <fmt/format.h>
#include <nlohmann/json.hpp>
#include "clues.h"
#include "ringside/autopsy/diagnosis.h"
#include "ringside/base/text.h"
#include "ringside/base/units.h"

namespace ringside::inline logs {
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

// A diagnosis as one file that a browser opens: no script, nothing from outside.

constexpr const char* kHead =
    "<!doctype html>\n<html lang=\"en\"><head><meta charset=\"utf-8\"><title>Why the job "
    "stopped</title>\n<style>\n"
    "body{font:16px/1.5 system-ui,sans-serif;max-width:60rem;margin:2rem auto;padding:0 "
    "1rem;color:#1a1a1a;background:#fff}\n"
    "h2{font-size:1.1rem;margin:1.6rem 0 .4rem}p{margin:.4rem 0}\n"
    "pre{background:#f3f3f3;padding:.4rem .6rem;margin:.2rem 0 "
    ".6rem;white-space:pre-wrap;overflow-wrap:anywhere;font-size:.85rem}\n"
    ".sure{border:1px solid #767676;border-radius:.3rem;padding:0 "
    ".4rem;font-size:.85rem;white-space:nowrap}\n"
    "@media(prefers-color-scheme:dark){body{color:#eee;background:#1b1b1b}pre{background:#2a2a2a}}\n"
    "</style></head><body>\n<h1>Why the job stopped</h1>\n";

std::string escaped(const std::string& text) { return as_markup(printable(text)); }

std::string section_html(const ReportSection& section) {
  std::string text = fmt::format("<h2>{}</h2>\n", section.heading);
  for (const Finding& finding : section.findings) {
    text += fmt::format("<p>{} <span class=\"sure\">{}</span></p>\n", escaped(finding.sentence),
                        to_string(finding.sure));
    for (const Evidence& one : finding.evidence)
      text += fmt::format("<pre>{}: {}</pre>\n", escaped(one.place), escaped(one.text));
  }
  if (section.lines.empty()) return text;
  text += "<ul>\n";
  for (const std::string& line : section.lines) text += fmt::format("<li>{}</li>\n", escaped(line));
  return text + "</ul>\n";
}

}  // namespace

// nlohmann finds these by their name, for lists too.
static void to_json(Ordered& json, const Evidence& one) { json = {{"place", one.place}, {"text", one.text}}; }

static void to_json(Ordered& json, const Finding& finding) {
  json = {{"cause", to_string(finding.cause)},
          {"sure", to_string(finding.sure)},
          {"ranks", finding.ranks},
          {"sentence", finding.sentence},
          {"evidence", finding.evidence}};
}

std::string diagnosis_headline(const Diagnosis& diagnosis) {
  std::string text = diagnosis.lines == 1 ? "1 line" : format_count(diagnosis.lines) + " lines";
  if (diagnosis.ranks > 0)
    text += fmt::format(", {} {} named", diagnosis.ranks, diagnosis.ranks == 1 ? "rank" : "ranks");
  if (diagnosis.dumps > 0) text += fmt::format(", {} dumps of flight recorders", diagnosis.dumps);
  if (!diagnosis.torch.empty()) text += ", PyTorch " + diagnosis.torch;
  return text;
}

std::vector<ReportSection> report_sections(const Diagnosis& diagnosis) {
  const bool several = diagnosis.first.size() > 1;
  std::vector<ReportSection> sections = {
      {"first", several ? "What stopped first: one of these" : "What stopped first",
       several ? "one of these" : "first", diagnosis.first},
      {"waits", "Who waits", "waits", diagnosis.waits},
      {"carries", "What the call carries", "carries", diagnosis.carries},
      {"job", "The job", "the job", diagnosis.job},
      {"settle", "What would settle it", "to settle", {}, diagnosis.settle},
      {"try_first", "Try first", "try first", {}, diagnosis.try_first},
      {"no_help", "Will not help", "no help", {}, diagnosis.no_help},
      {"not_read", "Not read", "not read", {}, diagnosis.not_read}};
  std::erase_if(sections, [](const ReportSection& one) { return one.findings.empty() && one.lines.empty(); });
  // Where the cause is certain, models that nobody named are the least that one wants to read.
  const bool certain = !several && !diagnosis.first.empty() && diagnosis.first[0].sure == Sure::kCertain;
  const auto of_others = [](const Finding& finding) { return !finding.model.empty(); };
  if (certain && std::ranges::any_of(diagnosis.carries, of_others))
    std::ranges::stable_partition(sections, [](const ReportSection& one) { return one.id != "carries"; });
  return sections;
}

std::string diagnosis_text(const Diagnosis& diagnosis, size_t columns) {
  Page page{.columns = columns};
  std::string text = diagnosis_headline(diagnosis) + "\n\n";
  for (const ReportSection& section : report_sections(diagnosis))
    text +=
        findings_text(page, section.word, section.findings, section.id == "first" ? SIZE_MAX : kMostCarries) +
        lines_text(page, section.word, section.lines);
  return text;
}

std::string diagnosis_json(const Diagnosis& diagnosis) {
  const Ordered json = {{"schema", 1},  // assets/schema/autopsy.schema.json
                        {"lines", diagnosis.lines},
                        {"ranks", diagnosis.ranks},
                        {"dumps", diagnosis.dumps},
                        {"torch", diagnosis.torch},
                        {"first", diagnosis.first},
                        {"waits", diagnosis.waits},
                        {"carries", diagnosis.carries},
                        {"job", diagnosis.job},
                        {"settle", diagnosis.settle},
                        {"try_first", diagnosis.try_first},
                        {"no_help", diagnosis.no_help},
                        {"not_read", diagnosis.not_read}};
  return json.dump(2, ' ', false, Ordered::error_handler_t::replace) + "\n";
}

std::string diagnosis_markdown(const Diagnosis& diagnosis) {
  std::string text = diagnosis_headline(diagnosis) + "\n";
  for (const ReportSection& section : report_sections(diagnosis)) {
    text += fmt::format("\n**{}**\n\n", section.heading);
    for (const Finding& finding : section.findings) {
      text += fmt::format("- {} ({})\n", finding.sentence, to_string(finding.sure));
      for (size_t i = 0; i < std::min(finding.evidence.size(), kMostEvidence); ++i)
        text += fmt::format("  - `{}`: `{}`\n", finding.evidence[i].place, finding.evidence[i].text);
    }
    for (const std::string& line : section.lines) text += "- " + line + "\n";
  }
  return text;
}

std::string diagnosis_html(const Diagnosis& diagnosis) {
  std::string text = kHead + fmt::format("<p>{}</p>\n", escaped(diagnosis_headline(diagnosis)));
  for (const ReportSection& section : report_sections(diagnosis)) text += section_html(section);
  return text + "</body></html>\n";
}

// What a log tells of a site: host names, users, addresses and paths. Names of ranks, groups, operations and
// files stay.
std::string redacted(std::string_view text) {
  struct Rule {
    std::regex what;
    const char* by;
  };
  static const std::vector<Rule> rules = {
      {std::regex(R"(\b\d{1,3}(\.\d{1,3}){3}(:\d+|<\d+>)?)"), "IP"},
      {std::regex(R"(\b([0-9a-fA-F]{1,4}:){3,7}[0-9a-fA-F:]*)"), "IP"},
      {std::regex(R"(\b[\w.+-]+@[\w-]+\.[\w.]+)"), "USER"},
      {std::regex(R"((/[\w.+@-]+)+/([\w.+@-]+))"), "$2"},  // the last part of a path
      {std::regex(R"(\b[\w-]+(\.[\w-]+)*\.(com|net|org|edu|io|cn|de|uk|fr|jp|local|internal|lan)\b)"),
       "HOST"},
      {std::regex(R"(\b(host\s*: |srun: error: |\[W?)([\w-]+)(: task|$))"), "$1HOST$3"},
      {std::regex(R"(\b[\w-]+:(\d+:\d+ \[\d+\] NCCL))"), "HOST:$1"}};
  std::string result;
  while (!text.empty()) {  // a line at a time, as an expression takes the more of the stack the more it reads
    std::string line(next_line(text));
    for (const Rule& rule : rules) line = std::regex_replace(line, rule.what, rule.by);
    result += line;
  }
  return result;
}

void for_each_text(Diagnosis& diagnosis, const std::function<void(std::string&)>& change) {
  for (auto* findings : {&diagnosis.first, &diagnosis.waits, &diagnosis.carries, &diagnosis.job})
    for (Finding& one : *findings) {
      change(one.sentence);
      for (Evidence& evidence : one.evidence) change(evidence.place), change(evidence.text);
    }
  for (auto* lines : {&diagnosis.settle, &diagnosis.try_first, &diagnosis.no_help, &diagnosis.not_read})
    for (std::string& line : *lines) change(line);
  for (WaitFor& wait : diagnosis.waits_for) change(wait.call);
}

Diagnosis redacted(Diagnosis diagnosis) {
  for_each_text(diagnosis, [](std::string& text) { text = redacted(std::string_view(text)); });
  return diagnosis;
}

}  // namespace ringside::inline logs
