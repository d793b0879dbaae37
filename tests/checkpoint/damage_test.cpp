// Bytes that are not those that were written: an error that names the file, or the right data, and no more
// memory than the file takes.
#include "catch.h"
#include "check_text.h"
#include "counted_heap.h"
#include "crashing_disk.h"
#include "random_cases.h"
#include "ringside/base/sha256.h"
#include "ringside/checkpoint/file_system.h"
#include "small_checkpoint.h"
#include "temp_folder.h"

using namespace ringside;
using namespace ringside::testing;

namespace {

constexpr int64_t kStep = 5;

std::vector<FileSystem::Path> files_of(CrashingDisk& disk) {
  std::vector<FileSystem::Path> files;
  for (const std::string& name : disk.list(kFolder / folder_of_step(kStep)))
    files.push_back(kFolder / folder_of_step(kStep) / name);
  return files;
}

struct Counts {
  int64_t refused = 0, right = 0, memory = 0;
  std::string wrong;
};

// Opens and reads all. any: what it says may be anything, as the hash fits.
void look(CrashingDisk& disk, const std::string& file, bool any, Counts& counts) {
  const int64_t before = heap_bytes;
  most_heap_bytes = before;
  try {
    const std::string text = content(Checkpoint(disk, kFolder, kStep));
    if (any || text == content_of_small(1))
      ++counts.right;
    else
      counts.wrong = file + ": other data";
  } catch (const CheckpointError& error) {
    ++counts.refused;
    const std::string said = error.what();
    if (!any &&
        (said.find(file) == std::string::npos || said.find("take another checkpoint") == std::string::npos))
      counts.wrong = "the message lacks the file or what to do: " + said;
  }
  counts.memory = std::max<int64_t>(counts.memory, most_heap_bytes - before);
}

// The manifest with the hash that fits it.
std::string sealed(const std::string& text) {
  const size_t body = text.size() - 64 - 14;
  Sha256 hash;
  hash.update(std::string_view(text).substr(0, body));
  return text.substr(0, body) + ",\"sha256\":\"" + hash.hex() + "\"}\n";
}

}  // namespace

TEST_CASE("flipped bytes and every truncation: refused by name") {
  const int kFlips = random_cases(10'000);
  CrashingDisk disk;
  save_small(disk, kFolder, kStep, 1, 1);
  std::mt19937 random(3);
  Counts counts;
  for (int i = 0; i < kFlips; ++i) {
    const auto files = files_of(disk);
    const auto& file = files[random() % files.size()];
    char& byte = disk.bytes_of(file)[random() % disk.bytes_of(file).size()];
    const char before = byte;
    byte = static_cast<char>(byte ^ (1 + random() % 255));
    look(disk, file.filename(), false, counts);
    byte = before;
  }
  CHECK(counts.refused == kFlips);  // each byte is under a hash
  for (const auto& file : files_of(disk)) {
    const std::string whole = disk.bytes_of(file);
    for (size_t size = 0; size < whole.size(); ++size) {
      disk.bytes_of(file) = whole.substr(0, size);
      look(disk, file.filename(), false, counts);
    }
    disk.bytes_of(file) = whole + "x";
    look(disk, file.filename(), false, counts);
    disk.bytes_of(file) = whole;
  }
  CHECK(counts.wrong == "");
  CHECK(counts.right == 0);
  CHECK(counts.memory < (1 << 20));
  look(disk, "", false, counts);
  CHECK(counts.right == 1);
}

TEST_CASE(
    "a file of several parts is read and hashed to its end; the fp32 master comes before its bf16 copy") {
  CrashingDisk disk;
  RankFile file(disk, kFolder, kStep, 0);
  std::vector<float> values((3 << 18) / 4 + 2, 1.0009765F);  // three parts and 8 bytes
  file.add({"w", "parameter", Dtype::kBFloat16, {1}}, {{0, 1, 0, 1}}, "\x80\x3f");
  file.add({"w", "master", Dtype::kFloat32, {std::ssize(values)}}, {{0, std::ssize(values), 0, 1}},
           bytes_of(values));
  file.finish();
  Manifest manifest;
  manifest.step = kStep, manifest.ranks = 1;
  publish(disk, kFolder, manifest, 1);
  const Checkpoint checkpoint(disk, kFolder, kStep);
  CHECK(whole_parameter(checkpoint, "w", {std::ssize(values)}) == values);
  disk.bytes_of(kFolder / folder_of_step(kStep) / "rank-0.bin").back() ^= 1;
  CHECK_THROWS_AS(Checkpoint(disk, kFolder, kStep), CheckpointError);
}

TEST_CASE("manifests whose hash fits, with other digits and words: an error, or what the files hold") {
  const int kManifests = random_cases(10'000);
  CrashingDisk disk;
  save_small(disk, kFolder, kStep, 1, 1);
  const auto file = kFolder / folder_of_step(kStep) / kManifestName;
  const std::string whole = disk.bytes_of(file);
  std::mt19937 random(4);
  const std::string letters = "0123456789-[]{},:\".e";
  Counts counts;
  for (int i = 0; i < kManifests; ++i) {
    std::string text = whole;
    const size_t at = random() % (text.size() - 78);
    if (i % 3 == 0)
      text.insert(at, std::string(1 + random() % 12, letters[random() % letters.size()]));
    else
      text[at] = i % 3 == 1 ? letters[random() % letters.size()] : static_cast<char>(random());
    disk.bytes_of(file) = sealed(text);
    look(disk, "", true, counts);
  }
  CHECK(counts.refused > kManifests / 2);
  CHECK(counts.right > 10);
  CHECK(counts.memory < 2 * std::ssize(whole) + (1 << 20));
}

namespace {

std::string refusal(const Manifest& manifest) {
  return message_of<CheckpointError>([&] { read_manifest(to_text(manifest), "here"); }, "");
}

// One tensor of (4, 6) in one file.
Manifest one_tensor() {
  Manifest manifest;
  manifest.files = {{"rank-0.bin", 96, std::string(64, '0')}};
  manifest.tensors = {{"w", "master", Dtype::kFloat32, {4, 6}}};
  manifest.pieces = {{0, 0, 0, 96, {{0, 24, 0, 1}}}};
  return manifest;
}

}  // namespace

TEST_CASE("a manifest says nothing that its files cannot hold") {
  REQUIRE(refusal(one_tensor()) == "");
  const auto refused = [](const std::string& why, const std::function<void(Manifest&)>& change) {
    Manifest manifest = one_tensor();
    change(manifest);
    CHECK(lacks(refusal(manifest), {"here", why}) == "");
  };
  refused("not all there", [](Manifest& m) { m.tensors[0].shape = {int64_t{1} << 40, 6}; });
  refused("too large", [](Manifest& m) { m.tensors[0].shape = {int64_t{1} << 40, int64_t{1} << 40}; });
  refused("offset", [](Manifest& m) { m.pieces[0].offset = 97; });
  refused("bytes", [](Manifest& m) { m.pieces[0].bytes = 100; });
  refused("the runs of one are not its bytes", [](Manifest& m) { m.pieces[0].runs[0].count = 23; });
  refused("ends behind its tensor", [](Manifest& m) { m.pieces[0].runs[0] = {1, 24, 0, 1}; });
  refused("overlaps itself", [](Manifest& m) { m.pieces[0].runs[0] = {0, 12, 6, 2}; });
  refused("ends behind its tensor", [](Manifest& m) { m.pieces[0].runs[0] = {0, 12, 24, 24}; });
  refused("tensor", [](Manifest& m) { m.pieces[0].tensor = 1; });
  refused("file", [](Manifest& m) { m.pieces[0].file = 1; });
  refused("no rank's file", [](Manifest& m) { m.files[0].name = "../rank-0.bin"; });
  refused("no rank's file", [](Manifest& m) { m.files[0].name = "rank-/../a.bin"; });
  refused("not all there", [](Manifest& m) { m.pieces[0] = {0, 0, 0, 92, {{0, 23, 0, 1}}}; });
  refused("not one a rank", [](Manifest& m) { m.ranks = 2; });
}

TEST_CASE("stretches are put together where they go on in one step") {
  std::vector<Stretches> runs;
  for (int64_t row = 0; row < 5; ++row) add_stretch(runs, 3 + row * 10, 4);  // columns of a matrix
  CHECK((runs == std::vector<Stretches>{{3, 4, 10, 5}}));
  add_stretch(runs, 53, 2);
  add_stretch(runs, 40, 2);  // not ahead
  CHECK((runs == std::vector<Stretches>{{3, 4, 10, 5}, {53, 2, 0, 1}, {40, 2, 0, 1}}));
}

TEST_CASE("on the machine's disk: saved, replaced, read; what differs is named") {
  const TempFolder temp;
  const FileSystem::Path folder = temp.path / "a" / "run";
  save_small(disk(), folder, 5, 1, 2);
  save_small(disk(), folder, 5, 2, 2);  // the same step
  save_small(disk(), folder, 6, 3, 2);
  CHECK((disk().list(folder) == std::vector<std::string>{"step-000005", "step-000006"}));
  CHECK(content(Checkpoint(disk(), folder, 5)) == content_of_small(2));
  const Checkpoint newest(disk(), folder, 6);
  CHECK(content(newest) == content_of_small(3));
  newest.require({{"seed", "7"}});
  const std::string other = message_of<CheckpointError>([&] { newest.require({{"seed", "8"}}); });
  CHECK(lacks(other, {"step-000006", "seed=7", "seed=8"}) == "");
  std::filesystem::create_directory(folder / "step-000007");
  std::filesystem::create_directory(folder / "step-000007" / kManifestName);
  CHECK(latest(disk(), folder).step == 6);
}

TEST_CASE("pieces that overlap and leave a hole: the missing element is named, not read as zero") {
  CrashingDisk disk;
  save_small(disk, kFolder, kStep, 1, 1);
  const FileSystem::Path file = kFolder / folder_of_step(kStep) / "manifest.json";
  const auto refusal_of_read = [&] {
    return message_of<InputError>([&] { whole_parameter(Checkpoint(disk, kFolder, kStep), "w", {6, 5}); });
  };
  CHECK(refusal_of_read() == "no error");
  Manifest manifest = read_manifest(disk.bytes_of(file), "here");
  for (StateRuns& piece : manifest.pieces)
    if (piece.runs[0].begin == 20) piece.runs[0].begin = 10;
  disk.bytes_of(file) = to_text(manifest);
  CHECK(lacks(refusal_of_read(), {"element 20 of 'w' is not there"}) == "");
}
