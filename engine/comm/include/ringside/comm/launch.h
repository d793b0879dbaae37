// Runs one function on N ranks, each a thread of its own ("rank3").
#pragma once

#include <exception>
#include <functional>
#include <string>

namespace ringside::inline comm {

// Returns when every rank has. A rank that throws is reported to `on_failure` at once, on its own
// thread, so that the others can be woken there (abort the groups). When all are joined, the error
// that came first is rethrown; a PeerLostError only if there is no other, being the echo of one.
void run_ranks(int size, const std::function<void(int rank)>& body,
               const std::function<void(int rank, const std::string& reason)>& on_failure);

// Its what(), or that it is no std::exception.
std::string reason_of(const std::exception_ptr& error);

}  // namespace ringside::inline comm
