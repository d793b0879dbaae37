// A log of any number of lines to look at: a monospaced list of which only the lines that are seen are read
// and drawn.
#pragma once

#include <imgui.h>

#include <cstdint>
#include <map>
#include <set>
#include <string>

#include "ringside/widgets/draw.h"
#include "room_log_lines.h"

namespace ringside::gui {

class LogView {
 public:
  struct Shown {
    const std::set<int64_t>& marked;  // lines of evidence
    bool hide_names = false;          // hosts, users, addresses and paths
  };
  void choose(int64_t line);  // it is shown, and stands in full below the list
  void scroll(int64_t lines) { first_ += double(lines); }
  void shift(int64_t letters) { left_ += letters; }  // sideways
  int64_t chosen() const { return chosen_; }
  int64_t first() const { return int64_t(first_); }
  int64_t page() const { return page_; }  // lines that are seen

  void draw(const std::string& id, ImVec2 size, LogLines& lines, const Shown& shown);

 private:
  void draw_lines(const ui::Rect& rect, const Shown& shown);
  void draw_bar(const ui::Rect& rect, const Shown& shown);
  void draw_chosen(float height);
  const std::string& words(int64_t line);

  LogLines* lines_ = nullptr;
  std::map<int64_t, std::string> words_;  // of lines that were drawn
  bool hide_names_ = false;
  double first_ = 0;               // at the top; from 0, with its part
  int64_t chosen_ = 0, page_ = 1;  // from 1; 0: none
  bool centre_ = false;            // the chosen line, once there are lines
  int64_t left_ = 0;               // letters that are scrolled away
  bool drags_ = false;             // the bar is held
};

}  // namespace ringside::gui
