// A diagnosis as one file that a browser opens: no script, nothing from outside.
#include <fmt/format.h>

#include "ringside/autopsy/diagnosis.h"
#include "ringside/base/text.h"

namespace ringside::inline logs {
namespace {

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

std::string diagnosis_html(const Diagnosis& diagnosis) {
  std::string text = kHead + fmt::format("<p>{}</p>\n", escaped(diagnosis_headline(diagnosis)));
  for (const ReportSection& section : report_sections(diagnosis)) text += section_html(section);
  return text + "</body></html>\n";
}

}  // namespace ringside::inline logs
