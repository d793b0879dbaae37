// The pictures of the ZeRO lesson beside its blocks: traffic, ring, bits, and its figures.
#include "drawn_text.h"
#include "zero_runs.h"

namespace ringside::gui {
namespace {

// Of the traffic picture, by its CSV: the N at which that stage has a dot.
std::set<int> ranks_measured(InRoom& in, const std::string& stage) {
  in.key(ui::Key::kC);
  std::set<int> ranks;
  std::istringstream csv(ImGui::GetClipboardText());
  for (std::string line; std::getline(csv, line);)
    if (line.find(stage + ", measured") != std::string::npos) {
      const size_t comma = line.find("measured\",");
      if (comma != std::string::npos) ranks.insert(std::atoi(line.c_str() + comma + 10));
    }
  return ranks;
}

}  // namespace

TEST_CASE("what a step sent and what a stage keeps can be read off the screen") {
  Looking in;
  in.command("step watch");
  const char* const sent[] = {"1.5", "1.5", "1.5", "2.25"};
  for (int stage = 0; stage <= 3; ++stage) {
    in.command("watch stage " + std::to_string(stage));
    in.command("playhead 0");
    in.command("stride step 2");
    CHECK(in.state().at("live").at("results.sent") == std::string(sent[stage]) + " Ψ");
  }
}

TEST_CASE("scale, loss and stages are figures: by the configuration, and by what was measured") {
  Looking in;
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
}

TEST_CASE("the live panel stands below, and its lines lead to their pictures") {
  Looking in;
  in.command("step watch");
  in.frames(3);
  for (const auto& [line, picture] : {std::pair{"live.results.loss", "loss"},
                                      {"live.memory", "blocks"},
                                      {"live.traffic.sent", "traffic"}}) {
    INFO(line);
    in.click(line);
    CHECK(in.at<std::string>("/picture") == picture);
  }
  in.click("live.rank=1");
  CHECK(in.state().at("live").contains("memory.all"));
}

TEST_CASE("in a low window the live panel leaves out what says least, and nothing of it is cut off") {
  Looking in;
  in.command("step watch");
  const auto lines = [&](float height) {
    in.reshape(1024, height, 1, ui::Mode::kDark);
    in.frames(4);
    const ui::Item* area = ui::find_item("area.live");
    REQUIRE(area != nullptr);
    size_t count = 0;
    for (const ui::Item& item : ui::items()) {
      if (!item.name.starts_with("live.")) continue;
      INFO(item.name << " at " << height);
      CHECK(item.max.y <= area->max.y);
      ++count;
    }
    CHECK(ui::find_item("live.memory.all") != nullptr);
    CHECK(ui::find_item("live.results.loss") != nullptr);
    return count;
  };
  CHECK(lines(560) < lines(1000));
}

TEST_CASE("a row of the Adam picture is its stage: by mouse and by keys, and what is sent stays") {
  Looking in;
  in.command("step watch");
  in.command("watch stage 0");
  in.command("picture adam");
  in.frames(2);
  CHECK(in.at<std::string>("/panel/rows") == "4");
  CHECK(in.at<std::string>("/caption") ==
        "The same bytes: the update moves between the two halves of the all-reduce.");
  CHECK(test::drawn_text().find("all-gather of parameters") != std::string::npos);
  in.click("figure.adam.2.1");
  in.frames(2);
  CHECK(in.at<std::string>("/playhead/section") == "stage 1");
  in.key(ui::Key::kK);
  in.key(ui::Key::kUp);
  in.key(ui::Key::kUp);
  in.frames(2);
  CHECK(in.at<std::string>("/playhead/section") == "stage 0");
  CHECK(in.faults() == "");
}

TEST_CASE("from a training that differs down to the bits") {
  Looking in;
  in.command("step watch");
  in.command("picture bits");
  in.frames(2);
  std::vector<std::string> parted;
  for (int row = 1; row < 12; ++row)
    for (int box = 0; box < 4; ++box) {
      const std::string id = "figure.bits." + std::to_string(row) + "." + std::to_string(box);
      if (ui::find_item(id) == nullptr) continue;
      in.click(id);
      in.frames(2);
      if (in.at<std::string>("/picture") != "orders") continue;
      parted.push_back(id);
      in.command("picture bits");
      in.frames(2);
    }
  CHECK(parted.size() == 2);
  for (const auto& [width, height, scale] :
       {std::tuple{1440.f, 900.f, 1.f}, std::tuple{900.f, 600.f, 1.f}, std::tuple{1440.f, 900.f, 2.f}}) {
    in.reshape(width, height, scale, ui::Mode::kLight);
    in.command("picture orders");
    in.frames(2);
    CHECK(in.faults() == "");
    CHECK(std::stoi(in.at<std::string>("/panel/lines")) > 20);
  }
  in.reshape(1440, 900, 1, ui::Mode::kDark);
  in.frames(2);
  const std::string drawn = test::drawn_text();
  for (const char* part : {"elements differ", "ulp apart", "^", "micro-batches first"}) {
    INFO(part);
    CHECK(drawn.find(part) != std::string::npos);
  }
}

TEST_CASE("traffic has dots where this room measured; a guess is a line until it is the formula") {
  Looking in;
  in.command("step watch");
  in.command("picture traffic");
  in.frames(2);
  CHECK(ranks_measured(in, "stage 3") == std::set<int>{4});
  in.command("ask sent_stage_3");
  in.frames(2);
  CHECK(ui::find_item("figure.traffic.legend.stage 3, measured") == nullptr);  // it would tell the answer
  in.command("predict sent_stage_3 2Ψ(N-1)/N");
  in.command("predict sent_stage_0 2Ψ(N-1)/N");
  in.command("step watch");
  in.command("picture traffic");
  in.frames(2);
  CHECK(ui::find_item("figure.traffic.legend.you, stage 3") != nullptr);
  CHECK(ui::find_item("figure.traffic.legend.you, stage 0") == nullptr);
  CHECK(ui::find_item("figure.traffic.legend.stage 3, measured") != nullptr);
}

TEST_CASE("N = 2 to 8 are measured one after the other, and the learner's scenario comes back") {
  Ended in(options_for("zero", small({"proof=off", "hidden=8", "layers=1"})));
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
  in.frames(2);
  CHECK(ranks_measured(in, "stage 3") == std::set<int>{2, 3, 4, 5, 6, 7, 8});
  CHECK(in.faults() == "");
}

TEST_CASE("the ring shows the collective at the playhead, and says so where it is the last one") {
  Looking in;
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
  Looking in;
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
