#include "ringside/lesson/modules.h"

#include <dlfcn.h>

#include <cstdlib>
#include <map>
#include <mutex>
#include <sstream>

#include "ringside/base/check.h"
#include "ringside/base/error.h"
#include "ringside/base/read_file.h"
#include "ringside/base/source_tree.h"
#include "ringside/lesson/front_matter.h"
#include "ringside/lesson/lesson.h"
#include "ringside/lesson/lesson_text.h"

namespace ringside::inline kit {
namespace {

namespace fs = std::filesystem;

constexpr size_t kHashBytes = 200;  // at most

fs::path folder_of(const std::string& id) {
  for (const fs::path& lessons : lesson_folders())
    if (fs::exists(lessons / id / "lesson.md")) return lessons / id;
  return {};
}

// Of the shared libraries beside this program. Nothing where there is no such file: then it cannot be
// compared.
const std::optional<std::string>& interface_of_libraries() {
  static const auto hash = read_at_most(program_folder() / "../lib/interface.txt", kHashBytes);
  return hash;
}

// lesson.md says what the lesson is called; experiment.cpp says the rest.
Lesson make_lesson(const FrontMatter& matter) {
  using MakeLesson = void(Lesson&);
  auto* make = reinterpret_cast<MakeLesson*>(
      module_function(matter.id, kExperiment, "ringside_make_lesson_" + matter.id));
  Lesson lesson;
  try {
    make(lesson);
  } catch (const InputError& error) {
    throw InputError("lesson '{}', its texts.inc: {}", matter.id, error.what());
  }
  RINGSIDE_CHECK(lesson.run != nullptr, "lesson '" << matter.id << "' sets no run");
  for (const PredictionSpec& asked : lesson.predictions)
    RINGSIDE_CHECK(asked.words ? asked.words->right != nullptr : asked.formula != nullptr,
                   "lesson '" << matter.id << "', prediction '" << asked.id << "': it has no right answer");
  lesson.id = matter.id;
  lesson.title = matter.title;
  lesson.track = matter.track;
  lesson.short_name = matter.short_name;
  lesson.order = matter.order;
  lesson.questions = matter.questions;
  lesson.text = matter.text;
  lesson.terms = terms_of(matter.text);
  return lesson;
}

}  // namespace

std::vector<fs::path> lesson_folders() {
  const char* named = std::getenv("RINGSIDE_LESSONS");
  if (named == nullptr || *named == '\0') return {program_folder() / "../lessons"};
  std::vector<fs::path> folders;
  std::istringstream text(named);
  for (std::string folder; std::getline(text, folder, ':');)
    if (!folder.empty()) folders.emplace_back(folder);
  return folders;
}

Build build_of(const std::string& id, const std::string& part) {
  const fs::path folder = folder_of(id), file = folder / (id + part);
  if (folder.empty() || !fs::exists(file)) return Build::kNone;
  return is_current(file) ? Build::kReady : Build::kOlder;
}

Build build_for_room(const std::string& id) {
  const Build experiment = build_of(id);
  if (experiment != Build::kReady || !fs::exists(folder_of(id) / "panel.wanted")) return experiment;
  return build_of(id, kPanel);
}

std::string why_not_ready(const std::string& id) {
  const std::string mend = "; ./run build " + id + " builds it";
  if (build_of(id) == Build::kOlder) return "'" + id + "' was built from older sources" + mend;
  return "'" + id + "' is not built yet" + mend;
}

void* module_function(const std::string& id, const std::string& part, const std::string& function) {
  if (build_of(id, part) != Build::kReady) throw MissingError(why_not_ready(id));
  const fs::path path = folder_of(id) / (id + part);
  void* module = dlopen(path.c_str(), RTLD_NOW | RTLD_LOCAL);
  if (module == nullptr)
    throw MissingError("'" + id + "' does not load: " + dlerror() + "; ./run build " + id +
                       " builds it anew");
  void* found = dlsym(module, function.c_str());
  RINGSIDE_CHECK(found != nullptr, path.string() << " has no " << function);
  return found;
}

bool is_current(const fs::path& file) {
  const auto& ours = interface_of_libraries();
  return !ours || read_at_most(file.string() + ".interface", kHashBytes) == ours;
}

const Lesson& find_lesson(const std::string& id) {
  static std::mutex mutex;
  static std::map<std::string, Lesson> loaded;  // for the life of the program, as its modules are
  const std::lock_guard lock(mutex);
  auto place = loaded.find(id);
  if (place == loaded.end()) place = loaded.emplace(id, make_lesson(find_front_matter(id))).first;
  return place->second;
}

}  // namespace ringside::inline kit
