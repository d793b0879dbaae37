// Watches LibTorch's own matrix products, on every thread, and keeps the name of each that is given bf16.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace ringside::testing {

// One at a time.
class Bf16Gemms {
 public:
  Bf16Gemms();
  ~Bf16Gemms();
  Bf16Gemms(const Bf16Gemms&) = delete;
  Bf16Gemms& operator=(const Bf16Gemms&) = delete;

  std::vector<std::string> found() const;  // in the order of the calls
  int64_t seen() const;                    // products of any type

 private:
  uint64_t handle_;
};

}  // namespace ringside::testing
