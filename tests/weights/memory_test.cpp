// How much memory reading takes: this program's operator new counts.
#include <malloc.h>

#include <atomic>
#include <cstdlib>
#include <new>

#include "catch.h"
#include "check_text.h"
#include "ringside/base/error.h"
#include "ringside/weights/safetensors.h"
#include "small_weights.h"
#include "temp_folder.h"

namespace {

std::atomic<int64_t> held_bytes{0}, most_held_bytes{0};

}  // namespace

void* operator new(size_t bytes) {
  void* const at = std::malloc(bytes);
  if (at == nullptr) throw std::bad_alloc();
  const int64_t now = held_bytes += static_cast<int64_t>(malloc_usable_size(at));
  if (now > most_held_bytes) most_held_bytes = now;
  return at;
}
void operator delete(void* at) noexcept {
  held_bytes -= static_cast<int64_t>(malloc_usable_size(at));
  std::free(at);
}
void operator delete(void* at, size_t) noexcept { operator delete(at); }

using namespace ringside;

TEST_CASE("Reading takes at most twice the file and 1 MB, whatever its header says") {
  std::string tensors = "{", notes = R"({"__metadata__":{)", name = R"({"a)", deep = R"({"a":{"shape":)";
  for (size_t i = 0; i < kMostSafetensors; ++i)
    tensors += std::string(i == 0 ? "" : ",") + "\"" + std::to_string(i) +
               R"(":{"dtype":"F32","shape":[0,0,0,0,0,0,0,0],"data_offsets":[0,0]})";
  for (int i = 0; i < 100'000; ++i) notes += (i == 0 ? "\"" : ",\"") + std::to_string(i) + R"(":"")";
  name.append(4'000'000, 'a') += "\":{}}";
  deep.append(4'000'000, '[');
  const testing::TempFolder folder;
  for (const std::string& header : {tensors + "}", notes + "}}", name, deep}) {
    folder.write("x.safetensors", file_of(header, 0));
    const int64_t before = held_bytes;
    most_held_bytes = before;
    const std::string message =
        message_of<InputError>([&] { SafetensorsFile file(folder.file("x.safetensors")); });
    CHECK(most_held_bytes - before <= 2 * static_cast<int64_t>(header.size()) + 1'000'000);
    INFO(message.substr(0, 200));
    CHECK((message == "no error") == (header.size() == tensors.size() + 1));
  }
}
