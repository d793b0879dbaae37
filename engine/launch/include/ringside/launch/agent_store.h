// The store that torchrun's agent keeps, LibTorch's TCPStore: rank 0 says there where the store of the run is
// (launch/store.h), so that no port is agreed on beforehand.
//
//   AgentStore agent(MASTER_ADDR, MASTER_PORT, deadline);
//   agent.set("a run/0/address", "10.0.0.7 41235");      // rank 0
//   agent.get("a run/0/address", deadline);              // the others
//
// It speaks the few words itself. torchrun and the LibTorch that a program is linked with are of two versions
// often (Debian's 1.13 and pip's), and a c10d::TCPStore of 1.13 understands none from 2.2 on. Numbers are
// little-endian; a text is its length in 8 bytes, then itself:
//
//                  to 2.1  from 2.2
//   validate         -       0       + a magic number: the first word of a connection
//   set              0       1       + key, value; no answer
//   get              2       3       + key; the value, and the connection ends where there is none
//   check, wait      4, 5    5, 6    + how many keys, keys; one byte, of wait when all are there
//   count the keys   6       7       8 bytes
//
// Source: LibTorch, torch/csrc/distributed/c10d/TCPStore.cpp of 1.13, TCPStoreBackend.cpp of later ones.
#pragma once

#include <string>
#include <string_view>

#include "ringside/base/clock.h"
#include "ringside/launch/process.h"

namespace ringside::inline launch {

class AgentStore {
 public:
  // Tries until the deadline. StoreTimeoutError where nobody answers, StoreRefusedError where something else
  // does, or a store of another protocol.
  AgentStore(const std::string& address, int port, TimePoint deadline);

  void set(const std::string& key, std::string_view value);
  // Waits until it is there. After a StoreTimeoutError, which names the key, nothing more can be asked.
  std::string get(const std::string& key, TimePoint deadline);
  std::string own_address() const;  // by which this process reaches it

 private:
  bool meet(const std::string& address, int port, TimePoint deadline);
  std::string question(int word, std::string_view rest) const;
  void send(const std::string& bytes, TimePoint deadline);
  template <typename T>
  T number(TimePoint deadline, const std::string& awaited);

  const std::string place_;
  Descriptor socket_;
  int first_word_ = 0;  // `set`: 1 where there is `validate`
};

}  // namespace ringside::inline launch
