// Plain Python values as a pickle, protocol 2 (PEP 307, Lib/pickletools.py): dict, list, tuple, str, int,
// float, bool and None, nothing that is called when it is read.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace ringside::flight {

// Values are written in order; what is between begin and end belongs to it. A dict's are keys and values
// in turn.
class PickleWriter {
 public:
  PickleWriter();

  void begin_dict();
  void end_dict();
  void begin_list();
  void end_list();
  void begin_tuple();
  void end_tuple();
  void text(std::string_view utf8);  // bytes that are no UTF-8 become U+FFFD
  void integer(int64_t value);
  void real(double value);
  void boolean(bool value);
  void none();

  // A key of a dict with its value.
  void field(std::string_view key, std::string_view value) { text(key), text(value); }
  void field(std::string_view key, int64_t value) { text(key), integer(value); }

  std::string finish();  // the writer is spent

 private:
  std::string bytes_;
};

}  // namespace ringside::flight
