// The pictures of the ZeRO lesson and the words that go with them.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "attributes.h"
#include "panel_index.h"
#include "parted.h"
#include "ringside/panel/figures.h"
#include "ringside/widgets/block_columns.h"
#include "ringside/widgets/canvas.h"
#include "ringside/widgets/line_plot.h"
#include "ringside/widgets/ring_view.h"

namespace ringside::zero_panel {

using zero_lesson::kStages;
using zero_lesson::kStateKinds;
using zero_lesson::part_name;
using zero_lesson::question_id;
using zero_lesson::stage_name;
using zero_lesson::stage_named;
using zero_lesson::stage_of;

// The question about a stage's state or traffic; null for one that is not asked (stage 0's state).
const PredictionSpec* question(const Lesson& lesson, const std::string& about, int stage);
using Indexes = std::map<std::string, SectionIndex>;  // by section

// A block of a rank as the columns show it, its bytes held against those of the rank `beside`; and in words:
// a part of what, or a copy.
ui::BlockKind kind_of(const View& view, const SectionIndex& index, const ui::BlockId& id, int rank,
                      int64_t bytes, int beside);
std::string words_of(const View& view, const SectionIndex& index, const ui::BlockId& id, int rank,
                     int64_t bytes);

// How much of what all ranks hold is on rank 0 as well, by their hashes.
struct Copies {
  int blocks = 0, equal = 0;  // of ranks 1 and above: compared, and with rank 0's hash
  double left = 0;            // 0 to 1: of all bytes, what is no copy
};
std::string name_of(Op op);  // "all-gather"
// The point of each picture in a sentence: of the blocks at this instant, ...
std::string words_at(const View& view);
std::string traffic_words(const View& view, const Indexes& indexes);
std::string ring_words(const View& view);
bool asks_what_is_sent(const View& view);  // a question about traffic is still open

class Blocks {  // ranks as columns of what they hold
 public:
  void draw(View& view, ImVec2 size, const SectionIndex& index);
  void readout(View& view, const SectionIndex& index);  // of the chosen block
  void focus() { columns_.focus(); }
  std::string chosen_name() const;
  const std::string& chosen_words() const { return chosen_words_; }    // as the readout says them
  const std::string& called_copies() const { return called_copies_; }  // the per cent that are outlines
  static bool reveals(const PredictionSpec& question);                 // how much of all is copies

 private:
  Copies count_copies(const View& view, const SectionIndex& index) const;
  void ask_copies(const View& view, ui::BlockColumnsData& data);
  void collapse(const View& view, const SectionIndex& index, ui::BlockColumnsData& data) const;
  void take(View& view, const ui::BlockColumnsEvents& events, bool sweeps);
  void add_marks(const View& view, ui::BlockColumnsData& data) const;
  void add_guess(const View& view, const PredictionSpec* spec, double psi, ui::BlockColumnsData& data) const;
  void add_ghost(const View& view, ui::BlockColumnsData& data);

  ui::BlockColumns columns_;
  // By name, so that the choice outlives the run whose trace numbered it.
  struct Chosen {
    Category category;
    std::string unit, tensor;
    int rank;
    bool operator==(const Chosen&) const = default;
  };
  std::optional<ui::BlockId> find_chosen(const View& view) const;

  std::optional<Chosen> chosen_;
  std::string chosen_words_, called_copies_;
  ui::MemoryHistory ghost_;
  std::string ghost_of_;  // the pinned run that it stands for
};

// What a step of a stage sends, in Ψ, as its own section measured it so far.
std::optional<double> sent_psi(const View& view, const Indexes& indexes, int stage);

class Adam {  // pulled from behind the all-reduce to between its halves: stage 0 becomes stage 1
 public:
  void draw(View& view, ImVec2 size, const Indexes& indexes);
  void focus() { focus_next_ = true; }
  bool moving() const { return moving_; }

 private:
  struct Facts;  // of stages 0 and 1
  struct Layout;
  static Facts facts_of(const View& view, const Indexes& indexes);
  Layout lay_out(const ui::Rect& rect, const View& view) const;
  void act(View& view, const ui::Canvas& canvas, const Layout& layout);
  void release(View& view, bool between);
  void settle(const View& view);
  void draw_halves(ImDrawList& list, const View& view, const Layout& layout) const;
  void draw_ranks(ImDrawList& list, const Layout& layout, const Facts& facts) const;
  void draw_counter(ImDrawList& list, const Layout& layout, const Facts& facts) const;

  float place_ = 0;   // 0 behind both halves, 1 between them
  int settled_ = -1;  // the stage that it stands for
  bool dragging_ = false, moving_ = false, focus_next_ = false;
  float grab_ = 0;            // from its left edge to the mouse
  std::optional<bool> held_;  // where it was left, until that stage is watched
};

// What a rank sends over N, a line and dots for each stage.
struct SentCurve {
  int stage = 0;
  std::vector<ui::Point> formula, guess, measured;
};
void draw_sent(const std::string& id, ImVec2 size, const std::vector<SentCurve>& curves,
               const std::string& hint);

class Sweep {  // runs a scenario at every N, one after the other
 public:
  void start(View& view);
  void stop(View& view);
  void advance(View& view);  // once a frame: when one has ended, the next
  bool running() const { return !lines_.empty(); }
  std::string words() const;  // "N = 3, then 4 to 8"

 private:
  std::vector<std::string> lines_;  // still to come, the last one leads home; the first is under way
  std::string waiting_;             // the scenario of the first
};

class Traffic {  // the all-reduce cut in two; what a step sends, over N
 public:
  void draw(View& view, ImVec2 size, const Indexes& indexes);
  void advance(View& view) { sweep_.advance(view); }
  void focus() { adam_.focus(); }
  bool moving() const { return adam_.moving(); }

 private:
  void curves(View& view, ImVec2 size, const Indexes& indexes);
  void sweep_button(View& view);
  void add_formulas(const View& view);
  void add_measured(const View& view, const Indexes& indexes);
  Adam adam_;
  Sweep sweep_;
  std::vector<SentCurve> curves_;
  std::string curves_of_;  // what their formulas and guesses follow from
};

class Ring {  // the collective at this instant, part by part; or what it would be
 public:
  void draw(View& view, ImVec2 size, const SectionIndex* index);  // null before there is a section
  void focus() { ring_.focus(); }
  const std::string& said() const { return said_; }

 private:
  void choices(float width);
  std::string what_if(int ranks, Op op, int steps) const;
  std::string words(const View& view, const Carried& carried, bool under_way) const;
  ui::RingView ring_;
  std::string said_;
  int algorithm_ = 0;  // direct, or the textbook's ring
  int what_ = 0;       // this instant's, or one of the ops
  double step_ = 0;    // of what is only imagined
};

class Bits {  // the proof: equal, or where the bits part, down to the bits
 public:
  void draw(View& view, ImVec2 size, FigureBoard& figures);
  void focus() { focus_next_ = true; }
  bool moves() const;
  void add_state(std::map<std::string, std::string>& state) const;

 private:
  void see(const View& view);
  void fall(size_t nth);  // through model, tensor and element of that run
  void take_click(const FigureBoard& figures, size_t figure);
  void draw_cards(ImVec2 size);
  void draw_card(ImDrawList& list, const ui::Rect& card, const zero_lesson::ProvenRun& run, bool lit) const;
  void draw_fall(ImVec2 size);
  void draw_levels(ImDrawList& list, const ui::Rect& all, const zero_lesson::ProvenRun& run,
                   int levels) const;
  void draw_sums(ImDrawList& list, const ui::Rect& room, const zero_lesson::ProvenRun& run) const;

  std::vector<zero_lesson::ProvenRun> parted_;
  uint64_t seen_ = 0;  // the run
  bool complete_ = false;
  size_t at_ = 0;  // the card that the keys are on
  std::optional<size_t> fallen_;
  double fallen_at_ = 0;
  std::string chosen_;  // in the figure, in the frame before
  bool focus_next_ = false;
};

}  // namespace ringside::zero_panel
