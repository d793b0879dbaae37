#include "spoken_check.h"

#include <catch.h>

#include <algorithm>
#include <fstream>
#include <sstream>

#include "ringside/base/source_tree.h"

namespace ringside::figure {

void check_spoken(const std::string& lesson, const Saying& saying) {
  std::ifstream in(assets().parent_path() / "tests/all_figures/spoken" / (lesson + ".txt"));
  for (std::string line; std::getline(in, line);) {
    if (line.empty() || line[0] == '#') continue;
    std::istringstream words(line);
    std::string kind, answer;
    size_t points = 0;
    words >> kind >> points;
    std::getline(words, answer);
    INFO(lesson << ": " << line);
    std::vector<bool> ticked;
    for (const std::string& point : saying.points) ticked.push_back(shares_words(point, answer));
    CHECK(size_t(std::count(ticked.begin(), ticked.end(), true)) == points);
    const bool accepted = points_attempt(lesson, saying, ticked).correct;
    CHECK((kind == "good" || kind == "middling" || kind == "wrong"));
    if (kind != "middling") CHECK(accepted == (kind == "good"));
  }
}

}  // namespace ringside::figure
