#include <algorithm>
#include <tuple>

#include "ringside/base/error.h"
#include "ringside/base/read_file.h"
#include "ringside/lesson/front_matter.h"
#include "ringside/lesson/modules.h"
#include "ringside/lesson/suggest.h"

namespace ringside::inline kit {
namespace {

constexpr size_t kMostBytes = 1 << 20;

std::vector<FrontMatter> read_catalogue() {
  std::vector<FrontMatter> catalogue;
  for (const auto& lessons : lesson_folders()) {
    std::error_code unreadable;
    for (const auto& folder : std::filesystem::directory_iterator(lessons, unreadable))
      if (std::filesystem::exists(folder.path() / "lesson.md"))
        catalogue.push_back(parse_front_matter(read_file(folder.path() / "lesson.md", kMostBytes)));
    if (unreadable)
      throw MissingError("no lessons: " + lessons.string() + ": " + unreadable.message() +
                         "; RINGSIDE_LESSONS names the folder that holds them");
  }
  std::ranges::sort(catalogue, [](const FrontMatter& a, const FrontMatter& b) {
    return std::tie(a.track, a.order, a.id) < std::tie(b.track, b.order, b.id);
  });
  return catalogue;
}

}  // namespace

const std::vector<FrontMatter>& lesson_catalogue() {
  static const std::vector<FrontMatter> catalogue = read_catalogue();
  return catalogue;
}

const FrontMatter& find_front_matter(const std::string& id) {
  std::vector<std::string> ids;
  for (const FrontMatter& lesson : lesson_catalogue()) {
    if (lesson.id == id) return lesson;
    ids.push_back(lesson.id);
  }
  throw UsageError(no_such("lesson", id, ids));
}

}  // namespace ringside::inline kit
