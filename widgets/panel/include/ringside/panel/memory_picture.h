// Ranks as columns of what they hold at an instant, large: which blocks are parts and which are copies, by
// their sizes and hashes; the learner's guesses, the formulas of the lesson's questions, the pinned run's
// outlines. A block that is clicked stays chosen, and is lit wherever the same bytes lie.
#pragma once

#include <optional>
#include <string>

#include "ringside/figures/section_index.h"
#include "ringside/panel/panel.h"
#include "ringside/widgets/block_columns.h"

namespace ringside {

// A block of a rank as the columns show it, its bytes held against those of the rank `beside`; and in words:
// a part of what, or a copy; without an index only who has one of this name too.
ui::BlockKind kind_of(const View& view, const figure::SectionIndex& index, const ui::BlockId& id, int rank,
                      int64_t bytes, int beside);
std::string words_of(const View& view, const figure::SectionIndex* index, const ui::BlockId& id, int rank,
                     int64_t bytes);

class MemoryPicture {
 public:
  struct About {
    std::string unsharded;  // the section whose ranks keep everything
    std::string copies;  // the question that is answered by dragging over the columns that are copies, in %
  };
  explicit MemoryPicture(About about) : about_(std::move(about)) {}

  // Without an index blocks are what their names and bytes say.
  void draw(View& view, ImVec2 size, const figure::SectionIndex* index);
  void readout(View& view, const figure::SectionIndex& index);  // of the chosen block
  void focus() { columns_.focus(); }
  // At the Reveal of that question the copies fall into column 0.
  bool reveals(const PredictionSpec& question) const { return question.id == about_.copies; }
  // "chosen", "chosen_is": as the readout says it; "called_copies": the per cent that are outlines.
  void add_state(std::map<std::string, std::string>& state) const;

 private:
  // By name, so that the choice outlives the run whose trace numbered it.
  struct Chosen {
    Category category;
    std::string unit, tensor;
    int rank;
    bool operator==(const Chosen&) const = default;
  };

  bool is_copies(const PredictionSpec* question) const { return question != nullptr && reveals(*question); }
  void ask_copies(const View& view, ui::BlockColumnsData& data);
  void collapse(const View& view, const figure::SectionIndex& index, ui::BlockColumnsData& data) const;
  void take(View& view, const ui::BlockColumnsEvents& events, bool sweeps);
  void add_marks(const View& view, ui::BlockColumnsData& data);
  void add_ghost(const View& view, ui::BlockColumnsData& data);
  std::optional<ui::BlockId> find_chosen(const View& view) const;
  std::string chosen_name() const;

  const About about_;
  ui::BlockColumns columns_;
  std::optional<Chosen> chosen_;
  std::string chosen_words_, called_copies_;
  ui::MemoryHistory ghost_;
  std::string ghost_of_;  // the pinned run that it stands for
  struct Whole {
    Config config;
    double bytes;  // a parameter's, of everything, unsharded
  };
  std::optional<Whole> whole_;
};

}  // namespace ringside
