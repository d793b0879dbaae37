// What the tests of the ZeRO lesson's room look at: a small run, and its trace.
#pragma once

#include "in_room.h"
#include "ringside/session/session.h"
#include "ringside/trace/files.h"

namespace ringside::gui {

// Small enough for a test, whole enough for every picture.
inline std::vector<std::string> small(std::vector<std::string> more = {}) {
  const std::vector<std::string> said = more;
  for (const char* word : {"data=synthetic", "hidden=32", "layers=2", "batch=8", "tokens=8", "steps=3"}) {
    const std::string name = std::string(word).substr(0, std::string(word).find('=') + 1);
    if (std::ranges::none_of(said, [&](const std::string& own) { return own.starts_with(name); }))
      more.push_back(word);
  }
  return more;
}

// Of a file's lines allocations outside of the four stages, and activations: most of them, and no test looks
// at them.
inline bool is_left_out(const std::string& line) {
  constexpr std::string_view kMemory = R"({"type":"memory","section":)";
  return line.starts_with(kMemory) && (std::stoi(line.substr(kMemory.size())) > 3 ||
                                       line.find(R"("category":"activations")") != std::string::npos);
}

// One run for all the tests that only look: the others are read from its file.
inline const std::filesystem::path& saved_run() {
  static const TempFolder folder;
  static const std::filesystem::path path = [] {
    const Lesson& lesson = find_lesson("zero");
    Session session(lesson, Config::parse("zero", lesson.parameters, small()));
    REQUIRE(testing::finishes(session));
    write_trace_file(session.result(), folder.path / "whole.jsonl", TraceFormat::kJsonl);
    std::ifstream whole(folder.path / "whole.jsonl");
    std::ofstream run(folder.path / "run.jsonl");
    for (std::string line; std::getline(whole, line);)
      if (!is_left_out(line)) run << line << "\n";
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
