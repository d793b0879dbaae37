// Nothing is shown before its question: every lesson is walked through.
#include <fmt/format.h>

#include "drawn_text.h"
#include "quick_run.h"
#include "ringside/lesson/front_matter.h"
#include "ringside/trace/files.h"
#include "ringside/widgets/draw.h"
#include "walk.h"

namespace ringside::gui {
namespace {

// No words: its quick run, from a file.
void walk_alone(const std::string& id, const std::vector<std::string>& words) {
  INFO(fmt::format("{}", fmt::join(words, " ")));
  const TempFolder folder;
  RoomOptions options = options_for(id, words);
  if (words.empty()) {
    options.trace = folder.path / "run.jsonl";
    write_trace_file(testing::quick_run(find_lesson(id)), *options.trace, TraceFormat::kJsonl);
  }
  InRoom in(options);
  REQUIRE(in.until([](const auto& s) { return has_read(s) || s.at("run").at("ended") == true; }));
  walk(in, id);
  if (id != "zero") return;
  in.command("step reveal");  // behind the last question everything is told
  in.command("numbers 0");
  in.frames(3);
  CHECK(ui::find_item("numbers.folded") == nullptr);
}

}  // namespace

TEST_CASE("what is drawn can be read") {
  test::Windowless window(600, 200);
  window.in_window([] {
    ui::paragraph("4Ψ + 12Ψ/N, and 5.50 bytes");
    ui::paragraph("全归约 below", ui::Type::kLabel);
  });
  const std::string text = test::drawn_text();
  CHECK(text.find("4Ψ + 12Ψ/N, and 5.50 bytes") != std::string::npos);
  CHECK(text.find("below") != std::string::npos);
  CHECK(has_number("is5.50bytes", "5.50"));
  CHECK_FALSE(has_number("15.50", "5.50"));
  CHECK_FALSE(has_number("5.501", "5.50"));
}

// -c ID: of that lesson alone.
TEST_CASE("every lesson asks before it tells") {
  const std::vector<std::string> zero = {"data=synthetic", "steps=3", "hidden=32", "layers=2",
                                         "batch=8",        "tokens=8", "proof=off"};
  for (const FrontMatter& lesson : lesson_catalogue()) {
    const std::string& id = lesson.id;
    if (id == "nccl_timeout") continue;  // nccl_timeout_room has a run of all of its acts
    DYNAMIC_SECTION(id) {
      std::vector<std::string> words;
      if (id == "zero") words = zero;
      walk_alone(id, words);
      words.push_back("precision=fp32");
      if (id == "zero") walk_alone(id, words);
    }
  }
}

}  // namespace ringside::gui
