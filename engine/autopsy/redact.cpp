// What a log tells of a site: host names, users, addresses and paths. Names of ranks, groups, operations and
// files stay.
#include <regex>

#include "ringside/autopsy/diagnosis.h"
#include "ringside/base/text.h"

namespace ringside::inline logs {

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

Diagnosis redacted(Diagnosis diagnosis) {
  const auto hide = [](std::string& text) { text = redacted(std::string_view(text)); };
  for (auto* findings : {&diagnosis.first, &diagnosis.waits, &diagnosis.carries, &diagnosis.job})
    for (Finding& one : *findings) {
      hide(one.sentence);
      for (Evidence& evidence : one.evidence) hide(evidence.place), hide(evidence.text);
    }
  for (auto* lines : {&diagnosis.settle, &diagnosis.try_first, &diagnosis.no_help, &diagnosis.not_read})
    for (std::string& line : *lines) hide(line);
  for (WaitFor& wait : diagnosis.waits_for) hide(wait.call);
  return diagnosis;
}

}  // namespace ringside::inline logs
