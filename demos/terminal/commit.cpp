#include "commit.h"

#include "ringside_commit.h"

namespace ringside {

const char* commit_of_build() { return kRingsideCommit; }

}  // namespace ringside
