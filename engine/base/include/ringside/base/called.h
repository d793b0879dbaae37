// How the person called this program, where it was called by another one.
#pragma once

#include <string>

namespace ringside::inline base {

// What ./run says in RINGSIDE_CALLED: "./run", or the path by which it was called; "" without the variable.
std::string called_by();

}  // namespace ringside::inline base
