// A lesson without a panel of its own: its figures are the room's pictures, and what is wrong with one stays
// there.
#include "in_room.h"

namespace ringside::gui {
namespace {

// The run is over, and its first step is watched.
std::unique_ptr<InRoom> watching(std::vector<std::string> words = {}, float width = 1440,
                                 float height = 900) {
  auto in = std::make_unique<InRoom>(options_for("pictures", std::move(words)), width, height);
  REQUIRE(in->until_ended());
  in->command("step watch");
  return in;
}

int computed(InRoom& in) { return std::stoi(in.at<std::string>("/panel/computed")); }

// Values come in their turn: until the picture's state says so.
bool comes_to(InRoom& in, const char* name, const std::string& value) {
  return in.until([&](const auto& s) { return s.at("panel").value(name, "") == value; });
}

float height_of(const char* item) {
  const ui::Item* found = ui::find_item(item);
  return found == nullptr ? 0 : found->max.y - found->min.y;
}

}  // namespace

TEST_CASE("each figure is a tab, and drawn at every size") {
  const auto [width, height] = GENERATE(std::pair{1440.f, 900.f}, std::pair{1024.f, 640.f});
  const auto in = watching({}, width, height);
  CHECK(in->at<std::vector<std::string>>("/pictures") ==
        std::vector<std::string>{"squares", "so_far", "throws", "unfit"});
  for (const char* picture : {"squares", "so_far", "throws", "unfit"}) {
    in->click(std::string("picture=") + picture);
    INFO(picture);
    CHECK(in->at<std::string>("/panel/figure") == picture);
    CHECK(in->faults() == "");
  }
  in->command("picture squares");
  CHECK(comes_to(*in, "kind", "lines"));
  in->command("picture so_far");
  CHECK(comes_to(*in, "kind", "table"));
}

TEST_CASE("keys go from picture to picture and from group to group, and to the one that matters now") {
  const auto in = watching();
  const auto after = [&](ui::Key key, bool shift = false) {
    in->key(key, false, shift);
    return in->at<std::string>("/picture");
  };
  in->command("picture squares");
  CHECK(after(ui::Key::kV) == "so_far");
  CHECK(after(ui::Key::kV, true) == "squares");
  CHECK(after(ui::Key::kV, true) == "unfit");
  CHECK(after(ui::Key::kE) == "squares");
  CHECK(after(ui::Key::kE) == "throws");
  in->command("picture so_far");
  CHECK(after(ui::Key::kE, true) == "throws");
  in->command("playhead 0.5");  // within a line
  CHECK(after(ui::Key::kW) == "so_far");
  CHECK(in->at<std::string>("/matters") == "so_far");
  CHECK(ui::find_item("picture.marked") != nullptr);
}

TEST_CASE("a tab's tip shows its picture, small, but for the one that is shown and for what is closed") {
  const auto in = watching();
  in->command("picture so_far");
  const auto preview = [&](const std::string& picture) {
    in->hover("picture=" + picture);
    in->frames(40);
    CHECK(ui::find_item("tip") != nullptr);
    CHECK(in->faults() == "");
    const ui::Item* small = ui::find_item("preview=" + picture);
    return small == nullptr ? 0 : small->max.x - small->min.x;
  };
  CHECK(preview("squares") == 380);
  CHECK(ui::find_item("figure.squares") != nullptr);
  CHECK(preview("throws") == 380);
  CHECK(preview("so_far") == 0);
}

TEST_CASE("a figure that throws or is unfit says so in its place, and the room goes on") {
  const auto in = watching();
  in->command("picture throws");
  CHECK(ui::find_item("figure.throws.mistake") != nullptr);
  const auto said = in->at<std::string>("/panel/mistake");
  CHECK(said.find("'throws'") != std::string::npos);
  CHECK(said.find("planted in the function") != std::string::npos);
  in->command("picture unfit");
  CHECK(in->at<std::string>("/panel/mistake").find("'unfit'") != std::string::npos);
  CHECK(ui::find_item("picture.csv") == nullptr);
  in->command("picture squares");
  CHECK_FALSE(in->at<nlohmann::json>("/panel").contains("mistake"));
  in->command("run");
  REQUIRE(in->until_ended());
  CHECK(in->state().at("messages").empty());
}

TEST_CASE("a picture beside its question; one that answers it is closed until it is answered") {
  Ended in(options_for("pictures"));
  CHECK(in.at<std::string>("/picture") == "so_far");
  CHECK(comes_to(in, "kind", "table"));  // it has its section
  CHECK(ui::find_item("figure.so_far.nothing") == nullptr);
  in.command("picture squares");
  CHECK(ui::find_item("figure.squares.closed") != nullptr);
  CHECK(ui::find_item("figure.squares") == nullptr);
  in.key(ui::Key::kC);
  CHECK(std::string(ImGui::GetClipboardText() == nullptr ? "" : ImGui::GetClipboardText()).find("9") ==
        std::string::npos);
  in.command("predict last 9");
  CHECK(in.at<std::string>("/picture") == "so_far");
  in.command("picture squares");
  CHECK(ui::find_item("figure.squares.closed") == nullptr);
  CHECK(ui::find_item("figure.squares") != nullptr);
  in.command("picture so_far");
  in.command("step reveal");  // it shows the answer; a plot stands beside it, a table over it
  REQUIRE(ui::find_item("figure.squares") != nullptr);
  const ui::Item answer = *ui::find_item("area.reveal"), plot = *ui::find_item("figure.squares");
  CHECK(plot.min.x >= answer.max.x);
  const ui::Item* title = ui::find_item("picture.title");  // there are no tabs that name it
  REQUIRE(title != nullptr);
  CHECK(title->max.y <= plot.min.y);
}

TEST_CASE("Reveal has the picture that shows the answer where nobody has guessed a number, too") {
  Ended in(options_for("pictures"));
  in.command("step reveal");
  CHECK(ui::find_item("figure.squares") != nullptr);
}

TEST_CASE("a figure is computed anew where its input has changed, and only there") {
  const auto in = watching();
  in->command("picture squares");
  REQUIRE(comes_to(*in, "kind", "lines"));
  const int before = computed(*in);
  in->frames(20);
  in->command("playhead 0.1");
  in->command("playhead 0.9");
  CHECK(computed(*in) == before);
  in->command("picture so_far");
  REQUIRE(comes_to(*in, "rows", "4"));
  const int table = computed(*in);
  in->frames(20);
  CHECK(computed(*in) == table);
  in->command("playhead 0.1");
  CHECK(comes_to(*in, "computed", std::to_string(table + 1)));
  in->command("scenario pictures lines=5");
  REQUIRE(in->until_ended());
  CHECK(comes_to(*in, "rows", "5"));
}

TEST_CASE("while a run goes on its figures are computed now and then, not in every frame") {
  InRoom in(options_for("pictures", {"lines=100000", "ms=1"}));
  REQUIRE(in.until([](const auto& s) { return s.at("run").at("done") > 3; }));
  in.command("step watch");
  in.command("picture squares");
  const int before = computed(in);
  const auto began = std::chrono::steady_clock::now();
  int frames = 0;
  while (computed(in) < before + 3) {
    in.frame();
    ++frames;
    std::this_thread::sleep_for(std::chrono::milliseconds(2));
    REQUIRE(std::chrono::steady_clock::now() < began + testing::kPatience);
  }
  const std::chrono::duration<double> passed = std::chrono::steady_clock::now() - began;
  CHECK(passed.count() > 0.18);  // two pauses of a tenth of a second lie between three values
  CHECK(frames > 6);
  in.key(ui::Key::kX);
  REQUIRE(in.until_ended());
}

TEST_CASE("values are copied as CSV, readouts are the lesson's, a pinned figure stands beside") {
  const auto in = watching();
  in->command("picture squares");
  REQUIRE(comes_to(*in, "kind", "lines"));
  in->click("picture.csv");
  const std::string by_button = ImGui::GetClipboardText();
  CHECK(by_button.find("3,9") != std::string::npos);
  ImGui::SetClipboardText("");
  in->key(ui::Key::kC);
  CHECK(std::string(ImGui::GetClipboardText()) == by_button);
  in->key(ui::Key::kHome);
  CHECK(in->at<int>("/moment/step") == 0);
  in->key(ui::Key::kPageDown);
  CHECK(in->at<int>("/moment/step") == 1);
  CHECK(in->until([](const auto& s) { return s.at("caption") == "Line 1 runs."; }));
  CHECK(ui::find_item("readout.lines that ended") != nullptr);
  CHECK(height_of("area.transport") > 0);
  CHECK(height_of("area.transport") < 150);
  CHECK(comes_to(*in, "lines", "1"));
  in->key(ui::Key::kP);
  in->command("scenario pictures lines=6");
  REQUIRE(in->until_ended());
  CHECK(comes_to(*in, "lines", "2"));
  in->command("picture so_far");
  CHECK(comes_to(*in, "rows", "6"));
  CHECK(in->at<std::string>("/panel/pinned.rows") == "4");
  CHECK(in->faults() == "");
}

}  // namespace ringside::gui
