// What both programs have in common: the command line in, an exit code out.
#pragma once

#include <functional>
#include <iosfwd>
#include <map>

#include "options.h"
#include "ringside/base/error.h"

namespace ringside {

using Dispatch = std::function<ExitCode(const Options&, std::ostream& out)>;

// Errors go to stderr as "ringside: message"; a reader of stdout that went away
// (`| head`) is no error and is not mentioned.
int run_program(int argc, char** argv, const Dispatch& dispatch);
// Of a program that `ringside` becomes: what it does for each of its commands; others are refused.
int run_program(int argc, char** argv, const std::map<Command, Dispatch>& commands);

}  // namespace ringside
