// The ZeRO lesson as a learner meets it: every step drawn without a fault, and blocks that are parts or
// copies.
#include "drawn_text.h"
#include "zero_runs.h"

namespace ringside::gui {
namespace {

void draw_every_step_and_picture(InRoom& in) {
  in.command("watch stage 3");
  in.command("playhead 0.6");
  for (const char* step : {"guess", "watch", "break", "say"}) {
    in.command(std::string("step ") + step);
    INFO(step);
    CHECK(in.faults() == "");
  }
  in.command("step watch");
  for (const char* picture :
       {"blocks", "traffic", "ring", "bits", "adam", "orders", "scale", "loss", "stages"}) {
    in.command(std::string("picture ") + picture);
    INFO(picture);
    CHECK(in.faults() == "");
  }
  for (const char* answer : {"copies_stage_0 75", "state_stage_2 2P+14P/N", "sent_stage_3 2"}) {
    in.command(std::string("predict ") + answer);
    in.command("step reveal");
    for (int numbers = 0; numbers < 3; ++numbers) {
      in.command("numbers " + std::to_string(numbers));
      INFO(answer << " " << numbers);
      CHECK(in.faults() == "");
    }
  }
}

// The same run, where `keep` may change or leave out a line of its file.
RoomOptions rewritten(const TempFolder& folder, const std::function<bool(std::string&)>& keep) {
  RoomOptions options = options_for("zero");
  options.trace = folder.path / "other.jsonl";
  std::ifstream in(saved_run());
  std::ofstream out(*options.trace);
  for (std::string line; std::getline(in, line);)
    if (keep(line)) out << line << "\n";
  return options;
}

bool has(const std::string& line, const char* part) { return line.find(part) != std::string::npos; }

}  // namespace

TEST_CASE("a block is called a copy only where the hashes say so") {
  const TempFolder folder;
  int changed = 0;
  Looking in(rewritten(folder, [&](std::string& line) {
    if (!has(line, R"("type":"row")")) return true;
    auto row = nlohmann::ordered_json::parse(line);
    if (row["table"] == "tensor hashes" && row["section"] == 0 && row["rank"] == 2 && ++changed)
      row["values"][3] = "0123456789abcdef";  // rank 2 of stage 0 ended with other bytes
    line = row.dump();
    return true;
  }));
  REQUIRE(changed > 0);
  in.command("step watch");
  in.command("watch stage 0");
  in.click("blocks.r1.O.bucket 0");
  CHECK(in.at<std::string>("/panel/chosen_is")
            .find("A copy: after the last step the same bytes on ranks 0, 1, 3 (one hash), and others on "
                  "rank 2.") != std::string::npos);
  for (const int rank : {0, 1, 3}) CHECK(ui::find_item("blocks.lit.r" + std::to_string(rank)) != nullptr);
  CHECK(ui::find_item("blocks.hollow.r2") != nullptr);
  in.key(ui::Key::kEscape);
  in.click("blocks.r1.O.bucket 0");
  in.click("blocks.r2.O.bucket 0");
  CHECK(in.at<std::string>("/panel/chosen_is").find("but no copy") != std::string::npos);
  CHECK(ui::find_item("blocks.lit.r1") == nullptr);
}

TEST_CASE("an older trace file, whose strings nobody reads any more, is drawn without a fault") {
  const TempFolder folder;
  const std::string part = R"("part":"stage",)";
  int rows = 0, parts = 0;
  // Hashes, gathers and the proof were no rows then, and a section's part no attribute.
  Looking in(rewritten(folder, [&](std::string& line) {
    const bool is_row = has(line, R"("type":"row")");
    rows += is_row ? 1 : 0;
    if (is_row || has(line, R"("type":"table")")) return false;
    if (!has(line, part.c_str())) return true;
    line.erase(line.find(part), part.size());
    ++parts;
    return true;
  }));
  REQUIRE(rows > 0);
  REQUIRE(parts == 4);
  draw_every_step_and_picture(in);
}

TEST_CASE("every step and picture of the ZeRO lesson is drawn without a fault") {
  Looking in;
  for (const auto& [width, height, scale, mode] :
       {std::tuple{1440.f, 900.f, 2.f, ui::Mode::kLight}, std::tuple{1920.f, 1080.f, 1.f, ui::Mode::kDark},
        std::tuple{900.f, 600.f, 1.f, ui::Mode::kLight}, std::tuple{900.f, 600.f, 2.f, ui::Mode::kDark}}) {
    INFO(width << " x " << height << " at " << scale);
    in.reshape(width, height, scale, mode);
    draw_every_step_and_picture(in);
  }
}

TEST_CASE("stages act at once: shown where they are recorded, run where they are not") {
  Ended in(options_for("zero", small({"proof=off", "hidden=8", "layers=1"})));
  in.command("set stage 2");
  CHECK(in.at<std::string>("/playhead/section") == "stage 2");
  CHECK(in.at<bool>("/run/ended"));
  in.command("set ranks 2");
  REQUIRE(in.until_ended());
  CHECK(in.at<std::string>("/scenario").find("ranks=2") != std::string::npos);
  REQUIRE(in.until([](const auto& s) { return s.at("kept_runs") == 2; }));
}

TEST_CASE("a chosen block outlives its run: the next one is watched and drawn") {
  Looking in;
  in.command("step watch");
  in.command("watch stage 1");
  in.click("blocks.r0.O");
  CHECK(in.at<std::string>("/panel/chosen").starts_with("optimizer"));
  const auto chosen = in.at<std::string>("/panel/chosen");
  in.command("scenario zero data=synthetic steps=2 hidden=32 layers=3 batch=8 tokens=16 proof=off ranks=2");
  REQUIRE(in.until_ended());
  CHECK(in.at<std::string>("/panel/chosen") == chosen);
  CHECK(in.faults() == "");
}

TEST_CASE("a part is called a part, a copy a copy, and neither where it is neither") {
  Looking in;
  in.command("step watch");
  const auto words = [&](const char* stage, const char* block) {
    in.command(std::string("watch ") + stage);
    in.click(block);
    const auto said = in.at<std::string>("/panel/chosen_is");
    in.key(ui::Key::kEscape);
    in.click(block);  // and not chosen any more
    return said;
  };
  const auto lit = [&](const char* how) {
    int count = 0;
    for (int rank = 0; rank < 4; ++rank)
      count += ui::find_item(std::string("blocks.") + how + ".r" + std::to_string(rank)) != nullptr;
    return count;
  };
  const std::string copy = words("stage 0", "blocks.r1.O.bucket 0");
  CHECK(copy.find("A copy: after the last step the same bytes on ranks 0, 1, 2, 3 (one hash).") !=
        std::string::npos);
  const std::string part = words("stage 1", "blocks.r1.O.bucket 0");
  CHECK(part.find("Rank 1's quarter of bucket 0. The other quarters: ranks 0, 2, 3. No copies.") !=
        std::string::npos);
  CHECK(part.find("A copy") == std::string::npos);
  const std::string own = words("stage 1", "blocks.r1.G.bucket 0");
  CHECK(own.find("but no copy") != std::string::npos);
  CHECK(words("stage 1", "blocks.r2.P.bucket 0").find("A copy") != std::string::npos);
  in.command("watch stage 0");
  in.click("blocks.r1.O.bucket 0");
  CHECK(lit("lit") == 4);
  in.command("watch stage 3");
  in.frames(2);
  CHECK(lit("lit") == 1);
  CHECK(lit("hollow") == 3);
}

TEST_CASE("scenarios of the text run by keys") {
  Looking in;
  in.command("step break");
  in.key(ui::Key::k2, false, true);
  CHECK(in.at<std::string>("/scenario").starts_with("zero accumulate=2 hidden=32 "));
  in.key(ui::Key::kX);
  in.command("say done");
  in.key(ui::Key::k1, false, true);
  CHECK(in.at<std::string>("/scenario") == "zero stage=3 reshard=off");
  CHECK(in.at<std::string>("/step") == "Watch");
}

TEST_CASE("Break it: what a kept layer costs and saves, in numbers, on the same stage") {
  Looking in;
  in.command("show stage 3:2:backward");
  in.command("step break");
  in.key(ui::Key::k5, false, true);
  CHECK(in.at<std::string>("/scenario").find("hidden=32") != std::string::npos);
  CHECK(in.at<std::string>("/pinned").find("reshard=on") != std::string::npos);
  REQUIRE(in.until([](const auto& s) {
    return s.at("difference").template get<std::string>().find("sent 2.25 → 1.50 Ψ") != std::string::npos;
  }));
  CHECK(in.at<std::string>("/difference").starts_with("stage=3 reshard=off: "));
  CHECK(in.at<std::string>("/watched") == "stage 3");
  REQUIRE(in.until([](const auto& s) { return s.at("playhead").at("follow") == false; }));
  CHECK(in.at<int64_t>("/moment/step") == 2);
  CHECK(in.faults() == "");
}

}  // namespace ringside::gui
