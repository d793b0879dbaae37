#include "standard_output.h"

#include <fcntl.h>
#include <unistd.h>

#include <cerrno>
#include <iostream>

namespace ringside {

void occupy_closed_streams() {
  for (const int stream : {STDIN_FILENO, STDOUT_FILENO, STDERR_FILENO})
    if (fcntl(stream, F_GETFD) < 0 && errno == EBADF)
      open("/dev/null", stream == STDIN_FILENO ? O_WRONLY : O_RDONLY);  // the least number that is free
}

StandardOutput::int_type StandardOutput::overflow(int_type letter) {
  if (!write_block()) return traits_type::eof();
  if (!traits_type::eq_int_type(letter, traits_type::eof())) sputc(traits_type::to_char_type(letter));
  return traits_type::not_eof(letter);
}

bool StandardOutput::write_block() {
  for (const char* at = pbase(); at < pptr() && error_ == 0;) {
    const ssize_t count = ::write(STDOUT_FILENO, at, size_t(pptr() - at));
    if (count >= 0)
      at += count;
    else if (errno != EINTR)
      error_ = errno;
  }
  setp(block_.data(), block_.data() + block_.size());
  return error_ == 0;
}

StandardOutput& standard_output() {
  static StandardOutput* const output = [] {
    auto* const made = new StandardOutput;  // std::cout uses it until the program ends
    std::cout.rdbuf(made);
    return made;
  }();
  return *output;
}

}  // namespace ringside
