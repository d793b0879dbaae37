// An answer in words, given by hand: options that are chosen, ticked or put in order, lines of a listing of
// which one is chosen. Dashed, as everything that is the learner's.
#pragma once

#include <vector>

#include "ringside/lesson/lesson.h"
#include "ringside/widgets/canvas.h"

namespace ringside::gui {

// Marks: "word.2" the second row, "word.2.up" and "word.2.down" what moves it where rows are ordered.
class WordList {
 public:
  struct Shown {
    AnswerKind kind = AnswerKind::kChoice;
    Words rows;         // options, lines; of an order the answer itself
    float width = 0;    // in pixels
    bool keys = false;  // they are for this list
  };
  static float height(const Shown& shown);

  // At the cursor. True where the answer changed. Mouse: a click chooses a row, or ticks it; rows of an order
  // are dragged. Keys: Up, Down, Home, End and 1 to 9 choose a row; Space ticks it; Shift+Up and Shift+Down
  // move it.
  bool draw(const Shown& shown, Words& answer);
  void restart() { at_ = 0; }  // another question

 private:
  std::vector<ui::Rect> lay_out(const Shown& shown, ImVec2 at) const;
  void take_keys(const Shown& shown, Words& answer);
  void take_mouse(const Shown& shown, const ui::Canvas& canvas, const std::vector<ui::Rect>& rows,
                  Words& answer);
  void choose(const Shown& shown, size_t row, Words& answer);
  void tick(const Shown& shown, size_t row, Words& answer);
  void move(size_t from, size_t to, Words& answer);
  void draw_row(const Shown& shown, const ui::Canvas& canvas, const ui::Rect& rect, size_t row,
                const Words& answer) const;

  size_t at_ = 0;       // the row under the keyboard
  int dragged_ = -1;    // the row under the mouse's hand
  bool moved_ = false;  // by a key: its row must be seen
};

}  // namespace ringside::gui
