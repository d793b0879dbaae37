// The Python that lessons run.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "ringside/base/run_control.h"

namespace ringside::inline kit {

// RINGSIDE_PYTHON, else /usr/bin/python3, for which Debian's packages are, else python3 in PATH. MissingError
// naming python3 where there is none.
std::string python_path();

// Runs the script, which finds the arguments in sys.argv[1:]. Isolated (-I): neither the current folder nor
// the user's own settings change what it does. The script is an argument itself, so that stdin is free.
std::vector<std::string> python_command(std::string_view script,
                                        const std::vector<std::string>& arguments = {});

// Those of the modules that this Python does not find.
std::vector<std::string> missing_modules(const std::vector<std::string>& modules, RunControl& control);
// "python3-numpy": what to install where a module is missing.
inline std::string debian_package(const std::string& module) { return "python3-" + module; }
// Why a script that needs these modules cannot run: "this Python has no torch; Debian's package is
// python3-torch". "": it can.
std::string why_no_python(const std::vector<std::string>& modules, RunControl& control);

}  // namespace ringside::inline kit
