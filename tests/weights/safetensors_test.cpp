#include "ringside/weights/safetensors.h"

#include <fmt/format.h>

#include "catch.h"
#include "check_text.h"
#include "random_cases.h"
#include "ringside/base/error.h"
#include "ringside/base/random.h"
#include "small_weights.h"
#include "temp_folder.h"

using namespace ringside;

namespace {

// What reading a file with this header is refused with.
std::string refused(const std::string& header, size_t data = 24) {
  const testing::TempFolder folder;
  folder.write("x.safetensors", file_of(header, data));
  return message_of<InputError>([&] { SafetensorsFile file(folder.file("x.safetensors")); });
}

std::string with(std::string of, const std::string& old, const std::string& replacement) {
  const size_t at = of.find(old);
  REQUIRE(at != std::string::npos);
  return of.replace(at, old.size(), replacement);
}

// Reads it; where that succeeds, the tensors are all of the data, each in its place.
bool is_read(const testing::TempFolder& folder, const std::string& bytes) {
  folder.write("x.safetensors", bytes);
  try {
    const SafetensorsFile file(folder.file("x.safetensors"));
    size_t length = 0;
    for (size_t i = 0; i < 8; ++i) length |= size_t{static_cast<uint8_t>(bytes[i])} << (8 * i);
    const std::byte* least = nullptr;
    size_t sum = 0;
    for (const WeightTensor& tensor : file.tensors()) {
      int64_t count = 1;
      for (const int64_t size : tensor.shape) count *= size;
      CHECK(count * bits_of(tensor.type) == static_cast<int64_t>(8 * tensor.bytes.size()));
      if (least == nullptr || tensor.bytes.data() < least) least = tensor.bytes.data();
      sum += tensor.bytes.size();
    }
    CHECK(sum == bytes.size() - 8 - length);
    for (const WeightTensor& tensor : file.tensors()) {
      const auto offset = static_cast<size_t>(tensor.bytes.data() - least);
      CHECK(std::memcmp(tensor.bytes.data(), bytes.data() + 8 + length + offset, tensor.bytes.size()) == 0);
    }
    return true;
  } catch (const InputError& error) {
    CHECK(lacks(error.what(), {folder.file("x.safetensors"), "fetch"}) == "");
    return false;
  }
}

}  // namespace

TEST_CASE("A safetensors file gives its tensors by name") {
  const testing::TempFolder folder;
  folder.write("x.safetensors", file_of(kSmallHeader));
  const SafetensorsFile file(folder.file("x.safetensors"));
  REQUIRE(file.tensors().size() == 3);
  CHECK(file.notes() == WeightNotes{{"format", "pt"}});
  const WeightTensor* const b = file.find("b");
  REQUIRE(b != nullptr);
  CHECK(b->type == WeightType::kBF16);
  CHECK(b->shape == std::vector<int64_t>{4});
  CHECK(std::to_integer<int>(b->bytes.front()) == 17);
  CHECK(file.find("none")->bytes.empty());
  CHECK(file.find("c") == nullptr);
}

TEST_CASE("Every element type is written and read, the largest first, then by name") {
  const testing::TempFolder folder;
  std::vector<OwnedTensor> owned;
  for (size_t i = 0; i < texts(WeightType{}).size(); ++i) {
    const auto type = static_cast<WeightType>(i);
    const std::vector<int64_t> shape{4, 2};
    owned.push_back({{fmt::format("t{:02}\"\n", 30 - i), type, shape, {}},
                     some_bytes(static_cast<size_t>(bits_of(type)), static_cast<int>(i))});
  }
  std::vector<WeightTensor> tensors;
  for (OwnedTensor& one : owned) one.tensor.bytes = one.bytes, tensors.push_back(one.tensor);
  tensors.push_back({"scalar", WeightType::kF32, {}, std::span(owned.back().bytes).first(4)});
  write_safetensors(folder.file("x"), tensors, {{"a", "1"}, {"b", "\"2\""}});
  const SafetensorsFile file(folder.file("x"));
  CHECK(file.notes() == WeightNotes{{"a", "1"}, {"b", "\"2\""}});
  REQUIRE(file.tensors().size() == tensors.size());
  CHECK(file.tensors().front().type == WeightType::kU64);
  CHECK(file.tensors().back().type == WeightType::kBool);
  for (const WeightTensor& wrote : tensors) {
    const WeightTensor* const read = file.find(wrote.name);
    REQUIRE(read != nullptr);
    CHECK((read->type == wrote.type && read->shape == wrote.shape));
    CHECK(std::ranges::equal(read->bytes, wrote.bytes));
    if (bits_of(read->type) >= 8)
      CHECK(reinterpret_cast<uintptr_t>(read->bytes.data()) %
                (static_cast<size_t>(bits_of(read->type)) / 8) ==
            0);
  }
}

TEST_CASE("What the writer is not given right is a UsageError, and no file is left") {
  const testing::TempFolder folder;
  const std::vector<std::byte> bytes = some_bytes(16);
  const auto wrong = [&](const std::vector<WeightTensor>& tensors) {
    return message_of<UsageError>([&] { write_safetensors(folder.file("x"), tensors); });
  };
  const WeightTensor good{"a", WeightType::kF32, {2, 2}, bytes};
  CHECK(wrong({good, good}) == "the name 'a' is given twice");
  CHECK(wrong({good, {"a", WeightType::kI32, {4}, bytes}}) == "the name 'a' is given twice");
  CHECK(wrong({{"a", WeightType::kF32, {3}, bytes}}) == "'a': 16 bytes are given, its shape takes 12");
  CHECK(lacks(wrong({{"\xff", WeightType::kF32, {4}, bytes}}), {"UTF-8"}) == "");
  CHECK(lacks(wrong({{"__metadata__", WeightType::kF32, {4}, bytes}}), {"no tensor"}) == "");
  CHECK(std::filesystem::is_empty(folder.path));
}

TEST_CASE("Headers that do not fit the file are refused with the tensor and the numbers") {
  const std::string good = kSmallHeader;
  CHECK(lacks(refused(with(good, "[16,24]", "[12,20]")), {"'a' begins at 0", "'none' begins at 24"}) != "");
  CHECK(lacks(refused(with(good, "[16,24]", "[12,20]")),
              {"'b' begins at 12, the tensor before it ends at 16"}) == "");
  CHECK(lacks(refused(good, 25), {"1 bytes behind the last tensor"}) == "");
  CHECK(lacks(refused(good, 23), {"'b' lies at 16 to 24, the file has data up to 23"}) == "");
  CHECK(lacks(refused(with(good, "[2,2]", "[2,3]")), {"'a' has 16 bytes, its shape takes 24"}) == "");
  CHECK(lacks(refused(with(good, "[0,16]", "[16,0]")), {"'a' lies at 16 to 0"}) == "");
  CHECK(lacks(refused(with(good, "\"b\"", "\"a\"")), {"the name 'a' stands twice"}) == "");
  CHECK(lacks(refused(with(good, "[2,2]", "[4611686018427387904,4]")), {"2^63"}) == "");
  CHECK(lacks(refused(with(good, "[2,2]", "[0,4611686018427387904,4]")),
              {"'a' has 16 bytes, its shape takes 0"}) == "");
  CHECK(lacks(refused(with(good, "[2,2]", "[18446744073709551615]")), {"'a', shape", "2^63"}) == "");
  CHECK(lacks(refused(with(good, "[2,2]", "[-4]")), {"'a', shape: a negative number"}) == "");
  CHECK(lacks(refused(with(good, "[2,2]", "[4.0]")), {"a fraction"}) == "");
  CHECK(lacks(refused(with(good, "[2,2]", "[[4]]")), {"an array"}) == "");
  CHECK(lacks(refused(with(good, "[2,2]", "[1,1,1,1,1,1,1,2,2]")), {"more numbers than 8"}) == "");
  CHECK(lacks(refused(with(good, "F32", "F31")), {"unknown element type 'F31'"}) == "");
  CHECK(lacks(refused(with(good, "\"dtype\":\"F32\",", "")), {"'a'", "less than dtype"}) == "");
  CHECK(lacks(refused(with(good, "\"dtype\"", "\"kind\"")), {"'a', kind: the unknown key"}) == "");
  CHECK(lacks(refused(with(good, "\"pt\"", "1")), {"'__metadata__', format: a number"}) == "");
  CHECK(lacks(refused(with(good, "{\"format\":\"pt\"}", "{},\"__metadata__\":{}")), {"stands twice"}) == "");
  CHECK(lacks(refused(with(good, "[2,2]", std::string(1000, '['))), {"not allowed"}) == "");
  CHECK(lacks(refused(with(good, "pt", std::string(kMostWeightText + 1, 'x'))), {"a text of over"}) == "");
  CHECK(lacks(refused("[" + good + "]"), {"brace"}) == "");
  CHECK(lacks(refused(" " + good), {"brace"}) == "");
  CHECK(lacks(refused(good + "x"), {"not JSON"}) == "");
}

TEST_CASE("Pickles and pointers of Git LFS are recognised and refused with what to do") {
  const testing::TempFolder folder;
  const std::vector<std::pair<std::string, std::string>> others{
      {std::string("PK\x03\x04 and so on", 14), "torch.load"},
      {std::string("\x80\x02\x8a\x0al\xfc\x9c"
                   "F\xf9 j\xa8P\x19.",
                   16),
       "torch.load"},
      {"version https://git-lfs.github.com/spec/v1\noid sha256:0", "git lfs pull"}};
  for (const auto& [bytes, advice] : others) {
    folder.write("x.bin", bytes);
    CHECK(lacks(message_of<InputError>([&] { SafetensorsFile file(folder.file("x.bin")); }),
                {"x.bin", advice}) == "");
  }
  CHECK(lacks(message_of<InputError>([&] { SafetensorsFile file(folder.path); }), {"directory"}) == "");
  CHECK(lacks(message_of<InputError>([&] { SafetensorsFile file("/nowhere"); }), {"/nowhere", "No such"}) ==
        "");
  // A header of 640 bytes begins as a pickle does, and is none.
  std::string header = kSmallHeader;
  header.resize(640, ' ');
  CHECK(is_read(folder, file_of(header)));
}

TEST_CASE("A truncated file is refused, wherever it ends") {
  const testing::TempFolder folder;
  const std::string whole = file_of(kSmallHeader);
  CHECK(is_read(folder, whole));
  for (size_t bytes = 0; bytes < whole.size(); ++bytes)
    if (is_read(folder, whole.substr(0, bytes))) FAIL("read with " << bytes << " bytes");
}

TEST_CASE("flipped bytes: refused, or every tensor in its place") {
  const int kFlips = testing::random_cases(10'000);
  const testing::TempFolder folder;
  const std::string whole = file_of(kSmallHeader);
  RandomStream stream(38, "flips");
  int read = 0;
  for (int i = 0; i < kFlips; ++i) {
    std::string bytes = whole;
    const auto at =
        std::min(static_cast<size_t>(stream.uniform() * static_cast<double>(whole.size())), whole.size() - 1);
    bytes[at] = static_cast<char>(static_cast<int>(stream.uniform() * 255) + 1 + bytes[at]);
    read += is_read(folder, bytes);
  }
  CHECK(read > kFlips / 100);  // names and data
  CHECK(read < 9 * (kFlips / 10));
}
