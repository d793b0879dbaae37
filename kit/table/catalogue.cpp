#include <algorithm>
#include <tuple>

#include "ringside/lesson/front_matter.h"
#include "table.h"

namespace ringside {
namespace {

std::vector<FrontMatter> read_catalogue() {
  std::vector<FrontMatter> catalogue;
  for (std::string_view document : detail::lesson_documents())
    catalogue.push_back(parse_front_matter(document));
  std::sort(catalogue.begin(), catalogue.end(), [](const FrontMatter& a, const FrontMatter& b) {
    return std::tie(a.track, a.order, a.id) < std::tie(b.track, b.order, b.id);
  });
  return catalogue;
}

}  // namespace

const std::vector<FrontMatter>& lesson_catalogue() {
  static const std::vector<FrontMatter> catalogue = read_catalogue();
  return catalogue;
}

}  // namespace ringside
