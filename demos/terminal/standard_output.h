// The standard streams of a program: none of them is closed, and what stdout did not take is known.
#pragma once

#include <array>
#include <streambuf>

namespace ringside {

// A closed one is opened on /dev/null the wrong way round, so that reading and writing it fail as before.
// Else the next file that is opened had its number, and was written what was meant for stdout.
void occupy_closed_streams();

// What std::cout writes through: descriptor 1, and the first error of a write.
class StandardOutput final : public std::streambuf {
 public:
  StandardOutput() { setp(block_.data(), block_.data() + block_.size()); }
  int error() const { return error_; }  // errno; 0 where all was written

 protected:
  int_type overflow(int_type letter) override;
  int sync() override { return write_block() ? 0 : -1; }

 private:
  bool write_block();
  std::array<char, size_t{1} << 14> block_;
  int error_ = 0;
};

StandardOutput& standard_output();  // std::cout's from the first call on

}  // namespace ringside
