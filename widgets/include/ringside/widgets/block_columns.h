// Ranks as columns of blocks: what each of them holds, to one scale, and what moves
// between them. Filled = measured, dashed = the learner's guess, a tick with a label =
// the formula, an outline = the pinned run.
#pragma once

#include <array>
#include <optional>
#include <string>
#include <vector>

#include "ringside/trace/trace.h"
#include "ringside/widgets/canvas.h"
#include "ringside/widgets/flights.h"
#include "ringside/widgets/memory_history.h"

namespace ringside::ui {

// Which block, on whatever rank.
struct BlockId {
  Category category = Category::kOther;
  NameId unit = 0, tensor = 0;
  bool operator==(const BlockId&) const = default;
};

struct BytesMark {
  double bytes = 0;
  std::string label;  // "2Ψ+14Ψ/N = 5.50 MiB"
};

struct BlockColumnsData {
  const Trace* trace = nullptr;
  MemoryHistory* memory = nullptr;  // null or without ranks: an empty axis
  int64_t time_ns = 0;
  double range_bytes = 0;           // what the axis has to show, at every instant; rounded up
  std::vector<BytesMark> formulas;  // ticks
  std::vector<BytesMark> guesses;   // dashed lines
  // Of the pinned run, by rank: bytes of each category. Drawn as outlines.
  std::vector<std::array<int64_t, kCategoryCount>> ghost;
  std::string ghost_label;   // "stage 0, pinned"
  bool with_flights = true;  // keeps room for them above the columns
  std::vector<Flight> flights;
  std::optional<BlockId> highlight;  // lit on all ranks, the others faded
};

struct BlockColumnsEvents {
  std::optional<BlockId> clicked;  // by mouse or Enter
  int clicked_rank = -1;
  bool cleared = false;  // clicked where no block is, or Escape
  std::optional<BlockId> hovered;
};

// Bytes at which an axis ends, at or above `bytes`: 1, 1.5, 2, 3, 4, 6, ... times a power of two.
double round_bytes_up(double bytes);
// "5.50 MiB" with the decimals that an axis needs: "4 MiB", "1.5 MiB".
std::string short_bytes(double bytes);

// Marks: "ID", "ID.r0.P" for the parameters of rank 0, "ID.r0.P.layer 2 gathered" for a block.
class BlockColumns {
 public:
  BlockColumnsEvents draw(const std::string& id, ImVec2 size, const BlockColumnsData& data);
  void focus() { focus_next_ = true; }  // the keyboard, with the next frame
  bool focused() const { return focused_; }

 private:
  struct Block {
    int rank;
    BlockId id;
    Rect rect;
    int64_t bytes;
    int tensors;  // more than one: too thin to be drawn alone
    bool lit;
  };
  enum class Form : uint8_t { kTick, kDashed, kOutline };
  struct MarkLine {
    float y;
    std::string label;  // as far as it fits
    Rect rect;          // of the label
    Form form;
    bool beside;  // the plot, or upon it
  };
  struct Layout {
    Rect plot, band, ranks_row;
    double range;
    float slot, column;  // widths
    float y(double bytes) const;
    Rect column_of(int rank) const;
  };

  Layout lay_out(const Rect& rect, const BlockColumnsData& data) const;
  void collect(const BlockColumnsData& data, const Layout& layout);
  void collect(const BlockColumnsData& data, const Layout& layout, int rank, Category category, double& base);
  void draw_axis(ImDrawList& list, const Layout& layout) const;
  std::optional<Rect> free_part(Rect rect) const;
  bool draw_block(ImDrawList& list, const Block& block, const BlockColumnsData& data) const;  // with a letter
  void draw_blocks(ImDrawList& list, const std::string& id, const BlockColumnsData& data) const;
  void draw_ghost(ImDrawList& list, const Layout& layout, const BlockColumnsData& data) const;
  void place_marks(const Layout& layout, const Rect& rect, const BlockColumnsData& data);
  void draw_marks(ImDrawList& list, const Layout& layout) const;
  void draw_ranks(ImDrawList& list, const Layout& layout, const BlockColumnsData& data) const;
  void draw_flights(ImDrawList& list, const Layout& layout, const std::vector<Flight>& flights) const;
  void describe(const BlockColumnsData& data, const Block& block, const ImVec2* at = nullptr) const;
  const Block* block_at(ImVec2 point) const;
  void find_cursor();
  void move(int columns, int rows);
  void take_keys(BlockColumnsEvents& events);

  std::vector<Block> blocks_;    // of this frame, rank by rank from the bottom
  std::vector<MarkLine> marks_;  // of this frame: block letters keep away from their labels
  int ranks_ = 0;
  std::optional<size_t> cursor_;  // the block under the keyboard
  int cursor_rank_ = 0;
  BlockId cursor_id_;
  bool focus_next_ = false, focused_ = false, by_keys_ = false;
};

}  // namespace ringside::ui
