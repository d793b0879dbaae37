// Prepare in the room: a first day by keys, what is kept, the map, a mock interview; nothing cut off in any
// size.
#include <catch.h>

#include "in_room.h"
#include "preparation.h"
#include "review_log.h"
#include "ringside/widgets/items.h"

namespace ringside::gui {
namespace {

constexpr int64_t kHourMs = 3'600'000;

struct Preparing {
  TempFolder folder;
  ReviewLog log{folder.path};
  std::optional<InRoom> in;
  void enter() {
    RoomOptions options = options_for("example", {"steps=3"});
    options.data_folder = folder.path;
    in.emplace(options);
    in->key(ui::Key::kEscape);  // out of the question's field
  }
  std::string text(const char* what) {
    return in->at<std::string>((std::string("/prepare/") + what).c_str());
  }
};

TEST_CASE("a first day by keys: twelve questions, then today's cards, and each rating is kept") {
  Preparing scene;
  scene.enter();
  InRoom& in = *scene.in;
  in.key(ui::Key::kS);
  CHECK(scene.text("part") == "map");
  CHECK(scene.text("next") == "ringside path --placement");
  in.key(ui::Key::kEnter);
  CHECK(scene.text("part") == "today");
  for (int i = 0; i < 12; ++i) {
    in.key(ui::Key::kD, true);  // I do not know
    CHECK(in.at<bool>("/prepare/shown"));
    in.key(ui::Key::kEnter);
  }
  CHECK(scene.log.read().size() == 12);
  CHECK(scene.text("card").empty());
  in.key(ui::Key::kEnter);  // today's review
  const std::string first = scene.text("card");
  in.key(ui::Key::kD, true);
  in.key(ui::Key::kR);  // see it happen
  CHECK_FALSE(in.at<bool>("/prepare/open"));
  CHECK(in.at<std::string>("/step") == "Watch");
  in.key(ui::Key::kS);
  CHECK(scene.text("card") == first);
  in.key(ui::Key::k3);
  CHECK(scene.text("card") != first);
  CHECK(scene.log.read().back().rating == Rating::kGood);
  in.key(ui::Key::kU, true);
  CHECK(scene.text("card") == first);
  CHECK(scene.log.read().size() == 12);
  in.key(ui::Key::kEscape);  // out of the card's field
  in.key(ui::Key::kEscape);
  CHECK_FALSE(in.at<bool>("/prepare/open"));
}

TEST_CASE("a third day: what is due stands in the rail, is judged as in the terminal, and shows its run") {
  Preparing scene;
  for (const char* card : {"drill/zero_state", "drill/kv_cache"})
    scene.log.append({.card = card, .at = utc_now() - 48 * kHourMs, .rating = Rating::kGood});
  scene.enter();
  InRoom& in = *scene.in;
  CHECK(in.at<int>("/prepare/due") == 2);
  in.command("prepare review memory");
  CHECK(scene.text("card").starts_with("drill/"));
  in.type("much");
  in.key(ui::Key::kEnter);
  CHECK(scene.text("mistake").starts_with("Type a number"));
  in.frames(2);
  in.type("1 TB");
  in.key(ui::Key::kEnter);
  CHECK(in.at<bool>("/prepare/judged"));
  in.key(ui::Key::k1);
  CHECK(scene.log.read().back().rating == Rating::kAgain);
  CHECK(scene.log.read().size() == 3);
  in.command("prepare map");
  in.key(ui::Key::kRight);  // the node that is lit
  CHECK(scene.text("topic") == "memory");
  in.command("prepare day 2020-01-01");
  CHECK(scene.text("fault").find("it has come") != std::string::npos);
  in.command("prepare day " + date_of(utc_now() + 9 * 24 * kHourMs));
  CHECK(in.at<int>("/prepare/days") == 9);
  CHECK(PreparationFile(scene.folder.path).get().interview > utc_now());
}

TEST_CASE("a mock interview from its opening to its report, with the terminal's chain") {
  Preparing scene;
  scene.enter();
  InRoom& in = *scene.in;
  in.command("prepare mock 5");
  CHECK(scene.text("heading") == "Opening");
  in.command("prepare answer It leaves the sum of all ranks on every rank.");
  const auto found = [&] { return in.at<std::vector<std::string>>("/prepare/found"); };
  CHECK(found() == std::vector<std::string>{"It leaves the sum of all ranks on every rank."});
  in.key(ui::Key::k1);  // words mislead: the second point was said, not the first
  in.key(ui::Key::k2);
  in.key(ui::Key::kEnter);
  CHECK(found() == std::vector<std::string>{"It is a reduce-scatter, then an all-gather."});
  for (const bool had : {false, true}) {
    CHECK(scene.text("heading") == "They ask next");
    in.command("prepare answer hardly");
    in.key(had ? ui::Key::kY : ui::Key::kN);
  }
  CHECK(scene.text("heading").starts_with("A calculation"));
  in.command("prepare answer 1");
  in.key(ui::Key::kEnter);  // go on
  CHECK(scene.text("heading") == "Read this");
  in.key(ui::Key::k1);
  in.key(ui::Key::kEnter);
  in.key(ui::Key::kEnter);
  CHECK(scene.text("heading") == "Design");
  in.command("prepare answer tp3");
  CHECK(scene.text("mistake").find("is not") != std::string::npos);
  in.command("prepare answer");
  CHECK(scene.text("heading") == "Report");
  CHECK(in.at<int>("/prepare/parts") == 6);
  CHECK(scene.log.read().size() == 4);
  in.frames(2);
  in.click("prepare.part=1");  // the opening's lesson
  CHECK(in.at<std::string>("/step") == "Say it");
}

TEST_CASE("nothing of it is cut off in any size or theme") {
  Preparing scene;
  scene.enter();
  InRoom& in = *scene.in;
  for (const float scale : {1.0f, 2.0f})
    for (const ImVec2 size : {ImVec2(1024, 700), ImVec2(1280, 800), ImVec2(1920, 1080)}) {
      in.reshape(size.x, size.y, scale, scale == 1 ? ui::Mode::kDark : ui::Mode::kLight);
      for (const char* page : {"prepare map", "prepare today", "prepare interview", "prepare mock 5"}) {
        in.command(page);
        in.frames(3);
        CAPTURE(size.x, scale, page);
        for (const ui::Item& item : ui::items()) {
          if (!item.name.starts_with("prepare")) continue;
          CAPTURE(item.name);
          CHECK(item.min.x >= 0);
          CHECK(item.max.x <= size.x * scale + 1);
          CHECK(item.max.y <= size.y * scale + 1);
        }
      }
    }
}

}  // namespace
}  // namespace ringside::gui
