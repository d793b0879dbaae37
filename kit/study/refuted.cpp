#include "refuted.h"

#include <fstream>

#include "ringside/base/atomic_file.h"
#include "ringside/base/error.h"
#include "ringside/base/text.h"

namespace ringside::inline kit {
namespace {

constexpr size_t kMostSentences = 40, kMostBytes = 400;

std::filesystem::path file_of(const std::filesystem::path& data, const std::string& lesson) {
  return data / "refuted" / (lesson + ".txt");
}

}  // namespace

std::vector<std::string> refuted_by(const Lesson& lesson, const Config& config, const Trace& trace) {
  std::vector<std::string> all;
  for (const ClaimRow& claim : trace.rows().claims)
    if (claim.verdict == Verdict::kFails) all.push_back(claim.statement);
  for (const PredictionSpec& question : lesson.predictions) {
    const std::string about = (question.name.empty() ? question.question : question.name) + ": ";
    for (const WrongFormula& wrong : question.wrong) all.push_back(about + wrong.name);
    if (!question.words || !question.words->wrong) continue;
    for (const WrongWords& wrong : question.words->wrong(config)) all.push_back(about + wrong.name);
  }
  return all;
}

void keep_refuted(const std::filesystem::path& data, const std::string& lesson,
                  const std::vector<std::string>& sentences) {
  if (data.empty() || sentences.empty()) return;
  std::error_code failed;
  std::filesystem::create_directories(data / "refuted", failed);
  if (failed) return;
  try {
    write_file_atomically(file_of(data, lesson), [&](std::ostream& out) {
      for (const std::string& one : sentences) out << printable(one) << '\n';
    });
  } catch (const Error&) {
  }
}

std::vector<std::string> kept_refuted(const std::filesystem::path& data, const std::string& lesson) {
  std::vector<std::string> all;
  std::ifstream in(file_of(data, lesson));
  for (std::string line; all.size() < kMostSentences && std::getline(in, line);)
    if (!line.empty() && line.size() <= kMostBytes) all.push_back(printable(line));
  return all;
}

}  // namespace ringside::inline kit
