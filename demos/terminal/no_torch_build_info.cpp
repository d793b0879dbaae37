#include "build_info.h"

namespace ringside {

void add_torch_build(BuildInfo&) {}
std::string torch_warning() { return ""; }

}  // namespace ringside
