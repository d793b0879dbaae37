// What is wrong with a checkpoint, or with the disk that it is on: it ends a program with 8. The message
// names the file and what to do. Bytes of it are refused before they are believed.
#pragma once

#include "ringside/base/error.h"

namespace ringside::inline checkpoint {

using CheckpointError = ErrorOf<ExitCode::kCheckpoint>;

}  // namespace ringside::inline checkpoint
