// A folder of labelled texts: "pos/1.txt" is a text of the class "pos".
#include <fmt/format.h>

#include <set>
#include <string>

#include "collector.h"
#include "listing.h"
#include "ringside/base/error.h"
#include "ringside/base/text.h"
#include "ringside/base/units.h"
#include "text_file.h"

namespace ringside::inline data {

Labelled read_labelled_folder(const LabelledSource& source) {
  Notes notes;
  const Listing listing = walk_tree(source.path, notes);
  Collector collector(source);
  std::deque<std::string> bytes;
  std::set<std::string> empty(listing.folders.begin(), listing.folders.end());
  size_t all = 0;
  for (const std::string& path : listing.files) {
    const size_t end = path.find('/');
    if (end == std::string::npos) {
      notes.add(Noted::kBesideClasses, path);
      continue;
    }
    TextFile file = read_text_file(source.path + "/" + path);
    for (const Noted what : file.noted) notes.add(what, path);
    if (file.bytes.empty()) continue;
    all += file.bytes.size();
    if (all > source.limits.bytes)
      collector.refuse(fmt::format("its texts have more than {} bytes",
                                   format_count(static_cast<int64_t>(source.limits.bytes))));
    file.bytes.shrink_to_fit();
    collector.file = path;
    collector.add(bytes.emplace_back(std::move(file.bytes)), path.substr(0, end));
    empty.erase(path.substr(0, end));
  }
  collector.file.clear();
  for (const std::string& name : empty) notes.add(Noted::kEmptyClass, name);
  if (collector.labelled().samples.empty())
    collector.refuse("no sub-folder with text files was found; each class is a sub-folder of texts");
  Labelled labelled = collector.take(std::move(bytes));
  labelled.notes = notes.lines();  // which name the files, too
  return labelled;
}

}  // namespace ringside::inline data
