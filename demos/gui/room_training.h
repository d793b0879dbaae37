// The folder of a `ringside train`, followed while it runs: metrics.jsonl, read as it grows, as figures. What
// its lines are is in demos/terminal/metrics_log.h. They are believed as little as any stranger's.
#pragma once

#include <sys/stat.h>

#include <array>
#include <deque>
#include <filesystem>
#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <string>
#include <vector>

#include "ringside/base/json.h"
#include "ringside/panel/figure_view.h"

namespace ringside::gui {

// What the lines say so far.
struct TrainingFacts {
  int64_t steps = 0, samples_per_step = 0;  // 0: not said
  std::string watch = "loss";
  std::vector<std::string> classes;
  int64_t step = 0, evaluated = -1, best_step = -1;  // the newest; -1: none
  double best = figure::kNone;
  figure::Line loss{"training", figure::hue(0)}, held_out{"held out", figure::hue(1)};
  figure::Line accuracy{"accuracy", figure::hue(3)}, macro_f1{"macro-F1", figure::hue(2)};
  figure::Line rate{"learning rate", figure::hue(0)}, norm{"gradient norm", figure::hue(0)};
  std::deque<double> ms;                        // of the last steps
  std::vector<std::vector<int64_t>> confusion;  // of the newest evaluation: label, answer
  struct End {
    int64_t step = 0;
    bool complete = false, stopped_early = false;
    std::string error;
  };
  std::optional<End> end;
  bool thinned = false;

  void take(const Json& line);  // JsonRejected

 private:
  void take_training(const JsonObject& training);
  void take_evaluation(int64_t at, const Json& evaluation);
};

class FollowedTraining {
 public:
  struct Picture {
    const char* id;
    std::string title;
    figure::Value value = figure::Nothing{};
    FigureView view = {};
  };

  // InputError where no training wrote this folder.
  explicit FollowedTraining(std::filesystem::path folder);

  void update(double seconds);             // once a frame: looks twice a second, and reads a bounded part
  bool behind() const { return behind_; }  // there is more to read
  double idle_seconds() const { return behind_ ? 0.033 : facts_.end ? 1.0 : 0.5; }

  std::string typed() const;     // the folder
  std::string sentence() const;  // whether it runs, ended or stopped
  std::string remark() const;    // what was left out; "" nothing
  std::array<Picture, 6>& pictures() { return pictures_; }
  uint64_t version() const { return version_; }  // counts the values of the pictures
  nlohmann::json state() const;

 private:
  void read();
  void take_bytes(const std::string& bytes);
  void take_line(const std::string& line);
  void draw_values();
  figure::Table table() const;
  double quiet_seconds() const;  // since the file grew

  std::filesystem::path folder_, file_;
  struct stat seen_ {};
  bool behind_ = true, gone_ = false;
  double looked_ = -1;
  off_t offset_ = 0;
  std::string torn_;  // the last line, whose end is not there yet
  bool too_long_ = false;
  int64_t lines_ = 0, skipped_ = 0;
  std::string why_;  // of the line that was skipped last
  TrainingFacts facts_;
  std::array<Picture, 6> pictures_;
  uint64_t version_ = 0;
  int64_t checkpoint_ = -1;
};

}  // namespace ringside::gui
