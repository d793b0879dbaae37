#include "ringside/base/atomic_file.h"

#include <sys/wait.h>

#include "catch.h"
#include "check_text.h"
#include "ringside/base/error.h"
#include "ringside/base/own_folder.h"
#include "ringside/base/read_file.h"
#include "ringside/base/source_tree.h"
#include "temp_folder.h"

namespace fs = std::filesystem;
using namespace ringside;
using testing::TempFolder;

namespace {

size_t entries(const TempFolder& folder) {
  return static_cast<size_t>(std::distance(fs::directory_iterator(folder.path), fs::directory_iterator()));
}

std::string content(const fs::path& path) {
  std::ifstream in(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(in), {}};
}

void put(const fs::path& path, const std::string& text) {
  write_file_atomically(path, [&](std::ostream& out) { out << text; });
}

std::string refusal(const fs::path& path, size_t most) {
  return message_of<InputError>([&] { read_file(path, most); }, "read");
}

// Where a program finds its tree, from a copy of this one in trees of its own.
constexpr char kFound[] = "assets: ", kEnd[] = "<end>";

// What a copy of this program at `program` finds, in that folder and with that variable.
std::string found_by(const fs::path& program, const fs::path& folder, const std::string& variable = "") {
  fs::create_directories(program.parent_path());
  fs::copy_file("/proc/self/exe", program, fs::copy_options::skip_existing);
  const fs::path libraries = fs::read_symlink("/proc/self/exe").parent_path() / "../lib";
  const std::string command = "cd '" + folder.string() + "' && LD_LIBRARY_PATH='" + libraries.string() +
                              "' RINGSIDE_ASSETS='" + variable + "' '" + program.string() +
                              "' '[.source_tree]' 2>&1";
  std::FILE* pipe = ::popen(command.c_str(), "r");
  REQUIRE(pipe != nullptr);
  std::string said;
  for (int c = std::fgetc(pipe); c != EOF; c = std::fgetc(pipe)) said.push_back(static_cast<char>(c));
  ::pclose(pipe);
  const size_t begin = said.find(kFound), end = said.find(kEnd);
  if (begin == std::string::npos || end == std::string::npos) return "not said in: " + said;
  const size_t from = begin + sizeof kFound - 1;
  return said.substr(from, end - from);
}

}  // namespace

TEST_CASE("a file is replaced whole, through a link too, or the old one survives") {
  const TempFolder folder;
  put(folder.path / "a", "one");
  CHECK(content(folder.path / "a") == "one");
  put(folder.path / "a", "two");
  CHECK(content(folder.path / "a") == "two");
  CHECK(entries(folder) == 1);
  put(folder.path / "a", "old");
  fs::create_symlink("a", folder.path / "link");
  put(folder.path / "link", "new");
  CHECK(fs::is_symlink(folder.path / "link"));
  CHECK(content(folder.path / "a") == "new");
  const TempFolder other;
  put(other.path / "a", "old");
  const auto half = [](std::ostream& out) {
    out << "ne";
    throw InputError("stopped");
  };
  CHECK_THROWS_AS(write_file_atomically(other.path / "a", half), InputError);
  const auto broken = [](std::ostream& out) { out.setstate(std::ios::badbit); };
  CHECK_THROWS_AS(write_file_atomically(other.path / "a", broken), InputError);
  CHECK(content(other.path / "a") == "old");
  CHECK(entries(other) == 1);
}

TEST_CASE("a place that cannot be written is named; a file is read whole, not above its limit") {
  const TempFolder folder;
  CHECK_THROWS_AS(put(folder.path, "text"), InputError);
  CHECK(lacks(message_of<InputError>([&] { put(folder.path / "none" / "a", "text"); }),
              {"none/a: cannot be written: No such file"}) == "");
  CHECK_NOTHROW(put("/dev/null", "text"));
  CHECK(fs::is_character_file("/dev/null"));
  const testing::TempFolder large;
  const fs::path path = large.path / "file";
  const std::string bytes = std::string(100'000, 'x') + '\0' + "end";
  std::ofstream(path, std::ios::binary) << bytes;
  CHECK(read_file(path, bytes.size()) == bytes);
  CHECK(read_at_most(path, 3) == "xxx");
  CHECK(read_at_most(path, 1 << 20) == bytes);
  CHECK(read_at_most(path, 70'000)->size() == 70'000);
  CHECK(refusal(path, bytes.size() - 1) ==
        path.string() + ": is longer than the 100,003 bytes that are read");
  fs::remove(path);
  CHECK_FALSE(read_at_most(path, 10));
  CHECK_FALSE(read_at_most("/tmp", 10));
  CHECK(read_at_most("/dev/zero", 70'000) == std::string(70'000, '\0'));
  CHECK(read_at_most("/dev/null", 10) == "");
  CHECK(refusal(path, 1) == path.string() + ": cannot be read: No such file or directory");
  CHECK(refusal("/tmp", 1) == "/tmp: cannot be read: Is a directory");
  CHECK(refusal("/dev/zero", 1'000'000) == "/dev/zero: is longer than the 1,000,000 bytes that are read");
}

TEST_CASE("an own folder goes with its owner, with all that is in it; where none can be made is named") {
  fs::path made;
  {
    const OwnFolder folder("ringside-test");
    made = folder.path;
    put(made / "a file", "text");
    CHECK(content(made / "a file") == "text");
  }
  CHECK_FALSE(fs::exists(made));
  const testing::TempFolder none;
  const std::string file = (none.path / "a file").string();
  put(file, "text");
  const char* before = std::getenv("TMPDIR");
  const std::string kept = before == nullptr ? "" : before;
  ::setenv("TMPDIR", file.c_str(), 1);
  const std::string refused = message_of<InputError>([] { OwnFolder("ringside-test"); });
  before == nullptr ? ::unsetenv("TMPDIR") : ::setenv("TMPDIR", kept.c_str(), 1);
  CHECK(lacks(refused, {"ringside-test", "no temporary folder", "TMPDIR"}) == "");
}

TEST_CASE("says where the assets are", "[.source_tree]") {
  try {
    std::printf("%s%s%s\n", kFound, assets().c_str(), kEnd);
  } catch (const MissingError& error) {
    std::printf("%s%s%s\n", kFound, error.what(), kEnd);
  }
}

TEST_CASE("a file of assets by its name, and a path as it stands") {
  CHECK(asset("models", "b") == (assets() / "models" / "b.json").string());
  CHECK(asset("models", "a/b") == "a/b");
  CHECK(asset("models", "b.json") == "b.json");
}

TEST_CASE("a program finds the tree that it lies in, wherever that was moved") {
  const TempFolder tree, elsewhere;
  tree.write("assets/corpus/self.gz", "");
  CHECK(found_by(tree.path / "build/release/bin/program", elsewhere.path) == tree.file("assets"));
  fs::create_directories(elsewhere.path / "moved");
  fs::rename(tree.path / "assets", elsewhere.path / "moved/assets");
  fs::rename(tree.path / "build", elsewhere.path / "moved/build");
  CHECK(found_by(elsewhere.path / "moved/build/release/bin/program", "/") == elsewhere.file("moved/assets"));
}

TEST_CASE("a program that lies in no tree finds the one it is started in, or the one that is named") {
  const TempFolder tree, other, elsewhere;
  tree.write("assets/corpus/self.gz", "");
  tree.write("lessons/zero/lesson.md", "");
  other.write("files/corpus/self.gz", "");
  const fs::path program = elsewhere.path / "program";
  CHECK(found_by(program, tree.path / "lessons/zero") == tree.file("assets"));
  CHECK(found_by(program, tree.path, other.file("files")) == other.file("files"));
}

TEST_CASE("away from any tree the error says what was looked for, where, and what to set") {
  const TempFolder elsewhere, empty;
  const fs::path program = elsewhere.path / "bin/program";
  CHECK(lacks(found_by(program, empty.path), {(elsewhere.path / "bin").string(), empty.path.string(),
                                              "assets/corpus/self.gz", "set RINGSIDE_ASSETS"}) == "");
  CHECK(found_by(program, empty.path, empty.path.string()) ==
        "RINGSIDE_ASSETS=" + empty.path.string() +
            ": there is no corpus/self.gz in it; name the folder assets of Ringside's tree");
}
