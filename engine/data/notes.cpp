#include "notes.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

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
static_assert(std::size(kWordings) == static_cast<size_t>(Noted::kCount));

}  // namespace

void Notes::add(Noted what, const std::string& name) {
  Entry& entry = entries_[static_cast<size_t>(what)];
  ++entry.count;
  entry.names.insert(printable(name));
  if (entry.names.size() > kNamesShown) entry.names.erase(std::prev(entry.names.end()));
}

std::vector<std::string> Notes::lines() const {
  std::vector<std::string> lines;
  for (size_t i = 0; i < entries_.size(); ++i) {
    const Entry& entry = entries_[i];
    if (entry.count == 0) continue;
    const Wording& words = kWordings[i];
    const bool more = entry.count > static_cast<int64_t>(kNamesShown);
    lines.push_back(fmt::format("{} {} {} ({}{})", words.did, format_count(entry.count),
                                entry.count == 1 ? words.one : words.many, fmt::join(entry.names, ", "),
                                more ? ", ..." : ""));
  }
  return lines;
}

}  // namespace ringside
