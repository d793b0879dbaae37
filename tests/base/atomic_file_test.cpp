#include "ringside/base/atomic_file.h"

#include <fstream>
#include <iterator>
#include <string>

#include "catch.h"
#include "check_text.h"
#include "ringside/base/error.h"
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

}  // namespace

TEST_CASE("a file is created and replaced whole") {
  const TempFolder folder;
  put(folder.path / "a", "one");
  CHECK(content(folder.path / "a") == "one");
  put(folder.path / "a", "two");
  CHECK(content(folder.path / "a") == "two");
  CHECK(entries(folder) == 1);
}

TEST_CASE("the old file survives a failure while the new one is written") {
  const TempFolder folder;
  put(folder.path / "a", "old");
  const auto half = [](std::ostream& out) {
    out << "ne";
    throw InputError("stopped");
  };
  CHECK_THROWS_AS(write_file_atomically(folder.path / "a", half), InputError);
  const auto broken = [](std::ostream& out) { out.setstate(std::ios::badbit); };
  CHECK_THROWS_AS(write_file_atomically(folder.path / "a", broken), InputError);
  CHECK(content(folder.path / "a") == "old");
  CHECK(entries(folder) == 1);
}

TEST_CASE("a link stays a link") {
  const TempFolder folder;
  put(folder.path / "a", "old");
  fs::create_symlink("a", folder.path / "link");
  put(folder.path / "link", "new");
  CHECK(fs::is_symlink(folder.path / "link"));
  CHECK(content(folder.path / "a") == "new");
}

TEST_CASE("a place that cannot be written is named") {
  const TempFolder folder;
  CHECK_THROWS_AS(put(folder.path, "text"), InputError);
  CHECK(lacks(message_of<InputError>([&] { put(folder.path / "none" / "a", "text"); }),
              {"none/a: cannot be written: No such file"}) == "");
}

TEST_CASE("a device is written in place") {
  CHECK_NOTHROW(put("/dev/null", "text"));
  CHECK(fs::is_character_file("/dev/null"));
}
