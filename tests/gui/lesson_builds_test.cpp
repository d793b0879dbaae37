// How lessons are built behind the room, by a script that stands in for
// ./run.
#include "lesson_builds.h"

#include <catch.h>

#include "ringside/base/error.h"
#include "temp_folder.h"

namespace ringside::gui {
namespace {

// What the build of a lesson does: the script's text; $2 is the lesson.
struct Builds {
  testing::TempFolder folder;
  LessonBuilds builds;

  explicit Builds(const std::string& script) : builds(write(script)) {}

  std::filesystem::path write(const std::string& script) {
    folder.write("run", "#!/bin/sh\n" + script);
    std::filesystem::permissions(folder.path / "run", std::filesystem::perms::owner_all);
    return folder.path / "run";
  }
  LessonBuilds::Done wait() {
    for (int i = 0; i < 2000; ++i) {
      if (auto done = builds.poll()) return *done;
      std::this_thread::sleep_for(std::chrono::milliseconds(5));
    }
    FAIL("the build did not end");
    return {};
  }
  void until(const std::string& progress) {
    for (int i = 0; i < 2000 && builds.progress() != progress; ++i) {
      builds.poll();
      std::this_thread::sleep_for(std::chrono::milliseconds(5));
    }
    REQUIRE(builds.progress() == progress);
  }
};

}  // namespace

TEST_CASE("a build tells how far it is, and that it is done") {
  Builds room(
      "echo 'release: compiling 3 of 12, about 9 s left' >&2; "
      "while [ ! -e \"$(dirname $0)/go\" ]; do sleep 0.01; done");
  CHECK_FALSE(room.builds.running());
  room.builds.ask("norms");
  CHECK(room.builds.running());
  CHECK(room.builds.building() == "norms");
  room.until("compiling 3 of 12, about 9 s left");
  CHECK(room.builds.part() == 0.25);
  room.builds.ask("norms");  // once more changes nothing
  room.folder.write("go", "");
  const LessonBuilds::Done done = room.wait();
  CHECK(done.id == "norms");
  CHECK(done.error == "");
  CHECK_FALSE(room.builds.running());
}

TEST_CASE("several are built in turns, one that fails says why; without a tree nothing is") {
  Builds room("[ $2 != drift ] || { echo 'run.cpp:3: error: no such thing' >&2; exit 1; }");
  for (const char* id : {"zero", "drift", "norms"}) room.builds.ask(id);
  CHECK(room.builds.awaits("norms"));
  CHECK_FALSE(room.builds.awaits("fits"));
  CHECK(room.wait().error == "");
  const LessonBuilds::Done failed = room.wait();
  CHECK(failed.id == "drift");
  CHECK(failed.error == "run.cpp:3: error: no such thing\n");
  CHECK(room.wait().id == "norms");
  LessonBuilds builds{std::filesystem::path()};
  CHECK_THROWS_AS(builds.ask("norms"), MissingError);
  CHECK_FALSE(builds.running());
}

}  // namespace ringside::gui
