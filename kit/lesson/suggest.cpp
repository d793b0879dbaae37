#include "ringside/lesson/suggest.h"

#include <algorithm>

#include "ringside/base/text.h"

namespace ringside::inline kit {
namespace {

// Optimal string alignment: d[i][j] edits turn the first i characters of a into the first j of b.
size_t edits(const std::string& a, const std::string& b) {
  std::vector<std::vector<size_t>> d(a.size() + 1, std::vector<size_t>(b.size() + 1));
  for (size_t i = 0; i <= a.size(); ++i) d[i][0] = i;
  for (size_t j = 0; j <= b.size(); ++j) d[0][j] = j;
  for (size_t i = 1; i <= a.size(); ++i) {
    for (size_t j = 1; j <= b.size(); ++j) {
      const size_t replaced = d[i - 1][j - 1] + (a[i - 1] != b[j - 1]);
      d[i][j] = std::min({d[i - 1][j] + 1, d[i][j - 1] + 1, replaced});
      const bool swapped = i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1];
      if (swapped) d[i][j] = std::min(d[i][j], d[i - 2][j - 2] + 1);
    }
  }
  return d[a.size()][b.size()];
}

}  // namespace

std::string suggestion(const std::string& typed, const std::vector<std::string>& known) {
  constexpr size_t kLongestName = 64;  // what is longer is no typing mistake
  if (typed.size() > kLongestName) return "";
  const std::string* best = nullptr;
  size_t fewest = 0;
  for (const std::string& name : known) {
    const size_t count = edits(typed, name);
    const size_t allowed = std::max(typed.size(), name.size()) / 3;
    if (count > allowed || (best && count >= fewest)) continue;
    best = &name;
    fewest = count;
  }
  return best ? " (did you mean " + *best + "?)" : "";
}

std::string no_such(const std::string& what, const std::string& typed,
                    const std::vector<std::string>& known) {
  return "there is no " + what + " '" + as_typed(typed) + "'" + suggestion(typed, known) +
         "; there are: " + join(known);
}

std::string join(const std::vector<std::string>& words, const std::string& separator) {
  std::string text;
  for (const std::string& word : words) text += (text.empty() ? "" : separator) + word;
  return text;
}

}  // namespace ringside::inline kit
