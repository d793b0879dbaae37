// A Trace is an immutable snapshot of what a run recorded so far: live, or read
// from a file. A run has sections ("stage 2", "overlap off"), each with its own
// ranks; each rank of a section has one Recorder, passed to the code that records.
// There is no global. A rank may join a section later and may leave it. Copying a Trace copies pointers and
// counts, no events.
#pragma once

#include <array>
#include <memory>
#include <mutex>
#include <unordered_map>

#include "ringside/base/clock.h"
#include "ringside/trace/append_only.h"
#include "ringside/trace/events.h"
#include "ringside/trace/pyramid.h"
#include "ringside/trace/table.h"

namespace ringside::inline trace {

class TraceStore;

// When a rank came and went, where it said so: a rank that was there when its section was opened has not
// come.
struct RankLife {
  std::optional<int64_t> began_ns, ended_ns;
};

// Everything one rank recorded in one section.
struct RankTracks {
  AppendOnly<CollectiveEvent> collectives;
  std::array<AppendOnly<MemoryEvent>, kCategoryCount> memory;
  std::array<Pyramid, kCategoryCount> memory_pyramids;  // over live_bytes
  AppendOnly<SpanEvent> spans;
  AppendOnly<ScalarEvent> scalars;
  AppendOnly<NoteEvent> notes;
  AppendOnly<RowEvent> rows;
  AppendOnly<MessageEvent> messages;
  AppendOnly<int64_t> began, ended;  // one time each at most
};

// One rank's pen. Safe to use from the rank's own thread and its communication
// thread at once; publishing is part of writing.
class Recorder {
 public:
  // Stamped by `clock`, or by the steady one where there is none.
  Recorder(TraceStore& store, RankTracks& tracks, int rank,
           std::shared_ptr<const VirtualClock> clock = nullptr)
      : store_(store), tracks_(tracks), rank_(rank), clock_(std::move(clock)) {}
  int rank() const { return rank_; }
  int64_t now() const { return clock_ ? clock_->now_ns() : now_ns(); }
  NameId name(std::string_view text);

  // Each sets the event's rank. Times are the caller's, so that a file can be read back.
  void collective(CollectiveEvent event) { append(tracks_.collectives, event); }
  void memory(MemoryEvent event);
  void span(SpanEvent event) { append(tracks_.spans, event); }
  void scalar(ScalarEvent event) { append(tracks_.scalars, event); }
  void note(NoteEvent event) { append(tracks_.notes, event); }
  void message(MessageEvent event) { append(tracks_.messages, event); }
  void row(RowEvent row);  // InvariantError where the values do not fit the table
  // The same by name; scalar, note and row are of this moment.
  void span(std::string_view name, int64_t start_ns, int64_t end_ns, int64_t step = -1,
            std::string_view unit = "");
  void scalar(std::string_view name, int64_t step, double value);
  void note(std::string_view name, int64_t step = -1, std::string_view unit = "");
  void row(const TablePtr& table, std::vector<Attribute> values);
  TablePtr declare(TraceTable table);  // in the store
  // The rank is there from now on, or gone: each once. InvariantError where it has gone, or come, already.
  // What it still records after its end, such as memory that is freed, is kept.
  void begin(std::optional<int64_t> time_ns = {});
  void end(std::optional<int64_t> time_ns = {});

 private:
  friend class RankPart;  // rank_part.h
  template <typename Event>
  void append(AppendOnly<Event>& track, Event event) {
    event.rank = rank_;
    const std::lock_guard lock(mutex_);
    track.push(event);
  }

  TraceStore& store_;
  RankTracks& tracks_;
  int rank_;
  const std::shared_ptr<const VirtualClock> clock_;
  std::mutex mutex_;
};

// Records the span from its construction to its destruction; also when an exception passes.
class SpanScope {
 public:
  SpanScope(Recorder& recorder, std::string_view name, int64_t step = -1, std::string_view unit = "");
  ~SpanScope();
  SpanScope& operator=(SpanScope&&) = delete;

 private:
  Recorder& recorder_;
  SpanEvent span_;
};

// Attribute of a section in which a collective failed: its ranks did not come to an end together.
inline constexpr char kBroke[] = "broke";

// A section as one snapshot shows it.
class SectionView {
 public:
  const std::string& name() const { return *data_->name; }
  const Attributes& attributes() const { return *data_->attributes; }
  const Attribute* find(const std::string& key) const;  // null where it is missing
  bool has(const std::string& key) const { return find(key) != nullptr; }
  // InvariantError naming it where it is missing or something else.
  std::string text(const std::string& key) const;  // in words, whatever it is
  double number(const std::string& key) const;
  int64_t integer(const std::string& key) const;
  bool yes(const std::string& key) const;
  int ranks() const { return int(data_->ranks.size()); }  // that have come so far
  RankLife life(int rank) const { return of(rank).life; }
  EventRange<CollectiveEvent> collectives(int rank) const { return of(rank).collectives; }
  EventRange<MemoryEvent> memory(int rank, Category category) const;
  const Pyramid& memory_pyramid(int rank, Category category) const;  // read no further than memory().size()
  EventRange<SpanEvent> spans(int rank) const { return of(rank).spans; }
  EventRange<ScalarEvent> scalars(int rank) const { return of(rank).scalars; }
  EventRange<NoteEvent> notes(int rank) const { return of(rank).notes; }
  EventRange<MessageEvent> messages(int rank) const { return of(rank).messages; }
  EventRange<RowEvent> rows(int rank) const { return of(rank).rows; }
  // Of one table, of all ranks: rank after rank, each in the order of recording.
  std::vector<const RowEvent*> rows_of(std::string_view table) const;

 private:
  friend class TraceStore;
  // What the snapshot shows of a rank.
  struct Rank {
    explicit Rank(std::shared_ptr<const RankTracks> recorded);
    std::shared_ptr<const RankTracks> tracks;
    EventRange<CollectiveEvent> collectives{tracks->collectives};
    EventRange<SpanEvent> spans{tracks->spans};
    EventRange<ScalarEvent> scalars{tracks->scalars};
    EventRange<NoteEvent> notes{tracks->notes};
    EventRange<RowEvent> rows{tracks->rows};
    EventRange<MessageEvent> messages{tracks->messages};
    std::array<EventRange<MemoryEvent>, kCategoryCount> memory;
    RankLife life;
  };
  struct Data {
    std::shared_ptr<const std::string> name;
    std::shared_ptr<const Attributes> attributes;
    std::vector<Rank> ranks;
  };
  const Rank& of(int rank) const;
  std::shared_ptr<const Data> data_;
};

// Rows that are written once, when a run ends.
struct TraceRows {
  std::vector<PredictionRow> predictions;
  std::vector<ClaimRow> claims;
  std::vector<LedgerRow> ledger;
  std::map<std::string, double> outcome;            // figures
  std::map<std::string, std::string> outcome_text;  // hashes
  std::vector<std::string> lines;                   // what the summary says in words
};

class Trace {
 public:
  Trace();  // empty, not complete
  const std::vector<SectionView>& sections() const { return sections_; }
  const SectionView* find(std::string_view section_name) const;  // null where there is none
  const std::string& name(NameId id) const;
  const std::vector<TablePtr>& tables() const { return tables_; }
  // The scenario line that made it, and whether the run reached its end.
  const std::string& scenario() const { return scenario_; }
  bool complete() const { return complete_; }
  const TraceRows& rows() const { return *rows_; }

 private:
  friend class TraceStore;
  std::vector<SectionView> sections_;
  std::vector<TablePtr> tables_;
  std::shared_ptr<const TraceStore> store_;
  std::shared_ptr<const TraceRows> rows_;
  std::string scenario_;
  bool complete_ = false;
};

// The writer's side: one a run, shared by its sections. Thread-safe.
class TraceStore : public std::enable_shared_from_this<TraceStore> {
 public:
  static std::shared_ptr<TraceStore> create(std::string scenario);

  // Recorders live as long as the store; one a rank, in rank order. InvariantError where the name is taken.
  // With a clock, what they stamp is its time.
  std::vector<Recorder*> add_section(std::string name, Attributes attributes, int ranks,
                                     std::shared_ptr<const VirtualClock> clock = nullptr);
  // One more rank of a section, of the next number; it begins now. InvariantError where no section has the
  // name.
  Recorder* add_rank(const std::string& section_name);
  // Of a rank that is there, also when its thread has ended. InvariantError where there is none.
  Recorder& recorder(const std::string& section_name, int rank);
  // Adds or replaces attributes of a section (figures known only after construction).
  // Snapshots taken before keep what they had.
  void set_attributes(const std::string& section_name, const Attributes& attributes);
  // A table of the whole run. Declared again, it is the same one; InvariantError where its columns differ or
  // where it is out of bounds (table.h).
  TablePtr declare(TraceTable table);
  void set_rows(TraceRows rows);
  void set_complete();

  NameId intern(std::string_view text);
  const std::string& name(NameId id) const;
  Trace snapshot() const;  // O(sections x ranks), whatever the number of events

 private:
  struct Section {
    std::shared_ptr<const std::string> name;
    std::shared_ptr<const VirtualClock> clock;
    std::shared_ptr<const Attributes> attributes;          // replaced, never changed: snapshots share it
    std::vector<std::shared_ptr<RankTracks>> tracks = {};  // one a rank
    std::vector<std::unique_ptr<Recorder>> recorders = {};
  };
  TraceStore() = default;
  Recorder* add_rank(Section& section);
  Section& find(const std::string& name);

  std::string scenario_;
  mutable std::mutex mutex_;  // of all below but the names; held for no longer than a copy of pointers
  std::vector<Section> sections_;
  std::vector<TablePtr> tables_;
  std::shared_ptr<const TraceRows> rows_ = std::make_shared<const TraceRows>();
  bool complete_ = false;

  std::mutex names_mutex_;  // of ids_; names themselves are read without it
  AppendOnly<std::string> names_;
  std::unordered_map<std::string_view, NameId> ids_;  // keys are views of names_
};

}  // namespace ringside::inline trace
