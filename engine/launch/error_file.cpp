#include <chrono>
#include <string>

#include "ringside/base/atomic_file.h"
#include "ringside/base/json.h"
#include "ringside/base/text.h"
#include "ringside/launch/resolve.h"

namespace ringside::inline launch {

// {"message": {"message": ..., "extraInfo": {"py_callstack": ..., "timestamp": whole seconds as text}}}:
// torch 1.13 to 2.x, torch/distributed/elastic/multiprocessing/errors/error_handler.py.
void write_error_file(const Launch& launch, const std::string& message, int blamed) {
  if (launch.error_file.value.empty()) return;
  constexpr std::chrono::seconds kLater{6};  // torchrun looks every 0.1 s, before 2.0 every 5 s
  auto time = std::chrono::system_clock::now();
  if (blamed >= 0 && blamed != launch.rank.value) time += kLater;
  const auto seconds = std::chrono::duration_cast<std::chrono::seconds>(time.time_since_epoch()).count();
  const Json extra = {{"py_callstack", ""}, {"timestamp", std::to_string(seconds)}};
  const Json json = {{"message", {{"message", printable(message)}, {"extraInfo", extra}}}};
  try {
    write_file_atomically(launch.error_file.value, [&](std::ostream& out) {
      out << json.dump(-1, ' ', false, Json::error_handler_t::replace);
    });
  } catch (const InputError&) {  // the error itself has been said; a folder that has gone does not hide it
  }
}

}  // namespace ringside::inline launch
