// The questions of the source documents and what their answers claim: assets/questions.txt, as blocks of
// text.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace ringside::inline kit {

struct ClaimPlace {
  std::string lesson, claim;  // the claim's id in that lesson
};

struct SourceClaim {
  std::string says;
  std::vector<ClaimPlace> judged = {};  // empty: no lesson judges it
  std::string untestable = {};          // why no run can tell; "" where a lesson could
};

struct SourceQuestion {
  std::string id, asks;  // "B13"
  std::vector<SourceClaim> claims;
};

// InvariantError naming the line that cannot be read.
std::vector<SourceQuestion> parse_source_questions(std::string_view text);
std::vector<SourceQuestion>
source_questions();  // those of assets(). MissingError where there is no such file

}  // namespace ringside::inline kit
