// One scenario after another over the values of a whole-number parameter, so that a picture over it has
// measured points: "measure N = 2 to 8".
#pragma once

#include <string>
#include <vector>

#include "ringside/panel/panel.h"

namespace ringside {

class Sweep {
 public:
  struct Over {
    std::string parameter, symbol;  // "ranks", "N"
    int least = 0, most = 0;
    std::vector<std::string> words = {};  // what else the scenarios differ in: shorter runs
  };
  explicit Sweep(Over over) : over_(std::move(over)) {}

  // At the cursor: its button; while it measures, what it is at, and a button that stops it. Marks
  // "ID.measure" and "ID.stop".
  void button(View& view, const std::string& id);
  void advance(View& view);  // once a frame: when a run has ended, the next

 private:
  bool running() const { return !lines_.empty(); }
  void start(View& view);
  void stop(View& view);
  std::string words() const;  // "N = 3 of 2 to 8"

  const Over over_;
  std::vector<std::string> lines_;  // still to come, the last one leads home; the first is under way
  std::string waiting_;             // the scenario of the first
};

}  // namespace ringside
