// How a version of PyTorch under a launcher writes what happens.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "ringside/autopsy/diagnosis.h"
#include "ringside/base/random.h"

namespace ringside::logs {

class Dialect {
 public:
  Dialect() = default;
  explicit Dialect(RandomStream& random);
  std::string version() const;

  std::string line(int rank, const std::string& text) const;  // with the launcher's prefix
  // Of each rank in its call; last: the number of the last call that it has enqueued.
  std::string timeouts(const std::vector<std::pair<int, LoggedCall>>& waiting, int64_t last) const;
  std::string failure(Cause cause, int rank, RandomStream& random) const;  // what the rank says itself
  std::string end_of(Cause cause, int rank) const;                         // what its launcher says
  std::string fingerprint(int rank, const LoggedCall& call, int other, const LoggedCall& theirs) const;
  std::string rendezvous() const;
  std::string network_error() const;

 private:
  enum class Launcher : uint8_t { kTorchrun, kTee, kSlurm, kKubernetes, kMpi };
  static constexpr int kRanksOfNode = 8;
  bool names_rank() const {
    return version_ >= 3;
  }  // "[rank3]:" before every line of c10d and of a traceback
  std::string own_prefix(int rank) const;

  Launcher launcher_ = Launcher::kTorchrun;
  int version_ = 4;  // 2.x
};

}  // namespace ringside::logs
