#include "ringside/lesson/source_questions.h"

#include "ringside/base/check.h"
#include "ringside/base/read_file.h"
#include "ringside/base/source_tree.h"
#include "ringside/lesson/text_blocks.h"

namespace ringside::inline kit {
namespace {

constexpr int64_t kMostBytes = 1 << 20;

ClaimPlace place_of(const std::string& text, const std::string& line) {
  const std::vector<std::string> parts = parted(text, ':');
  RINGSIDE_CHECK(parts.size() == 2, "questions.txt, '" << line << "': '" << text << "' is no lesson:claim");
  return {parts[0], parts[1]};
}

// claim TEXT | lesson:claim, ...     untestable TEXT | why     open TEXT
SourceClaim claim_of(const std::string& kind, const std::string& line) {
  const std::vector<std::string> parts = parted(line, '|');
  SourceClaim claim{parts[0]};
  if (kind == "open") return claim;
  RINGSIDE_CHECK(parts.size() == 2, "questions.txt, '" << line << "': one | is wanted");
  if (kind == "untestable") {
    claim.untestable = parts[1];
    return claim;
  }
  RINGSIDE_CHECK(kind == "claim", "questions.txt: no line begins with '" << kind << "'");
  for (const std::string& place : parted(parts[1], ',')) claim.judged.push_back(place_of(place, line));
  return claim;
}

}  // namespace

std::vector<SourceQuestion> parse_source_questions(std::string_view text) {
  std::vector<SourceQuestion> questions;
  const TextBlocks blocks(text);
  for (const TextBlock& block : blocks.all()) {
    SourceQuestion& question = questions.emplace_back(SourceQuestion{block.id, block.text("asks"), {}});
    for (const auto& [kind, line] : block.fields)
      if (kind != "asks") question.claims.push_back(claim_of(kind, line));
  }
  return questions;
}

std::vector<SourceQuestion> source_questions() {
  return parse_source_questions(read_file((assets() / "questions.txt").string(), kMostBytes));
}

}  // namespace ringside::inline kit
