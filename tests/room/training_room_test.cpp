// A training that is followed: a file that grows, as `ringside train` writes it.
#include <fmt/format.h>

#include <fstream>

#include "in_room.h"
#include "ringside/base/error.h"
#include "room_training.h"

namespace ringside::gui {
namespace {

class Growing : public TempFolder {
 public:
  Growing() : file_(path / "metrics.jsonl") {
    write(R"({"training":{"steps":4,"samples_per_step":8,"watch":"accuracy","classes":["a","b"]}})"
          "\n");
  }
  void write(const std::string& bytes) { file_ << bytes << std::flush; }
  void step(int step) {
    write(fmt::format(R"({{"step":{},"loss":{},"ms":5}})"
                      "\n",
                      step, 1.0 / step));
  }
  void evaluation(int step, double accuracy) {
    write(fmt::format(R"({{"step":{},"evaluation":{{"loss":1,"accuracy":{},"macro_f1":0.5,"samples":4,)"
                      R"("confusion":[[2,0],[1,1]]}}}})"
                      "\n",
                      step, accuracy));
  }

 private:
  std::ofstream file_;
};

RoomOptions follow(const Growing& folder) {
  RoomOptions options;
  options.training = folder.path;
  return options;
}

}  // namespace

TEST_CASE("the folder of a training where a lesson is named says which option opens it") {
  Growing folder;
  RoomOptions options;
  options.lesson = folder.path;
  CHECK_THROWS_WITH(InRoom(options), ContainsSubstring("gui --training " + folder.path.string()));
}

TEST_CASE("a training is followed as its file grows: a torn line waits, garbage is skipped and said") {
  Growing folder;
  folder.step(1);
  InRoom in(follow(folder));
  const auto comes_to = [&](const char* name, const nlohmann::json& value) {
    return in.until([&](const auto& s) { return s.at("training").at(name) == value; });
  };
  REQUIRE(comes_to("step", 1));
  CHECK(in.at<std::string>("/training/sentence").starts_with("Running: step 1 of 4."));
  folder.evaluation(1, 0.75);
  folder.write("no JSON\n");
  folder.write(R"({"step":2,"loss")");
  REQUIRE(comes_to("skipped", 1));
  CHECK(in.at<std::string>("/training/remark").find("line 4: ") != std::string::npos);
  CHECK(in.at<int>("/training/points") == 1);
  folder.write(":0.5,\"ms\":5}\n");
  REQUIRE(comes_to("points", 2));
  folder.evaluation(2, 0.5);
  REQUIRE(comes_to("evaluated", 2));
  CHECK(in.at<int>("/training/best_step") == 1);
  CHECK(ui::find_item("training.confusion.figure.1.1") != nullptr);
  folder.write(R"({"ended":{"step":2,"complete":false,"stopped_early":false,"error":""}})"
               "\n");
  REQUIRE(comes_to("ended", true));
  CHECK(in.at<std::string>("/training/sentence").find("resume=true") != std::string::npos);
  in.click("csv=loss");
  CHECK(std::string(ImGui::GetClipboardText()).find("2,0.5") != std::string::npos);
  CHECK(in.at<int>("/training/skipped") == 1);
  CHECK(in.at<bool>("/run/ended") == false);  // no lesson runs beside it
  CHECK(in.faults() == "");
}

TEST_CASE("a folder that no training wrote is refused with what to do") {
  TempFolder empty;
  CHECK_THROWS_AS(FollowedTraining(empty.path), InputError);
  CHECK_THROWS_WITH(FollowedTraining(empty.path), ContainsSubstring("`ringside train` writes"));
}

}  // namespace ringside::gui
