// Lessons that are not built yet are built behind the room: `./run build ID`, a process that ends with the
// room. One at a time, in the order in which they were asked for.
#pragma once

#include <deque>
#include <filesystem>
#include <memory>
#include <optional>
#include <string>

#include "ringside/launch/process.h"

namespace ringside::gui {

// The ./run of the tree that this program was built in: three folders above the program. Empty where there is
// none.
std::filesystem::path run_script();

class LessonBuilds {
 public:
  struct Done {
    std::string id;
    std::string error;  // "": it is built
  };

  explicit LessonBuilds(std::filesystem::path script = run_script()) : script_(std::move(script)) {}

  // Asking again changes nothing. MissingError where there is no ./run.
  void ask(const std::string& id);
  // Once a frame; never waits. The build that has ended since the last time.
  std::optional<Done> poll();

  bool running() const { return process_ != nullptr; }
  bool awaits(const std::string& id) const;  // it is being built, or its turn comes
  // Of the one that is being built: "compiling 3 of 9, about 20 s left"; and how far it is, 0 to 1.
  const std::string& building() const { return building_; }
  std::string progress() const;
  double part() const { return part_; }

 private:
  void start();
  void read();

  std::filesystem::path script_;
  std::deque<std::string> asked_;
  std::string building_;  // its id; "" where none is
  std::unique_ptr<Process> process_;
  std::string text_;  // what it said, its last kilobytes
  double part_ = 0;
};

}  // namespace ringside::gui
