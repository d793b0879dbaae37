// Runs one function on N ranks, each a named thread ("rank3"). If one throws,
// the others are woken through `on_failure` (abort the groups there), all are
// joined, and the error that came first is rethrown.
#pragma once

#include <functional>
#include <string>

namespace ringside {

void run_ranks(int size, const std::function<void(int rank)>& body,
               const std::function<void(int rank, const std::string& reason)>& on_failure);

}  // namespace ringside
