// The pictures beside the lanes: the log line, memory, the bucket, and a tensor of hidden states.
#pragma once

#include <string>
#include <vector>

#include "panel_parts.h"
#include "ringside/widgets/line_plot.h"

namespace ringside::nccl_panel {

class LogPicture {  // what the source's eight GPUs left behind: one line, and how it came to be
 public:
  void draw(View& view, ImVec2 size) const;
  std::string sentence(const View& view) const;
};

class Memory {  // what returning hidden states costs, training by training
 public:
  void draw(View& view, ImVec2 size);
  std::string sentence(const View& view) const;

 private:
  void rows(View& view, float width);
  void versions(const View& view, bool wide) const;
  void curve(View& view, ImVec2 size);
  ui::LinePlot plot_;
  ui::MemoryHistory original_;
  uint64_t original_of_ = 0;
};

struct Piece {
  std::string name, group;
  int64_t elements = 0;
};
struct Bucket {
  std::vector<Piece> pieces;
  int64_t limit = 0;
  size_t fits() const;              // so many before the first that does not
  int64_t sum(size_t count) const;  // elements of the first so many
};
Bucket bucket_of(const SectionView& plan);

class BucketPicture {  // gradients drop into the bucket until one does not fit
 public:
  void draw(View& view, ImVec2 size);
  void focus() { focus_next_ = true; }
  std::string sentence(const View& view) const;
  void add_state(std::map<std::string, std::string>& state) const;
  bool moves() const;

 private:
  void choose_plan(const View& view);
  void controls(const View& view, bool quiet);
  void play();
  bool is_full() const;
  void figures(const View& view, bool low);
  void digits(int64_t sum, int64_t logged, bool low);
  std::string how_sure(const View& view) const;
  void step_to(size_t count);
  size_t end_of_group(size_t from) const;
  size_t start_of_group(size_t from) const;
  void picture(const View& view, ImVec2 size, bool quiet);
  void draw_stack(ImDrawList& list, const ui::Rect& box, float right, float moved) const;
  void draw_waiting(ImDrawList& list, const ui::Rect& box, float right) const;
  void draw_bounce(ImDrawList& list, const ui::Rect& box, float right, float moved) const;

  Bucket bucket_;
  std::string plan_ = "plan 7B";
  bool asked_ = false;    // the question about it was open in the frame before
  bool playing_ = false;  // one after the other, by themselves
  int64_t agreeing_ = 0;  // digits of the sum, from the right, that are those of the log
  size_t dropped_ = 0;    // pieces in the bucket
  bool bounced_ = false;  // the next one was tried, and did not fit
  double moved_at_ = -1;  // when the last one was dropped
  int64_t before_ = 0;    // the sum before that
  bool focus_next_ = false;
};

class TensorPicture {  // is the number B·T·H of anything?
 public:
  void draw(View& view, ImVec2 size);
  void focus() { focus_next_ = true; }
  std::string sentence(const View& view) const;
  void add_state(std::map<std::string, std::string>& state) const;

 private:
  void sliders();
  void figures(int64_t hidden, int64_t logged);
  void line(ImVec2 size, int64_t hidden, int64_t logged);
  void take_keys(int64_t nearest_length);
  int batch_ = 8, length_ = 2048, ranks_ = 8;
  bool focus_next_ = false;
  int64_t difference_ = 0;
};

}  // namespace ringside::nccl_panel
