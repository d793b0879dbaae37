// Words of the field, explained where they stand: a dotted line under the first of each in a frame, and its
// sentence where the mouse rests on any of them. A paragraph (draw.h) does so by itself, with the Look's.
#pragma once

#include <imgui.h>

#include <set>
#include <span>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "ringside/lesson/lesson.h"
#include "ringside/widgets/fonts.h"

namespace ringside::ui {

class Terms {
 public:
  explicit Terms(std::vector<Term> terms = {});

  struct Found {
    size_t begin = 0, end = 0;  // in bytes of the text
    size_t term = 0;
  };
  // Whole words only, the first of each term, in their order; of two that overlap the longer one. A text is
  // searched once.
  std::span<const Found> find(std::string_view text) const;
  const Term& term(size_t nth) const { return terms_[nth]; }
  // Of a text that was just drawn at that place and broken at that width. Marks "term.WORD".
  void explain(std::string_view text, ImVec2 at, float width, Type type);
  bool waiting() const;  // the mouse rests on one whose sentence is not shown yet

 private:
  struct Form {
    std::string word;
    size_t term;
  };
  struct Rested {  // the mouse, on a term
    size_t term = 0;
    double since = 0;
    int frame = -1;
    bool shown = false;
  };
  std::vector<Found> search(std::string_view text) const;

  std::vector<Term> terms_;
  std::vector<Form> forms_;  // the longest first
  mutable std::unordered_map<std::string, std::vector<Found>> found_;
  std::set<size_t> underlined_;  // in this frame
  int underlined_in_ = -1;
  Rested rested_;
};

inline constexpr double kTermDelay = 0.3;  // seconds that the mouse rests before the sentence comes

}  // namespace ringside::ui
