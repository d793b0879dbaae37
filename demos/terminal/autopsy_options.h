// ringside autopsy: why a job stopped, from what it left.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace CLI {
class App;
}

namespace ringside {

struct AutopsyCommand {
  std::vector<std::string> paths{};
  std::vector<std::string> configs{};  // of the model, DeepSpeed, FSDP, the launcher
  std::string launch{};                // a command line
  int64_t bucket_size = 0;             // 0: as the settings have it
  bool markdown = false, redact = false;
  std::string save{};  // an HTML file; "": none
};

void add_autopsy_options(CLI::App& command, AutopsyCommand& options);

}  // namespace ringside
