// The pictures of the ZeRO lesson beside its blocks: traffic, ring, bits, and its figures.
#include "drawn_text.h"
#include "zero_runs.h"

namespace ringside::gui {

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
  const bool all =
      in.until([&](const auto& s) { return s.at("kept_runs") >= 8 && s.at("scenario") == home; });
  for (const char* part : {"messages", "run", "scenario", "kept_runs"})
    UNSCOPED_INFO(part << ": " << in.state().at(part));
  REQUIRE(all);
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
  CHECK(in.at<std::string>("/panel/ring").starts_with("Rank 0 has sent no gradients or parameters yet."));
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

}  // namespace ringside::gui
