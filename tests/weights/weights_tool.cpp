// What Python's library is held against (against_python_test.py):
//   weights_tool list FILE...  a line of JSON for each: {"error": text}, or {"tensors": {name: [dtype, shape,
//   hex]}} weights_tool copy IN OUT   reads and writes
#include <fmt/format.h>

#include <iostream>
#include <nlohmann/json.hpp>

#include "ringside/base/error.h"
#include "ringside/weights/safetensors.h"

namespace {

using namespace ringside;

std::string hex(std::span<const std::byte> bytes) {
  std::string text;
  for (const std::byte byte : bytes) text += fmt::format("{:02x}", std::to_integer<int>(byte));
  return text;
}

nlohmann::json listed(const char* path) {
  nlohmann::json tensors = nlohmann::json::object();
  try {
    for (const SafetensorsFile file(path); const WeightTensor& tensor : file.tensors())
      tensors[tensor.name] = {to_string(tensor.type), tensor.shape, hex(tensor.bytes)};
  } catch (const InputError& error) {
    return {{"error", error.what()}};
  }
  return {{"tensors", tensors}};
}

}  // namespace

int main(int count, char** words) {
  if (count == 4 && std::string_view(words[1]) == "copy") {
    const SafetensorsFile file(words[2]);
    write_safetensors(words[3], {file.tensors().begin(), file.tensors().end()}, file.notes());
    return 0;
  }
  for (int i = 2; i < count; ++i) std::cout << listed(words[i]) << "\n";
  return 0;
}
