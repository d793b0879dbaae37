// The pictures of the timeout lesson, what is known of its sections, and the words that go with them.
#pragma once

#include <map>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "names.h"
#include "panel_index.h"
#include "ringside/panel/panel.h"
#include "ringside/widgets/line_plot.h"

namespace ringside::nccl_panel {

// ---- Sections ---------------------------------------------------------------

using nccl_lesson::attribute;
using nccl_lesson::number_in;
std::string kind_of(const SectionView& section);  // "hang", "fixed", "check", "outputs", "plan"
bool of_act_one(const SectionView& section);
bool has_lanes(const SectionView& section);  // whether ranks call collectives in it
bool has_ended(const View& view, const SectionView& section);
int case_of(const std::string& section);                // "case 2 check" -> 2; 0 for another section
int logger_of(const SectionView& section);              // the rank of the log line; -1 where there is none
std::set<int> gone_ranks(const SectionView& section);   // that left no dump
std::string rank_words(const std::vector<int>& ranks);  // "rank 3", "ranks 0, 1 and 2"
std::string waited_words(int64_t ns);                   // "1.50 s", "35.2 ms"
std::string ended_words(const SectionView& section);    // "timeout after 1.5 s"; "" while it runs

// ---- Waits ------------------------------------------------------------------

struct Edge {  // these wait in that collective for those
  std::set<int> from;
  std::string in;  // "dp #45"
  std::set<int> on;
};
// More than one: a cycle.
std::vector<Edge> waits_of(const SectionView& section);
std::string text_of(const std::vector<Edge>& edges);  // "3 ─dp #45─▸ 0,1,2 ─default #10─▸ 3"
void draw_waits(const std::vector<Edge>& edges);      // nodes and arrows at the cursor, wrapped

// ---- Lanes ------------------------------------------------------------------

struct LanesData {
  const Trace* trace = nullptr;
  const SequenceIndex* index = nullptr;
  const std::vector<Hole>* holes = nullptr;
  int64_t time_ns = 0;
  int only_rank = -1;  // the one that may be shown; -1: all
  int logger = -1;     // marked with ▸
  std::set<int> gone;  // left no dump
  bool sizes = true;   // false: how many elements is what is asked
};

class Lanes {  // ranks as lanes, collectives as squares: by sequence number, or by time
 public:
  bool by_time = false;
  void draw(const std::string& id, ImVec2 size, const LanesData& data);
  void focus() { focus_next_ = true; }
  static float least_height(int lanes);
  static float most_height(int lanes);
  // Of the square chosen by click or Enter; "" where none is.
  std::string chosen(const LanesData& data) const;

 private:
  struct Place {
    size_t group = 0;
    int rank = 0;
    int64_t seq = 0;
    bool operator==(const Place&) const = default;
  };
  struct Square {
    Place place;
    ui::Rect rect;
    const Call* call;  // null: a hole
    const Hole* hole;
  };
  struct Block {  // of a group
    size_t group;
    ui::Rect rect;                      // of its lanes
    int64_t first = 0, last = 0;        // seqs
    int64_t from_ns = 0, until_ns = 0;  // of its time axis
  };
  struct Layout {
    std::vector<int> ranks;
    std::vector<Block> blocks;
    float label, lane, top;
    int columns;
  };
  Layout lay_out(const ui::Rect& rect, const LanesData& data) const;
  void set_times(Layout& layout, const LanesData& data) const;
  ui::Rect rect_of(const Layout& layout, const Block& block, size_t lane, int64_t seq, const Call* call,
                   int64_t time_ns) const;
  void collect(const Layout& layout, const LanesData& data);
  void draw_heads(ImDrawList& list, const ui::Rect& rect, const Layout& layout, const LanesData& data) const;
  void draw_group(ImDrawList& list, const ui::Rect& rect, const Layout& layout, const Block& block,
                  const LanesData& data) const;
  void draw_square(ImDrawList& list, const Square& square, const LanesData& data) const;
  void label_square(ImDrawList& list, const Square& square, const ui::Rect& room,
                    const LanesData& data) const;
  void label_squares(ImDrawList& list, const LanesData& data) const;
  std::string describe(const Place& place, const LanesData& data) const;
  void act(const ui::Rect& rect, bool hovered, bool clicked, ImVec2 mouse, const LanesData& data);
  void take_keys();

  std::vector<Square> squares_;  // of this frame
  float slide_ = 0;              // 0: by number, 1: by time
  std::optional<Place> cursor_, chosen_;
  bool focus_next_ = false, focused_ = false;
};
void draw_legend();  // of the squares' forms, at the cursor

// ---- Investigations -----------------------------------------------------------

struct Investigation {             // of one case
  std::vector<std::string> looks;  // in their order: "logs", "dump", "counters"
  int rank = -1;                   // named
  std::string cause;
  int tries = 0;
  bool right = false, told = false;  // told: given up, and shown
  enum class Verdict : uint8_t { kNone, kRight, kOnlyRank, kOnlyCause, kWrong } verdict = Verdict::kNone;

  bool looked(const std::string& at) const;
  void look(const std::string& at);
  void answer(const SectionView& section);
  bool open() const { return !right && !told; }  // the truth is not to be drawn
};
std::string cause_words(const std::string& cause);  // "has one batch more"
std::string looks_words(size_t looks);              // "1 look", "2 looks"

// What the lesson's hero is given in a frame, and what its parts keep up together.
struct Scene {
  View& view;
  const SectionView& section;
  Investigation* opened;  // of the case that the section belongs to; null for another section
  bool sees_all;          // all lanes, not only that of the log line
};
bool asks(const View& view, const std::string& id);  // that question is open: its answer is not drawn

class Outcomes {  // sections that show how something ends: fixes of act 1, a case's fix and check
 public:
  void update(View& view);              // watches what was asked for, once it is recorded
  void cases(const Scene& scene);       // a row: which of the four
  void fixes(const Scene& scene);       // act 1
  void after_case(const Scene& scene);  // its fix, its check
  void ended(const Scene& scene);
  bool tried(const std::string& fix) const { return tried_.contains(fix); }
  std::string tried() const;

 private:
  void go_to(View& view, const std::string& section, std::vector<std::string> words);
  std::set<std::string> tried_;  // of "timeout", "outputs", "rank"
  std::string awaited_;          // the section to watch as soon as it is there
};

void draw_log_line(const Scene& scene);
void draw_looks(const Scene& scene);  // the three buttons
void draw_logs(const SectionView& section);
void draw_counters(const Scene& scene, const SequenceIndex& index, int64_t time_ns);
void draw_last(const SectionView& section);
void draw_naming(const Scene& scene);
void draw_verdict(const Scene& scene);

class Sequences {  // the lesson's hero: lanes and what one does with them
 public:
  void draw(View& view, ImVec2 size);
  void readout(View& view);
  void focus() { lanes_.focus(); }
  std::string sentence(View& view);
  void add_state(std::map<std::string, std::string>& state) const;
  // What the room shows around the picture must not tell an open case either.
  bool offers(const View& view, const std::string& section);
  std::string timeline_closed(View& view);

 private:
  void keep_up(View& view);
  int64_t instant_of(const View& view) const;
  Investigation* investigation(const View& view, int number);
  Scene scene_of(View& view);
  LanesData data_of(const Scene& scene) const;
  void content(const Scene& scene, float height);
  void lanes(const Scene& scene, float height);
  void toolbar();
  void evidence(const Scene& scene);
  void dump(const Scene& scene) const;
  void note_state(const Scene& scene);

  Lanes lanes_;
  Outcomes outcomes_;
  SequenceIndex index_;
  std::vector<Hole> holes_;
  int64_t now_ns_ = 0;     // the instant that is drawn
  uint64_t index_of_ = 0;  // the run
  float others_ = 0;       // height of all but the lanes, in the frame before
  std::map<std::string, Investigation> investigations_;
  std::map<std::string, std::string> state_;
};

// ---- The other pictures -----------------------------------------------------

class Memory {  // what returning hidden states costs, training by training
 public:
  void draw(View& view, ImVec2 size);
  std::string sentence(const View& view) const;

 private:
  void rows(View& view, float width);
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

 private:
  void controls(const View& view, bool quiet);
  void figures(const View& view);
  void step_to(size_t count);
  size_t end_of_group(size_t from) const;
  size_t start_of_group(size_t from) const;
  void picture(const View& view, ImVec2 size, bool quiet);
  void draw_stack(ImDrawList& list, const ui::Rect& box, float right, float moved) const;
  void draw_waiting(ImDrawList& list, const ui::Rect& box, float right) const;
  void draw_bounce(ImDrawList& list, const ui::Rect& box, float right, float moved) const;

  Bucket bucket_;
  std::string plan_ = "plan 7B";
  size_t dropped_ = 0;    // pieces in the bucket
  bool bounced_ = false;  // the next one was tried, and did not fit
  double moved_at_ = -1;  // when the last one was dropped
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
