// Which class a file belongs to.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace ringside {

enum class ClassRule { kSubFolder, kExtension, kLanguage };

// "sub-folder", "file extension", "language".
const char* rule_name(ClassRule rule);

// Sub-folders if there are files and none lies directly beneath the root, else extensions.
ClassRule choose_rule(const std::vector<std::string>& files);

// kSubFolder: "cats" of "cats/a/1.txt". kExtension: ".txt", or "no extension".
// kLanguage: "C++", "Shell" ... by name, extension or the interpreter after #!; "" if unknown.
std::string class_of(ClassRule rule, const std::string& path, std::string_view bytes);

}  // namespace ringside
