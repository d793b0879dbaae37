// The words that say which rank of which run this process is, or start all of them.
#pragma once

#include <string>

#include "ringside/launch/resolve.h"

namespace CLI {
class App;
}

namespace ringside {

struct LaunchOptions {
  int processes = 0;  // to start; 0: none
  int restarts = 0;   // so many times anew, after one of them was lost
  LaunchFlags flags;
  std::string log_folder;  // "": what ranks above 0 write is dropped
};

void add_launch_flags(CLI::App& command, LaunchFlags& flags);        // which rank
void add_launch_options(CLI::App& command, LaunchOptions& options);  // those, and the rest

}  // namespace ringside
