// How much memory reading takes: this program's operator new counts.
#include "catch.h"
#include "check_text.h"
#include "counted_heap.h"
#include "ringside/base/error.h"
#include "ringside/weights/safetensors.h"
#include "small_weights.h"
#include "temp_folder.h"

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
    const int64_t before = testing::heap_bytes;
    testing::most_heap_bytes = before;
    const std::string message =
        message_of<InputError>([&] { SafetensorsFile file(folder.file("x.safetensors")); });
    CHECK(testing::most_heap_bytes - before <= 2 * static_cast<int64_t>(header.size()) + 1'000'000);
    INFO(message.substr(0, 200));
    CHECK((message == "no error") == (header.size() == tensors.size() + 1));
  }
}
