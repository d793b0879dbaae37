// Where a program finds its tree, from a copy of this one in trees of its own.
#include "ringside/base/source_tree.h"

#include <sys/wait.h>

#include <cstdio>
#include <cstdlib>

#include "catch.h"
#include "check_text.h"
#include "ringside/base/error.h"
#include "temp_folder.h"

namespace fs = std::filesystem;
using namespace ringside;
using testing::TempFolder;

namespace {

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

TEST_CASE("says where the assets are", "[.source_tree]") {
  try {
    std::printf("%s%s%s\n", kFound, assets().c_str(), kEnd);
  } catch (const MissingError& error) {
    std::printf("%s%s%s\n", kFound, error.what(), kEnd);
  }
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
