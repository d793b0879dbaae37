#include <filesystem>

#include "catch.h"
#include "ringside/base/error.h"
#include "ringside/flight/files.h"
#include "scene.h"
#include "temp_folder.h"

using namespace ringside;
using testing::TempFolder;
namespace fs = std::filesystem;

namespace {

std::string reason(const std::string& path) {
  try {
    read_flight_dumps(path);
  } catch (const InputError& error) {
    return error.what();
  }
  return "read";
}

std::vector<FlightDump> two_ranks() {
  Scene scene(2, {"dp"});
  scene.together({0, 1}, "dp");
  scene.stuck({0}, "dp");
  return scene.end();
}

}  // namespace

TEST_CASE("dumps are written for both readers and come back") {
  const TempFolder folder;
  const std::vector<FlightDump> dumps = two_ranks();
  write_flight_dumps(dumps, folder.file("inner"));
  for (const char* name : {"flight_0.json", "flight_1.json", "rank_0", "rank_1"})
    CHECK(fs::is_regular_file(folder.path / "inner" / name));
  const std::vector<FlightDump> back = read_flight_dumps(folder.file("inner"));
  REQUIRE(back.size() == 2);
  for (size_t i = 0; i < 2; ++i) CHECK(flight_json(back[i]) == flight_json(dumps[i]));
  const std::vector<FlightDump> one = read_flight_dumps(folder.file("inner/flight_1.json"));
  REQUIRE(one.size() == 1);
  CHECK(one[0].rank == 1);
}

TEST_CASE("a dump without its rank has it in its name") {
  const TempFolder folder;
  std::string text = flight_json(two_ranks()[1]);
  text.replace(text.find("\"rank\":1,"), 9, "");
  folder.write("nccl_trace_rank_7.json", text);
  CHECK(read_flight_dumps(folder.path.string()).at(0).rank == 7);
  folder.write("nameless.json", text);
  CHECK(reason(folder.file("nameless.json")) == folder.file("nameless.json") + ": no 'rank'");
}

TEST_CASE("what cannot be read is named") {
  const TempFolder folder;
  CHECK(reason(folder.file("none")) == folder.file("none") + ": cannot be read: No such file or directory");
  CHECK(reason(folder.path.string()) == folder.path.string() + ": no *.json in it");
  folder.write("a.json", flight_json(two_ranks()[0]));
  folder.write("b.json", flight_json(two_ranks()[0]));
  CHECK(reason(folder.path.string()) == folder.path.string() + ": two dumps of rank 0");
  folder.write("b.json", "{");
  CHECK(reason(folder.path.string()) == folder.file("b.json") + ": not JSON from byte 2 on");
  fs::remove(folder.path / "b.json");
  fs::create_directories(folder.path / "c.json");
  CHECK(reason(folder.path.string()) == folder.file("c.json") + ": cannot be read: Is a directory");
  CHECK_THROWS_AS(write_flight_dumps(two_ranks(), folder.file("a.json")), InputError);
}
