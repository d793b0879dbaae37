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
#include "ringside/widgets/line_plot.h"
#include "ringside/widgets/ring_view.h"

namespace ringside::zero_panel {

using zero_lesson::stage_name;
using zero_lesson::stage_named;
using zero_lesson::stage_of;

// The question about a stage's state or traffic; null for one that is not asked (stage 0's state).
const PredictionSpec* question(const Lesson& lesson, const std::string& about, int stage);
// A question's right formula at N ranks, whatever the scenario has; by its text in symbols.
std::optional<double> at_ranks(const PredictionSpec& spec, const Config& config, double ranks);
using Indexes = std::map<std::string, SectionIndex>;  // by section

// The point of each picture in a sentence: of the blocks at this instant, ...
std::string words_at(const View& view);
std::string traffic_words(const View& view, const Indexes& indexes);
std::string ring_words(const View& view);

class Blocks {  // ranks as columns of what they hold
 public:
  void draw(View& view, ImVec2 size);
  void readout(View& view, const SectionIndex& index);  // of the chosen block
  void focus() { columns_.focus(); }
  std::string chosen_name() const;

 private:
  void add_marks(const View& view, ui::BlockColumnsData& data) const;
  void add_guess(const View& view, const PredictionSpec* spec, double psi, ui::BlockColumnsData& data) const;
  void add_ghost(const View& view, ui::BlockColumnsData& data);

  ui::BlockColumns columns_;
  // By name, so that the choice outlives the run whose trace numbered it.
  struct Chosen {
    Category category;
    std::string unit, tensor;
    bool operator==(const Chosen&) const = default;
  };
  std::optional<ui::BlockId> find_chosen(const View& view) const;

  std::optional<Chosen> chosen_;
  ui::MemoryHistory ghost_;
  std::string ghost_of_;  // the pinned run that it stands for
};

class Traffic {  // what a step sends, over N; the all-reduce cut in two
 public:
  void draw(View& view, ImVec2 size, const Indexes& indexes);

 private:
  void curves(View& view, ImVec2 size, const Indexes& indexes);
  void halves(View& view, ImVec2 size, const Indexes& indexes);
  ui::LinePlot plot_;
  float adam_ = -1;  // where the optimizer's step is dragged to; -1: not dragged
};

class Ring {  // how the chunks of a collective move, step by step
 public:
  void draw(View& view, ImVec2 size);
  void focus() { ring_.focus(); }

 private:
  ui::RingView ring_;
  int algorithm_ = 0, half_ = 0;
  double step_ = 0;
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
