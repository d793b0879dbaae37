#include "ringside/child/python.h"

#include <unistd.h>

#include <cstdlib>

#include "ringside/base/error.h"
#include "ringside/child/child.h"

namespace ringside::inline kit {

std::string python_path() {
  constexpr char kDebians[] = "/usr/bin/python3";
  const char* chosen = std::getenv("RINGSIDE_PYTHON");
  if (chosen != nullptr && *chosen != '\0') {
    if (::access(chosen, X_OK) == 0) return chosen;
    throw MissingError(std::string("RINGSIDE_PYTHON=") + chosen + ": no such program");
  }
  return ::access(kDebians, X_OK) == 0 ? kDebians : "python3";
}

std::vector<std::string> python_command(std::string_view script, const std::vector<std::string>& arguments) {
  std::vector<std::string> command = {python_path(), "-I", "-X", "utf8", "-c", std::string(script)};
  command.insert(command.end(), arguments.begin(), arguments.end());
  return command;
}

std::vector<std::string> missing_modules(const std::vector<std::string>& modules, RunControl& control) {
  constexpr char kScript[] =
      "import importlib.util, json, sys\n"
      "print(json.dumps({'missing': [m for m in sys.argv[1:] if importlib.util.find_spec(m) is None]}))\n";
  std::vector<std::string> missing;
  Child child(python_command(kScript, modules), control);
  child.each([&](const JsonObject& event) {
    for (const Json& module : event.array("missing", 0, modules.size()))
      missing.push_back(json_text(module, "missing"));
  });
  return missing;
}

std::string why_no_python(const std::vector<std::string>& modules, RunControl& control) try {
  const std::vector<std::string> missing = missing_modules(modules, control);
  if (missing.empty()) return "";
  return "this Python has no " + missing[0] + "; Debian's package is " + debian_package(missing[0]);
} catch (const MissingError& error) {
  return error.what();
}

}  // namespace ringside::inline kit
