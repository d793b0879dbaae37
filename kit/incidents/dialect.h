// How a version of PyTorch under a launcher writes what happens.
#pragma once

#include <string>
#include <vector>

#include "ringside/autopsy/diagnosis.h"
#include "ringside/base/random.h"

namespace ringside::inline kit {

// A line of an incident, and who wrote it; rank -1: the launcher, whose lines have no prefix.
struct Said {
  int rank = -1;
  std::string text;
};
using Lines = std::vector<Said>;

class Dialect {
 public:
  Dialect() = default;
  explicit Dialect(RandomStream& random);
  std::string version() const;
  int minor() const { return version_; }
  bool shows_rank() const;  // each line says which rank of the job wrote it

  std::string line(const Said& said) const;                             // with the launcher's prefix
  Lines timeout(int rank, const LoggedCall& call, int64_t last) const;  // last: that it has enqueued
  Lines end_of(int rank, int exit_code) const;                          // what the launcher says
  std::string fingerprint(int rank, const LoggedCall& call, int other, const LoggedCall& theirs) const;

 private:
  enum class Launcher : uint8_t { kTorchrun, kTee, kSlurm, kKubernetes, kMpi };
  // "[rank3]:" before every line of c10d and of a traceback
  bool names_rank() const { return version_ >= 3; }

  Launcher launcher_ = Launcher::kTorchrun;
  int version_ = 4;  // 2.x
};

inline constexpr int kRanksOfNode = 8;

}  // namespace ringside::inline kit
