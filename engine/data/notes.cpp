#include "notes.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <ranges>

#include "ringside/base/text.h"
#include "ringside/base/units.h"

namespace ringside {
namespace {

constexpr size_t kNamesShown = 3;

struct Wording {
  const char *did, *one, *many;
};
constexpr Wording kWordings[] = {
    {"set aside", "hidden or build entry", "hidden or build entries"},
    {"skipped", "symbolic link", "symbolic links"},
    {"skipped", "entry that is no file", "entries that are no files"},
    {"skipped", "unreadable path", "unreadable paths"},
    {"skipped", "empty file", "empty files"},
    {"skipped", "binary file", "binary files"},
    {"skipped", "file of no known language", "files of no known language"},
    {"left", "file unread, beyond the most that is read", "files unread, beyond the most that is read"},
    {"read only the first MiB of", "huge file", "huge files"},
    {"kept the bytes of", "file that is not valid UTF-8", "files that are not valid UTF-8"},
    {"dropped", "class without a usable file", "classes without a usable file"},
    {"dropped", "class with one file only: one to train on and one to hold out are needed",
     "classes with one file only: one to train on and one to hold out are needed"},
    {"dropped", "class, the smallest, beyond the most allowed",
     "classes, the smallest, beyond the most allowed"},
};
static_assert(std::size(kWordings) == static_cast<size_t>(Noted::kSmallClass) + 1);

}  // namespace

void Notes::add(Noted what, const std::string& name) { names_[what].insert(printable(name)); }

std::vector<std::string> Notes::lines() const {
  std::vector<std::string> lines;
  for (const auto& [what, names] : names_) {
    const Wording& words = kWordings[static_cast<size_t>(what)];
    lines.push_back(fmt::format(
        "{} {} {} ({}{})", words.did, format_count(static_cast<int64_t>(names.size())),
        names.size() == 1 ? words.one : words.many, fmt::join(names | std::views::take(kNamesShown), ", "),
        names.size() > kNamesShown ? ", ..." : ""));
  }
  return lines;
}

}  // namespace ringside
