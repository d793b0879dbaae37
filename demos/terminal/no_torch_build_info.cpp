#include "build_info.h"

namespace ringside {

void know_torch() {}

}  // namespace ringside
