// The lanes of the timeout lesson, its cases, what is known of its sections, and the words that go with them.
#pragma once

#include <functional>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "names.h"
#include "panel_index.h"
#include "ringside/panel/panel.h"
#include "ringside/widgets/canvas.h"

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

// A planned fault that nothing noticed: did it change what was trained?
struct Unnoticed {
  std::string with, without;  // hashes of the parameters; "" while the run without the fault is to come
  bool is_known() const { return !with.empty() && !without.empty(); }
  bool differs() const { return is_known() && with != without; }
};
// Of the section of the learner's own fault plan, once it came to its end; none for another one.
std::optional<Unnoticed> unnoticed_in(const View& view, const SectionView& section);

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
  int only_rank = -1;                                // the one that may be shown; -1: all
  int logger = -1;                                   // marked with ▸
  std::set<int> gone;                                // left no dump
  bool sizes = true;                                 // false: how many elements is what is asked
  bool tags = true;                                  // false: what they carry is
  std::vector<nccl_lesson::StruckCall> struck = {};  // by a fault that let them be made
};

// Ranks as lanes, collectives as squares: by sequence number, each group beside the other; or by time, on one
// axis for all groups, each group in a row of its own in every lane.
class Lanes {
 public:
  bool by_time = false;
  // A clock runs over the lanes as they are by time, they slide to their numbers, and threads join each call
  // through the ranks: what is missing stays open. Without motion it is open at once.
  void open_hole();
  std::string_view opening() const;  // "clock", "slide", "threads"; "" before and after
  void draw(const std::string& id, ImVec2 size, const LanesData& data);
  void focus() { focus_next_ = true; }
  float least_height(int lanes, size_t groups) const;
  static float most_height(int lanes);
  bool moves() const { return !opening().empty(); }
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
    ui::Rect rect;                // of its lanes, by number
    int64_t first = 0, last = 0;  // seqs
  };
  struct Layout {
    std::vector<int> ranks;
    std::vector<Block> blocks;
    float label, lane, top;
    int columns;
    ui::Rect all = {};                  // of the lanes of all groups: by time, its width is the axis
    int64_t from_ns = 0, until_ns = 0;  // of the time axis
  };
  Layout lay_out(const ui::Rect& rect, const LanesData& data) const;
  void set_times(Layout& layout, const LanesData& data) const;
  ui::Rect rect_of(const Layout& layout, const Block& block, size_t lane, int64_t seq, const Call* call,
                   int64_t time_ns) const;
  void collect(const Layout& layout, const LanesData& data);
  void draw_heads(ImDrawList& list, const ui::Rect& rect, const Layout& layout, const LanesData& data) const;
  void draw_group(ImDrawList& list, const ui::Rect& rect, const Layout& layout, const Block& block,
                  const LanesData& data) const;
  void draw_numbers(ImDrawList& list, const Layout& layout, const Block& block, float y) const;
  void draw_square(ImDrawList& list, const Square& square, const LanesData& data) const;
  void draw_clock(ImDrawList& list, const ui::Rect& rect, const LanesData& data) const;
  void draw_threads(ImDrawList& list, const Layout& layout, const LanesData& data) const;
  void play(const LanesData& data);
  bool is_struck(const Place& place, const LanesData& data) const;
  void label_square(ImDrawList& list, const Square& square, const ui::Rect& room,
                    const LanesData& data) const;
  void label_squares(ImDrawList& list, const LanesData& data) const;
  std::string describe(const Place& place, const LanesData& data) const;
  void act(const ui::Rect& rect, bool hovered, bool clicked, ImVec2 mouse, const LanesData& data);
  void take_keys();

  std::vector<Square> squares_;     // of this frame
  float slide_ = 0;                 // 0: by number, 1: by time
  double opened_at_ = -1;           // when the hole began to open
  float waited_ = 1, threads_ = 0;  // how far the clock and the threads have come, 0 to 1
  std::optional<Place> cursor_, chosen_;
  bool focus_next_ = false, focused_ = false;
};
void draw_legend();  // of the squares' forms, at the cursor

// ---- Investigations -----------------------------------------------------------

struct Investigation {             // of one case, or of act 1
  std::vector<std::string> looks;  // in their order: "logs", "dump", "counters"
  int rank = -1;                   // named
  std::string cause;
  bool by_rank = false;    // the rank alone is asked for: act 1
  bool searching = false;  // looks are offered: of a case always
  int tries = 0;
  bool right = false, told = false;  // told: given up, and shown
  std::set<std::string> seen;        // "fixed", "check": watched since
  enum class Verdict : uint8_t { kNone, kRight, kOnlyRank, kOnlyCause, kWrong } verdict = Verdict::kNone;

  bool looked(const std::string& at) const;
  void look(const std::string& at);
  bool is_whole() const { return rank >= 0 && (by_rank || !cause.empty()); }  // may be answered
  void answer(const SectionView& section);
  bool open() const { return !right && !told; }  // the truth is not to be drawn
};
inline constexpr const char* kLookNames[] = {"logs", "dump", "counters"};
inline constexpr int kCases = 4;
inline constexpr size_t kFewestLooks = 1;  // the dump names who is missing, and what each rank did last
std::string cause_words(const std::string& cause);  // "has one batch more"
std::string looks_words(size_t looks);              // "1 look", "2 looks"

// What the lesson's hero is given in a frame, and what its parts keep up together.
struct Scene {
  View& view;
  const SectionView& section;
  Investigation* opened;  // of the case, or of act 1, that the section belongs to; null for another one
  bool sees_all;          // all lanes, not only that of the log line
};
bool is_case(const Scene& scene);
bool asks(const View& view, const std::string& id);  // that question is open: its answer is not drawn
bool asks_what(const View& view);                    // of what the elements are
bool asks_how_many(const View& view);                // how many there are, or of how many ranks

class Outcomes {  // sections that show how something ends: fixes of act 1, a case's fix and check
 public:
  void update(View& view);              // watches what was asked for, once it is recorded
  void cases(const Scene& scene);       // a row: which of the four
  void fixes(const Scene& scene);       // act 1
  void after_case(const Scene& scene);  // its fix, its check
  void ended(const Scene& scene);
  bool tried(const std::string& fix) const { return tried_.contains(fix); }
  bool led() const { return led_; }  // by a button of act 1, and not by a question since
  void follow_question() { led_ = false; }
  std::string tried() const;
  // To a section that is recorded, or comes, or else to a run that has it.
  using Way = std::function<void(Wishes&)>;
  Way way_to(const View& view, const std::string& section, std::vector<std::string> words);

 private:
  void go_to(View& view, const std::string& section, std::vector<std::string> words) {
    way_to(view, section, std::move(words))(view.wishes);
    update(view);
  }
  void list_tried(const Scene& scene) const;
  std::set<std::string> tried_;  // of "timeout", "outputs", "rank"
  bool led_ = false;
  std::string awaited_;  // the section to watch as soon as it is there
};

void draw_log_line(const Scene& scene);
void draw_unnoticed(const Unnoticed& fault);
void draw_looks(const Scene& scene);  // the three buttons
void draw_logs(const SectionView& section);
void draw_counters(const Scene& scene, const SequenceIndex& index, int64_t time_ns);
void draw_last(const SectionView& section);
void draw_naming(const Scene& scene);
void draw_verdict(const Scene& scene);
std::string solved_words(const Investigation& opened);  // "solved with 1 look, at try 2"

class Sequences {  // the lesson's hero: lanes and what one does with them
 public:
  void draw(View& view, ImVec2 size);
  void readout(View& view);
  void answer(View& view);  // of a case, at the cursor: rank and cause, and what became of it
  void focus() { lanes_.focus(); }
  std::string sentence(View& view);
  void add_state(std::map<std::string, std::string>& state) const;
  // What the room shows around the picture must not tell an open case either.
  bool offers(const View& view, const std::string& section);
  std::string timeline_closed(View& view);
  void search(const View& view);  // act 1: the missing rank is looked for
  bool leads(View& view);         // a case is watched, or act 1 is played
  bool investigates(const View& view);  // a case is watched that is open
  void follow_question() { outcomes_.follow_question(); }
  std::optional<NextAct> next(View& view);  // what the next button does in acts and cases
  bool moves() const { return lanes_.moves(); }
  // How the case was solved that the section watched belongs to, and the four of them.
  std::optional<std::string> record(View& view);
  void draw_record(View& view, ImVec2 size);

 private:
  void keep_up(View& view);
  int64_t instant_of(const View& view) const;
  Investigation* investigation(const View& view, const std::string& section);
  Scene scene_of(View& view);
  LanesData data_of(const Scene& scene) const;
  void content(const Scene& scene, float height);
  bool heading(const Scene& scene);
  void lanes(const Scene& scene, float height);
  void toolbar(const Scene& scene);
  void evidence(const Scene& scene);
  void looked_at(const Scene& scene);
  void dump(const Scene& scene) const;
  std::string waiting_sentence(const Scene& scene) const;
  std::string one_lane_sentence(const Scene& scene) const;
  void look(Investigation& opened, const std::string& at);
  std::optional<NextAct> next_look(const Scene& scene);
  std::optional<NextAct> next_of_case(const Scene& scene);
  std::optional<NextAct> next_of_act_one(const Scene& scene);
  int solved(const View& view);
  int next_open_case(const View& view, int after);  // 0: all are solved
  void record_row(const View& view, int number);
  void card_button(const Scene& scene);
  void note_state(const Scene& scene);

  Lanes lanes_;
  Outcomes outcomes_;
  SequenceIndex index_;
  std::vector<Hole> holes_;
  int64_t now_ns_ = 0;     // the instant that is drawn
  uint64_t index_of_ = 0;  // the run
  int kept_up_ = -1;       // the frame
  float others_ = 0;       // height of all but the lanes, in the frame before
  std::map<std::string, Investigation> investigations_;
  std::map<std::string, std::string> state_;
};

// A solved case as a picture: its lanes, the hole, and the line that runs it.
std::string card_of(const Scene& scene, const SequenceIndex& index, const std::vector<Hole>& holes,
                    int64_t time_ns);
std::string card_title(const Scene& scene);  // "case 3, 1 look, rank 0"

}  // namespace ringside::nccl_panel
