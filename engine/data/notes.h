// What a reader passed over or changed, counted, with a few names each.
#pragma once

#include <map>
#include <set>
#include <string>
#include <vector>

namespace ringside {

enum class Noted {
  kSetAside,  // hidden or build folder or file
  kSymlink,   // never followed, so that a loop is harmless
  kSpecial,   // device, pipe, socket, submodule
  kUnreadable,
  kEmpty,
  kBinary,
  kNoLanguage,
  kUnread,   // beyond the most that is read
  kHuge,     // only its beginning is read
  kNotUtf8,  // kept as it is: every byte is a token
  kEmptyClass,
  kTinyClass,
  kSmallClass
};

class Notes {
 public:
  void add(Noted what, const std::string& name);
  // "skipped 2 binary files (a.png, b.o)": one line each, in the order above.
  std::vector<std::string> lines() const;

 private:
  std::map<Noted, std::multiset<std::string>> names_;
};

}  // namespace ringside
