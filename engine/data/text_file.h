// One file of unknown content: its text, read no further than a bound, and the class that it belongs to.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "notes.h"

namespace ringside {

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

}  // namespace ringside
