// One file of unknown content: its text, read no further than a bound, the class that it belongs to, and what
// a reader passed over or changed.
#pragma once

#include <cstddef>
#include <map>
#include <set>
#include <string>
#include <string_view>
#include <vector>

namespace ringside::inline data {

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
  kSmallClass,
  kBesideClasses
};

// Counted, with a few names each.
class Notes {
 public:
  void add(Noted what, const std::string& name);
  // "skipped 2 binary files (a.png, b.o)": one line each, in the order above.
  std::vector<std::string> lines() const;

 private:
  std::map<Noted, std::multiset<std::string>> names_;
};

inline constexpr size_t kMaxFileBytes = size_t{1} << 20;  // 1 MiB

struct TextFile {
  std::string bytes;         // at most kMaxFileBytes; "" where it has no text
  std::vector<Noted> noted;  // kUnreadable, kEmpty or kBinary: it has none; kHuge, kNotUtf8
};

// Of kMaxFileBytes and one more, which tells that the file is longer. One with a NUL byte among
// those read is binary (git's rule).
TextFile text_of(std::string bytes);
TextFile read_text_file(const std::string& path);

enum class ClassRule { kSubFolder, kExtension, kLanguage };

// "sub-folder", "file extension", "language".
const char* rule_name(ClassRule rule);

// Sub-folders if there are files and none lies directly beneath the root, else extensions.
ClassRule choose_rule(const std::vector<std::string>& files);

// kSubFolder: "cats" of "cats/a/1.txt". kExtension: ".txt", or "no extension".
// kLanguage: "C++", "Shell" ... by name, extension or the interpreter after #!; "" if unknown.
std::string class_of(ClassRule rule, const std::string& path, std::string_view bytes);

// What one gzip stream (RFC 1952) holds. InputError naming `name` if it is no such stream, damaged, cut off
// or followed by more, or if it holds more than max_plain bytes. It is unpacked twice: first to nowhere, so
// that what is refused takes no memory, and what is not takes as much as it has.
std::string gunzip(const std::string& packed, size_t max_plain, const std::string& name);

}  // namespace ringside::inline data
