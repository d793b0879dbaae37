// Lessons as they lie beside a program, each in a folder of its own:
//
//     lessons/zero/lesson.md        always there: what there is to list
//     lessons/zero/panel.wanted     an empty file, where it has a panel.cpp and the study room is built
//     lessons/zero/zero.so          its experiment, once it was built
//     lessons/zero/zero_panel.so    its panel, likewise
//     lessons/zero/*.so.interface   the headers that the file was built with, as a hash
//
// The folder lessons/ lies beside the program's own folder; RINGSIDE_LESSONS names others, with colons
// between them.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

namespace ringside::inline kit {

std::vector<std::filesystem::path> lesson_folders();  // that hold lessons: lessons/

enum class Build {
  kNone,   // it was not built yet
  kOlder,  // the headers that it shares with this program have changed since
  kReady
};
inline constexpr const char *kExperiment = ".so", *kPanel = "_panel.so";  // behind the lesson's id
Build build_of(const std::string& id, const std::string& part = kExperiment);
// The same with its panel, where it has one: what the study room needs.
Build build_for_room(const std::string& id);

// A function of a lesson's module, by its extern "C" name. A module stays loaded. MissingError where it is
// not built, or what it links does not load.
void* module_function(const std::string& id, const std::string& part, const std::string& function);

// "'norms' is not built yet; ./run build norms builds it".
std::string why_not_ready(const std::string& id);

// FILE.interface beside a program or module says the headers that it was built with: whether they are those
// of the libraries. True where the libraries do not say theirs.
bool is_current(const std::filesystem::path& file);

}  // namespace ringside::inline kit
