// A launcher's command line, cut into words as a shell would, without expanding anything.
#include <algorithm>
#include <utility>
#include <vector>

#include "line.h"
#include "ringside/autopsy/settings.h"

namespace ringside::inline logs {
namespace {

constexpr size_t kMostWords = 1000;

std::vector<std::string> words_of(std::string_view line) {
  std::vector<std::string> words;
  bool open = false;
  char quote = 0;
  for (const char c : line) {
    if (words.size() > kMostWords) break;
    if (quote != 0 ? c == quote : c == '"' || c == '\'') {
      quote = quote != 0 ? '\0' : c;
      continue;
    }
    const bool blank = quote == 0 && (c == ' ' || c == '\t' || c == '\n' || c == '\\');
    if (!blank && !open) words.emplace_back();
    open = !blank;
    if (open) words.back() += c;
  }
  return words;
}

enum class Launcher : uint8_t { kNone, kTorchrun, kTasks, kOther };

// Where the launcher stands in the line, and what it is.
std::pair<size_t, Launcher> launcher_in(const std::vector<std::string>& words) {
  const auto place = [&](std::string_view name) {
    const auto found = std::ranges::find_if(words, [&](const std::string& word) {
      return word == name || word.ends_with("/" + std::string(name));
    });
    return static_cast<size_t>(found - words.begin());
  };
  for (const std::string_view name : {"torchrun", "torch.distributed.run", "torch.distributed.launch"})
    if (place(name) < words.size()) return {place(name), Launcher::kTorchrun};
  for (const std::string_view name : {"accelerate", "deepspeed"})
    if (place(name) < words.size() && (name == "deepspeed" || place("launch") < words.size()))
      return {place(name), Launcher::kOther};
  for (const std::string_view name : {"mpirun", "mpiexec", "srun", "#SBATCH"})
    if (place(name) < words.size()) return {place(name), Launcher::kTasks};
  return {0, Launcher::kNone};
}

bool begins_program(std::string_view word) {
  return word.ends_with(".py") || word == "-m" || word == "--module";
}

}  // namespace

// Behind the program's name stand its own options, of which only a timeout is read. What stands before
// torchrun (srun's tasks, mpirun's) counts nodes, no ranks.
bool add_launch(std::string_view line, const Evidence& from, JobSettings& settings) {
  const std::vector<std::string> words = words_of(line);
  const auto [at, launcher] = launcher_in(words);
  if (launcher == Launcher::kNone) return false;
  bool of_program = false, nodes = false;
  for (size_t i = at + 1; i < words.size(); ++i) {
    const std::string_view word = words[i];
    of_program |= begins_program(word);
    if (!word.starts_with('-') || (of_program && word.find("timeout") == std::string_view::npos)) continue;
    const size_t equals = word.find('=');
    const bool tasks = word == "-n" && launcher == Launcher::kTasks;
    const std::string_view key = tasks ? "-np" : word.substr(0, equals);
    const std::string_view value = equals != std::string_view::npos ? word.substr(equals + 1)
                                   : i + 1 < words.size()           ? std::string_view(words[i + 1])
                                                                    : std::string_view();
    nodes |= key == "--nnodes";
    logs::add_known(key, value, from, settings);
  }
  if (launcher == Launcher::kTorchrun && !nodes)
    logs::add_known("--nnodes", "1", from, settings);  // its default
  return true;
}

}  // namespace ringside::inline logs
