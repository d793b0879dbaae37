// Ranks as columns of blocks: what each of them holds, to one scale, and what moves
// between them. Filled = measured, dashed = the learner's guess, a tick with a label =
// the formula, an outline = the pinned run. A small slot for each part of the whole stands at a block's left
// edge: filled where the part lies here.
#pragma once

#include <array>
#include <functional>
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

// What the owner of the picture knows of a block.
struct BlockKind {
  enum class Same : uint8_t { kUnknown, kEqual, kDifferent };
  int parts = 0;  // equal ones, one a rank, that the whole is cut into; 0: not known, or never cut
  int own = -1;   // the part that lies here; -1: all of them
  Same same = Same::kUnknown;  // its bytes, and those of the chosen rank, or of rank 0
  bool operator==(const BlockKind&) const = default;
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
  std::string ghost_label;  // "stage 0, pinned"
  std::vector<Flight> flights;
  // Of a block on a rank, of so many bytes: what it is, and the note beside it. None: its name.
  std::function<BlockKind(const BlockId&, int rank, int64_t bytes)> kind;
  std::function<std::string(const BlockId&, int rank, int64_t bytes)> words;
  // Lit on that rank and wherever its bytes are equal, an outline where they are not; the others faded. On
  // all ranks where nothing is known.
  std::optional<BlockId> highlight;
  int highlight_rank = -1;
  // So many columns from the right are outlines, the last one from its top: what the learner calls copies.
  double outlined = 0;
  bool sweeps = false;  // mouse and arrows change it
  // 0 to 1: blocks of rank 1 and above whose bytes are equal fall into column 0. 1: only their outlines are
  // left.
  float fallen = 0;
  std::string outlined_label;  // over those columns
};

struct BlockColumnsEvents {
  std::optional<BlockId> clicked;  // by mouse or Enter
  int clicked_rank = -1;
  bool cleared = false;         // clicked where no block is, or Escape
  std::optional<double> swept;  // columns that are outlines now
  bool entered = false;         // Enter, where it sweeps
};

// Bytes at which an axis ends, at or above `bytes`: four to eight times a power of two, its tick.
double round_bytes_up(double bytes);
double bytes_tick(double end);
std::string block_name(const Trace& trace, const BlockId& id);  // "layer 2 gathered"
// "5.50 MiB" with the decimals that an axis needs, in the unit of `like`: "4 MiB", "1.5 MiB", "0.5 MiB".
std::string short_bytes(double bytes, double like = 0);

// Marks: "ID", "ID.r0.P" for the parameters of rank 0, "ID.r0.P.layer 2 gathered" for a block, "ID.lit.r0"
// and "ID.hollow.r1" for what a choice lights there, "ID.legend".
class BlockColumns {
 public:
  BlockColumnsEvents draw(const std::string& id, ImVec2 size, const BlockColumnsData& data);
  void focus() { focus_next_ = true; }  // the keyboard, with the next frame

 private:
  enum class Light : uint8_t { kPlain, kLit, kOutline, kFaded };
  struct Block {
    int rank;
    BlockId id;
    Rect rect;
    float high;  // before it was rounded to pixels: equal blocks are treated alike
    int64_t bytes;
    int tensors;  // more than one: too thin to be drawn alone
    Light light;
    BlockKind kind;
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
    Rect plot, band, ranks_row, legend;
    double range;
    float slot, column;  // widths
    float y(double bytes) const;
    Rect column_of(int rank) const;
  };

  static Light light_of(const BlockColumnsData& data, const BlockId& id, int rank, const BlockKind& kind);
  Layout lay_out(const Rect& rect, const BlockColumnsData& data) const;
  void collect(const BlockColumnsData& data, const Layout& layout);
  void collect(const BlockColumnsData& data, const Layout& layout, int rank, Category category, double& base);
  void draw_axis(ImDrawList& list, const Layout& layout) const;
  void draw_block(ImDrawList& list, const Block& block, const BlockColumnsData& data, float cut) const;
  void draw_blocks(ImDrawList& list, const Layout& layout, const BlockColumnsData& data) const;
  void draw_falling(ImDrawList& list, const Layout& layout, const BlockColumnsData& data) const;
  std::optional<Rect> free_part(const Rect& rect, float high) const;
  bool draw_letter(ImDrawList& list, const Block& block, const BlockColumnsData& data) const;
  void draw_letters(ImDrawList& list, const std::string& id, const BlockColumnsData& data) const;
  void draw_letter_of_all(ImDrawList& list, const Rect& whole, const Block& one, bool same_kind,
                          const BlockColumnsData& data) const;
  void place_outlined_label(const Layout& layout, const BlockColumnsData& data);
  void draw_outlined_label(ImDrawList& list) const;
  void draw_legend(ImDrawList& list, const std::string& id, const Layout& layout,
                   const BlockColumnsData& data) const;
  void draw_slots_legend(ImDrawList& list, const Layout& layout, float x) const;
  void draw_ghost(ImDrawList& list, const Layout& layout, const BlockColumnsData& data) const;
  void place_marks(const Layout& layout, const Rect& rect, const BlockColumnsData& data);
  void draw_marks(ImDrawList& list, const Layout& layout) const;
  void draw_ranks(ImDrawList& list, const Layout& layout, const BlockColumnsData& data) const;
  void draw_flights(ImDrawList& list, const Layout& layout, const std::vector<Flight>& flights) const;
  void describe(const BlockColumnsData& data, const Block& block, const ImVec2* at = nullptr) const;
  const Block* block_at(ImVec2 point) const;
  float cut_of(const Layout& layout, const BlockColumnsData& data, int rank) const;
  bool falls(const Block& block, const BlockColumnsData& data) const;
  void find_cursor();
  void move(int columns, int rows);
  void take_keys(BlockColumnsEvents& events);
  void sweep_by_keys(const BlockColumnsData& data, BlockColumnsEvents& events) const;
  void sweep_by_mouse(const Canvas& canvas, const Layout& layout, BlockColumnsEvents& events);
  void point(const Canvas& canvas, const Block* under, BlockColumnsEvents& events);

  std::vector<Block> blocks_;    // of this frame, rank by rank from the bottom
  std::vector<MarkLine> marks_;  // of this frame: block letters keep away from their labels
  struct OutlinedLabel {
    std::string text;
    Rect rect;
    Type type;
  };
  std::optional<OutlinedLabel> outlined_label_;  // of this frame: letters keep away from it too
  int ranks_ = 0;
  std::optional<size_t> cursor_;  // the block under the keyboard
  int cursor_rank_ = 0;
  BlockId cursor_id_;
  bool focus_next_ = false, by_keys_ = false, sweeping_ = false;
};

}  // namespace ringside::ui
