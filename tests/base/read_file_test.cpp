#include "ringside/base/read_file.h"

#include <unistd.h>

#include <fstream>

#include "catch.h"
#include "ringside/base/error.h"

using namespace ringside;
namespace fs = std::filesystem;

namespace {

std::string refusal(const fs::path& path, size_t most) {
  try {
    read_file(path, most);
  } catch (const InputError& error) {
    return error.what();
  }
  return "read";
}

}  // namespace

TEST_CASE("A file is read whole, and not above its limit") {
  const fs::path path = fs::temp_directory_path() / ("ringside_read_" + std::to_string(::getpid()));
  const std::string bytes = std::string(100'000, 'x') + '\0' + "end";
  std::ofstream(path, std::ios::binary) << bytes;
  CHECK(read_file(path, bytes.size()) == bytes);
  CHECK(refusal(path, bytes.size() - 1) == path.string() + ": more than 100003 bytes");
  fs::remove(path);
  CHECK(refusal(path, 1) == path.string() + ": cannot be read: No such file or directory");
  CHECK(refusal("/tmp", 1) == "/tmp: cannot be read: Is a directory");
  CHECK(refusal("/dev/zero", 1'000'000) == "/dev/zero: more than 1000000 bytes");
}
