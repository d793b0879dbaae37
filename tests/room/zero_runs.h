// What the tests of the ZeRO lesson's room look at: a small run, and its trace.
#pragma once

#include "in_room.h"
#include "ringside/session/session.h"
#include "ringside/trace/files.h"

namespace ringside::gui {

// Small enough for a test, whole enough for every picture.
inline std::vector<std::string> small(std::vector<std::string> more = {}) {
  std::vector<std::string> words = {"data=synthetic", "hidden=32", "layers=2", "batch=8", "tokens=8"};
  words.insert(words.end(), more.begin(), more.end());
  if (std::none_of(more.begin(), more.end(), [](const auto& word) { return word.starts_with("steps="); }))
    words.push_back("steps=3");
  return words;
}

// One run for all the tests that only look: the others are read from its file.
inline const std::filesystem::path& saved_run() {
  static const TempFolder folder;
  static const std::filesystem::path path = [] {
    const Lesson& lesson = find_lesson("zero");
    Session session(lesson, Config::parse("zero", lesson.parameters, small()));
    REQUIRE(testing::finishes(session));
    write_trace_file(session.result(), folder.path / "run.jsonl", TraceFormat::kJsonl);
    return folder.path / "run.jsonl";
  }();
  return path;
}

inline RoomOptions looking() {
  RoomOptions options = options_for("zero");
  options.trace = saved_run();
  return options;
}
struct Looking : InRoom {
  explicit Looking(const RoomOptions& options = looking()) : InRoom(options) { REQUIRE(until(has_read)); }
};

}  // namespace ringside::gui
