// Gradients drop into the bucket, one after the other or by a button; digits that agree with the log's lock.
#pragma once

#include "parts.h"
#include "ringside/panel/figures.h"

namespace ringside::nccl_panel {

class BucketPicture {
 public:
  void draw(View& view, ImVec2 size);
  bool moves() const;
  void focus() { keys_ = true; }
  void add_state(std::map<std::string, std::string>& state) const;

 private:
  void step_to(View& view, size_t count);
  void show_answer(View& view);
  void buttons(View& view, const nccl_lesson::Bucket& bucket);
  void take_keys(View& view, const nccl_lesson::Bucket& bucket);
  void digits(int64_t sum, int64_t logged);

  std::string plan_ = nccl_lesson::kSource;  // a section
  std::string revealed_ = {};                // the question whose answer it was filled for
  size_t dropped_ = 0, fits_ = 0;
  bool bounced_ = false;  // the next one was tried, and did not fit
  bool keys_ = false;     // arrows, Home, End and Space go to it
  bool playing_ = false;  // one after the other, by themselves
  double moved_at_ = -1;
  int64_t sum_ = 0, before_ = 0, agreeing_ = 0;  // agreeing_: digits from the right that are those of the log
  FigureView picture_;
  uint64_t version_ = 0;
};

}  // namespace ringside::nccl_panel
