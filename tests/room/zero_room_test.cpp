// The ZeRO lesson as a learner meets it: every step drawn without a fault, and every
// aha to be had by hand.
#include <fstream>

#include "drawn_text.h"
#include "in_room.h"
#include "ringside/session/session.h"
#include "ringside/trace/files.h"

namespace ringside::gui {
namespace {

// Small enough for a test, whole enough for every picture.
std::vector<std::string> small(std::vector<std::string> more = {}) {
  std::vector<std::string> words = {"data=synthetic", "hidden=32", "layers=2", "batch=8", "tokens=8"};
  words.insert(words.end(), more.begin(), more.end());
  if (std::none_of(more.begin(), more.end(), [](const auto& word) { return word.starts_with("steps="); }))
    words.push_back("steps=3");
  return words;
}

// One run for all the tests that only look: the others are read from its file.
const std::filesystem::path& saved_run() {
  static const Folder folder;
  static const std::filesystem::path path = [] {
    const Lesson& lesson = find_lesson("zero");
    Session session(lesson, Config::parse("zero", lesson.parameters, small()));
    REQUIRE(testing::finishes(session));
    write_trace_file(session.result(), folder.path() / "run.jsonl", TraceFormat::kJsonl);
    return folder.path() / "run.jsonl";
  }();
  return path;
}

RoomOptions looking() {
  RoomOptions options = options_for("zero");
  options.trace = saved_run();
  return options;
}
bool has_read(const nlohmann::json& state) { return state.at("run").at("file") == true; }

void draw_every_step_and_picture(InRoom& in) {
  in.command("watch stage 3");
  in.command("playhead 0.6");
  for (const char* step : {"guess", "watch", "break", "say"}) {
    in.command(std::string("step ") + step);
    INFO(step);
    CHECK(in.faults() == "");
  }
  in.command("step watch");
  for (const char* picture : {"blocks", "traffic", "ring", "bits", "scale", "loss", "stages"}) {
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

// The same run as it was written before hashes, gathers and the proof were rows and a section's part an
// attribute.
std::filesystem::path saved_long_ago(const Folder& folder) {
  std::ifstream in(saved_run());
  std::ofstream out(folder.path() / "old.jsonl");
  const std::string part = R"("part":"stage",)";
  int rows = 0, parts = 0;
  for (std::string line; std::getline(in, line);) {
    const bool is_row = line.find(R"("type":"row")") != std::string::npos;
    rows += is_row ? 1 : 0;
    if (is_row || line.find(R"("type":"table")") != std::string::npos) continue;
    const size_t at = line.find(part);
    parts += at == std::string::npos ? 0 : 1;
    out << (at == std::string::npos ? line : line.erase(at, part.size())) << "\n";
  }
  REQUIRE(rows > 0);
  REQUIRE(parts == 4);
  return folder.path() / "old.jsonl";
}

// The same run, but rank 2 of stage 0 ended with other bytes.
std::filesystem::path saved_with_other_bytes(const Folder& folder) {
  std::ifstream in(saved_run());
  std::ofstream out(folder.path() / "other.jsonl");
  int changed = 0;
  for (std::string line; std::getline(in, line);) {
    if (line.find(R"("type":"row")") != std::string::npos) {
      auto row = nlohmann::ordered_json::parse(line);
      if (row["table"] == "tensor hashes" && row["section"] == 0 && row["rank"] == 2 && ++changed)
        row["values"][3] = "0123456789abcdef";
      line = row.dump();
    }
    out << line << "\n";
  }
  REQUIRE(changed > 0);
  return folder.path() / "other.jsonl";
}

}  // namespace

TEST_CASE("a block is called a copy only where the hashes say so") {
  const Folder folder;
  RoomOptions options = options_for("zero");
  options.trace = saved_with_other_bytes(folder);
  InRoom in(options);
  REQUIRE(in.until(has_read));
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
  const Folder folder;
  RoomOptions options = options_for("zero");
  options.trace = saved_long_ago(folder);
  InRoom in(options);
  REQUIRE(in.until(has_read));
  draw_every_step_and_picture(in);
}

TEST_CASE("every step and picture of the ZeRO lesson is drawn without a fault") {
  InRoom in(looking());
  CHECK(in.faults() == "");
  REQUIRE(in.until(has_read));
  for (const auto& [width, height, scale, mode] :
       {std::tuple{1440.f, 900.f, 1.f, ui::Mode::kDark}, std::tuple{1440.f, 900.f, 2.f, ui::Mode::kLight},
        std::tuple{1100.f, 700.f, 1.f, ui::Mode::kLight}, std::tuple{900.f, 600.f, 1.f, ui::Mode::kDark},
        std::tuple{1920.f, 1080.f, 1.f, ui::Mode::kDark}, std::tuple{900.f, 600.f, 2.f, ui::Mode::kDark}}) {
    INFO(width << " x " << height << " at " << scale);
    in.reshape(width, height, scale, mode);
    draw_every_step_and_picture(in);
  }
}

TEST_CASE("guesses are held against what the run measured") {
  InRoom in(looking());
  REQUIRE(in.until(has_read));
  REQUIRE(in.until([](const auto& s) { return s.at("answers").at("state_stage_2").contains("measured"); }));
  CHECK(in.at<double>("/answers/copies_stage_0/measured") == Approx(75));
  CHECK(in.at<double>("/answers/state_stage_2/measured") == Approx(5.5).epsilon(0.01));
  in.command("predict state_stage_2 2P+14P/N");
  CHECK(in.at<double>("/answers/state_stage_2/guess") == Approx(5.5));
  in.command("again ranks=2");
  CHECK(in.at<double>("/answers/state_stage_2/right") == Approx(9));
}

TEST_CASE("a formula that is right at this N alone is not right, and the record says so") {
  const Folder folder;
  RoomOptions options = looking();
  options.data_folder = folder.path();
  InRoom in(options);
  REQUIRE(in.until(has_read));
  REQUIRE(in.until([](const auto& s) { return s.at("answers").at("state_stage_1").contains("measured"); }));
  in.command("predict state_stage_1 2P+20P/N");  // 7 at 4 ranks, as is 4Ψ + 12Ψ/N
  in.command("step reveal");
  CHECK(in.at<std::string>("/caption").starts_with("Right at 4 ranks, wrong at 64: your formula gives 2.31"));
  CHECK(ui::find_item("reveal.curves") != nullptr);
  CHECK(in.faults() == "");
  std::ifstream file(folder.path() / "progress.json");
  const auto attempt = nlohmann::json::parse(file).at("attempts").at(0);
  CHECK(attempt.at("correct") == false);
  CHECK(attempt.at("errors").at(0) == "right at 4 ranks, wrong at 64");
  in.command("predict state_stage_1 16P/N");
  in.command("step reveal");
  CHECK(in.at<std::string>("/caption") == "Your error has a name: everything split, as in stage 3.");
  CHECK(test::drawn_text().find("Stage 1 splits the optimizer's state alone.") != std::string::npos);
}

TEST_CASE("questions of one board are answered by one commit, and watched together") {
  InRoom in(looking());
  REQUIRE(in.until(has_read));
  in.command("ask state_stage_1");
  for (const char* cell : {"build.state_stage_1.P.3", "build.state_stage_2.G.1", "build.state_stage_3.O.5"})
    in.click(cell);
  in.click("next");
  for (const auto& [id, value] :
       {std::pair{"state_stage_1", 2.0}, std::pair{"state_stage_2", 1.0}, std::pair{"state_stage_3", 3.0}})
    CHECK(in.at<double>((std::string("/answers/") + id + "/guess").c_str()) == value);
  in.click("next");
  CHECK(in.at<std::string>("/step") == "Watch");
  CHECK(in.at<std::string>("/question") == "state_stage_1");
  in.click("next");
  for (const char* id : {"state_stage_1", "state_stage_2", "state_stage_3"}) {
    CHECK(in.at<std::string>("/step") == "Reveal");
    CHECK(in.at<std::string>("/question") == id);
    in.click("next");
  }
  CHECK(in.at<std::string>("/question") == "sent_stage_0");
  // By keys: Enter keeps a row and goes to the next one that is open.
  for (const char* formula : {"2", "2", "2", "3"}) {
    in.frames(2);
    in.type(formula);
    in.key(ui::Key::kEnter);
  }
  CHECK(in.at<double>("/answers/sent_stage_0/guess") == 2);
  CHECK(in.at<double>("/answers/sent_stage_3/guess") == 3);
}

TEST_CASE("stages act at once: shown where they are recorded, run where they are not") {
  InRoom in(options_for("zero", small({"proof=off"})));
  REQUIRE(in.until_ended());
  in.command("set stage 2");
  CHECK(in.at<std::string>("/playhead/section") == "stage 2");
  CHECK(in.at<bool>("/run/ended"));
  in.command("set ranks 2");
  REQUIRE(in.until_ended());
  CHECK(in.at<std::string>("/scenario").find("ranks=2") != std::string::npos);
  REQUIRE(in.until([](const auto& s) { return s.at("kept_runs") == 2; }));
}

TEST_CASE("a chosen block outlives its run: the next one is watched and drawn") {
  InRoom in(looking());
  REQUIRE(in.until(has_read));
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
  InRoom in(looking());
  REQUIRE(in.until(has_read));
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

TEST_CASE("the first question is answered by dragging over the columns, and its Reveal lets copies fall") {
  InRoom in(looking());
  REQUIRE(in.until(has_read));
  in.command("ask copies_stage_0");
  in.frames(2);
  const ui::Item from = *ui::find_item("blocks.r3.P"), to = *ui::find_item("blocks.r1.P");
  const ImVec2 last(from.max.x + 6, from.min.y);
  in.drag(last, {to.min.x - 6, to.min.y});
  CHECK(in.at<std::string>("/panel/called_copies") == "75");
  in.key(ui::Key::kEscape);  // out of the field
  in.key(ui::Key::kK);
  in.key(ui::Key::kRight);
  CHECK(in.at<std::string>("/panel/called_copies") == "50");
  in.key(ui::Key::kLeft);
  in.key(ui::Key::kEnter);
  CHECK(in.at<double>("/answers/copies_stage_0/guess") == 75);
  in.command("step reveal");
  in.frames(2);
  CHECK(ui::find_item("hero") != nullptr);
  CHECK(in.faults() == "");
}

TEST_CASE("scenarios of the text run by keys") {
  InRoom in(looking());
  REQUIRE(in.until(has_read));
  in.command("step break");
  in.key(ui::Key::k2, false, true);
  CHECK(in.at<std::string>("/scenario").starts_with("zero accumulate=2 hidden=32 "));
  in.key(ui::Key::kX);
  in.command("say done");
  in.key(ui::Key::k1, false, true);
  CHECK(in.at<std::string>("/scenario") == "zero stage=3 reshard=off");
  CHECK(in.at<std::string>("/step") == "Watch");
}

TEST_CASE("what is typed is drawn as a line that moves with N") {
  InRoom in(looking());
  REQUIRE(in.until(has_read));
  in.command("ask state_stage_2");
  CHECK(in.at<std::string>("/playhead/section") == "stage 0");
  CHECK(in.at<std::string>("/picture") == "blocks");
  in.command("ask sent_stage_3");
  CHECK(in.at<std::string>("/picture") == "traffic");
  CHECK(in.faults() == "");
}

TEST_CASE("what a step sent and what a stage keeps can be read off the screen") {
  InRoom in(looking());
  REQUIRE(in.until(has_read));
  in.command("step watch");
  const char* const sent[] = {"1.5", "1.5", "1.5", "2.25"};
  for (int stage = 0; stage <= 3; ++stage) {
    in.command("watch stage " + std::to_string(stage));
    in.command("playhead 0");
    in.command("stride step 2");
    const auto panel = in.state().at("panel");
    CHECK(std::stod(panel.at("sent_of").get<std::string>()) ==
          Approx(std::stod(sent[stage])).epsilon(0.0005));
  }
}

TEST_CASE("scale, loss and stages are figures: by the configuration, and by what was measured") {
  InRoom in(looking());
  REQUIRE(in.until(has_read));
  in.command("step watch");
  const auto comes_to = [&](const char* name, const std::string& value) {
    return in.until([&](const auto& s) { return s.at("panel").value(name, "") == value; });
  };
  in.command("picture scale");
  CHECK(comes_to("lines", "4"));
  CHECK(in.until([](const auto& s) {
    return s.at("caption") ==
           "With 64 cards of 80 GB, stage 0 holds the state of 5 billion parameters, stage 3 of 320. A "
           "model of 70 billion fits from 14 cards on in stage 3, and never in stage 0.";
  }));
  in.command("picture loss");
  CHECK(comes_to("lines", "4"));
  CHECK(in.until([](const auto& s) {
    return s.at("caption") == "The loss of 4 stages is the same in all of their 3 steps, to the last bit.";
  }));
  in.command("picture stages");
  CHECK(comes_to("rows", "4"));
  in.key(ui::Key::kC);
  const std::string csv = ImGui::GetClipboardText();
  CHECK(csv.find(",1.5") != std::string::npos);
  CHECK(csv.find(",2.2") != std::string::npos);
  // Below the readouts they stand while another picture is the hero.
  in.command("picture blocks");
  in.frames(2);
  CHECK(ui::find_item("figure.stages") != nullptr);
  CHECK(ui::find_item("figure.loss") != nullptr);
}

TEST_CASE("what tells the answer is closed while the question is open") {
  InRoom in(looking());
  REQUIRE(in.until(has_read));
  in.command("ask state_stage_2");
  in.command("picture scale");
  CHECK(ui::find_item("figure.scale.closed") != nullptr);
  in.command("picture stages");  // its rows are closed one by one
  REQUIRE(in.until([](const auto& s) { return s.at("panel").value("rows", "") == "4"; }));
  CHECK(test::drawn_text().find("guess first") != std::string::npos);
  CHECK(test::drawn_text().find("4.00") == std::string::npos);
  in.command("picture loss");
  CHECK(ui::find_item("figure.loss.closed") == nullptr);
}

TEST_CASE("Adam is dragged between the halves of the all-reduce: stage 1") {
  InRoom in(looking());
  REQUIRE(in.until(has_read));
  in.command("step watch");
  in.command("watch stage 0");
  in.command("picture traffic");
  const ui::Item adam = *ui::find_item("adam");
  in.drag({(adam.min.x + adam.max.x) / 2, (adam.min.y + adam.max.y) / 2}, {adam.min.x - 300, adam.min.y + 4});
  CHECK(in.at<std::string>("/playhead/section") == "stage 1");
}

TEST_CASE("from a cell that differs down to the bits, and back, by mouse and by keys") {
  InRoom in(looking());
  REQUIRE(in.until(has_read));
  in.command("step watch");
  in.command("picture bits");
  CHECK(in.at<std::string>("/panel/parted") == "2");
  CHECK(in.at<std::string>("/panel/fallen") == "");
  in.click("bits.parted.1");
  CHECK(in.at<std::string>("/panel/fallen").find("stage 3") != std::string::npos);
  CHECK(ui::find_item("bits.patterns") != nullptr);
  CHECK(ui::find_item("bits.sums") != nullptr);
  CHECK(in.faults() == "");
  in.click("bits.back");
  CHECK(in.at<std::string>("/panel/fallen") == "");
  in.key(ui::Key::kK);
  in.key(ui::Key::kEnter);
  CHECK(in.at<std::string>("/panel/fallen").find("stage 2") != std::string::npos);
  in.key(ui::Key::kEnter);
  CHECK(in.at<std::string>("/panel/fallen") == "");
  for (const auto& [width, height, scale] : {std::tuple{900.f, 600.f, 1.f}, std::tuple{1440.f, 900.f, 2.f}}) {
    in.reshape(width, height, scale, ui::Mode::kLight);
    in.click("bits.parted.0");
    CHECK(in.faults() == "");
    in.click("bits.back");
  }
}

TEST_CASE("Adam moves by keys as well, and what is sent stays") {
  InRoom in(looking());
  REQUIRE(in.until(has_read));
  in.command("step watch");
  in.command("watch stage 0");
  in.command("picture traffic");
  in.key(ui::Key::kK);
  in.key(ui::Key::kLeft);
  CHECK(in.at<std::string>("/playhead/section") == "stage 1");
  const float between = ui::find_item("adam")->min.x;
  in.key(ui::Key::kRight);
  CHECK(in.at<std::string>("/playhead/section") == "stage 0");
  CHECK(ui::find_item("adam")->min.x > between + 100);
}

TEST_CASE("traffic has dots where this room measured, and nowhere else") {
  InRoom in(looking());
  REQUIRE(in.until(has_read));
  in.command("step watch");
  in.command("picture traffic");
  CHECK(ui::find_item("traffic.s3.n4") != nullptr);
  CHECK(ui::find_item("traffic.s3.n3") == nullptr);
  in.command("ask sent_stage_3");
  CHECK(ui::find_item("traffic.s3.n4") == nullptr);  // it would tell the answer
}

TEST_CASE("N = 2 to 8 are measured one after the other, and the learner's scenario comes back") {
  InRoom in(options_for("zero", small({"proof=off"})));
  REQUIRE(in.until_ended());
  in.command("step watch");
  in.command("picture traffic");
  const auto home = in.at<std::string>("/scenario");
  in.click("traffic.measure");
  CHECK(in.at<std::string>("/scenario").find("ranks=2") != std::string::npos);
  REQUIRE(in.until([](const auto&) { return ui::find_item("traffic.stop") != nullptr; }));
  in.click("traffic.stop");
  REQUIRE(in.until_ended());
  CHECK(in.at<std::string>("/scenario") == home);
  in.click("traffic.measure");
  REQUIRE(in.until([&](const auto& s) { return s.at("kept_runs") >= 8 && s.at("scenario") == home; }));
  REQUIRE(in.until_ended());
  for (int n = 2; n <= 8; ++n) CHECK(ui::find_item("traffic.s3.n" + std::to_string(n)) != nullptr);
  CHECK(in.faults() == "");
}

TEST_CASE("the ring shows the collective at the playhead, and says so where it is the last one") {
  InRoom in(looking());
  REQUIRE(in.until(has_read));
  in.command("step watch");
  in.command("watch stage 1");
  in.command("picture ring");
  in.command("playhead 0");
  CHECK(in.at<std::string>("/panel/ring").starts_with("No gradients or parameters have been sent yet."));
  in.command("playhead 1");
  const auto last = in.at<std::string>("/panel/ring");
  CHECK(last.starts_with("Nothing is under way. The last one: all-gather of parameters, bucket "));
  CHECK(last.find("Rank 0 sent 3 of 4 quarters = ") != std::string::npos);
  bool now = false;
  for (int i = 1; i < 200 && !now; ++i) {
    in.command("stride event -1");
    now = in.at<std::string>("/panel/ring").starts_with("Now: ");
  }
  CHECK(now);
  in.click("ring.algorithm=textbook's ring");
  CHECK(in.at<std::string>("/panel/ring").find("in 3 steps") != std::string::npos);
}

TEST_CASE("Watch opens in the stage that was asked about, at the start of its third backward") {
  InRoom in(looking());
  REQUIRE(in.until(has_read));
  in.command("predict state_stage_2 2P+14P/N");
  in.command("step watch");
  CHECK(in.at<std::string>("/playhead/section") == "stage 2");
  CHECK(in.at<int64_t>("/moment/step") == 2);
  CHECK(in.at<std::string>("/moment/phase") == "backward");
  CHECK(in.at<std::string>("/caption").starts_with("Rank 0 is in backward"));
}

TEST_CASE("each picture has a sentence of its own") {
  InRoom in(looking());
  REQUIRE(in.until(has_read));
  in.command("predict sent_stage_0 1.5");
  in.command("predict sent_stage_1 1.5");
  in.command("step watch");
  const auto says = [&](const char* picture, const char* part) {
    in.command(std::string("picture ") + picture);
    INFO(picture << ": " << in.at<std::string>("/caption"));
    CHECK(in.at<std::string>("/caption").find(part) != std::string::npos);
  };
  in.command("show stage 1:2:backward");
  says("blocks", "Rank 0");
  says("traffic", "A rank sends 1.50 Ψ in a step of stage 1, as much as in stage 0");
  says("ring", "How do the parts of a tensor move");
  says("bits", "end with the same bits");
  says("loss", "The loss");
  in.command("watch stage 3");
  says("traffic", "What does a rank send in a step of stage 3? Guess first.");
  // These three answer questions, and so they wait for them.
  for (const char* asked :
       {"state_stage_1", "state_stage_2", "state_stage_3", "sent_stage_2", "sent_stage_3"})
    in.command(std::string("predict ") + asked + " 4");
  in.command("step watch");
  says("ring", "a rank sends 3 of its 4 parts");
  says("scale", "64 cards");
  says("stages", "Stage 3 keeps");
}

TEST_CASE("Break it: what a kept layer costs and saves, in numbers, on the same stage") {
  InRoom in(looking());
  REQUIRE(in.until(has_read));
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

TEST_CASE("what is measured is revealed while the run goes on") {
  InRoom in(options_for("zero", small({"steps=60", "proof=off"})));
  in.command("predict state_stage_1 7");
  in.command("step reveal");
  REQUIRE(in.until([](const auto& s) { return s.at("answers").at("state_stage_1").contains("measured"); }));
  CHECK_FALSE(in.at<bool>("/run/ended"));
  CHECK(in.at<std::string>("/caption").starts_with("Right: 7"));
  in.key(ui::Key::kX);
}

}  // namespace ringside::gui
