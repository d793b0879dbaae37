#include "ringside/base/read_file.h"

#include <fstream>

#include "catch.h"
#include "check_text.h"
#include "ringside/base/error.h"
#include "temp_folder.h"

using namespace ringside;
namespace fs = std::filesystem;

namespace {

std::string refusal(const fs::path& path, size_t most) {
  return message_of<InputError>([&] { read_file(path, most); }, "read");
}

}  // namespace

TEST_CASE("A file is read whole, and not above its limit") {
  const testing::TempFolder folder;
  const fs::path path = folder.path / "file";
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
