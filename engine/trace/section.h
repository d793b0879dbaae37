// What one snapshot shows of a section.
#pragma once

#include <utility>

#include "ringside/trace/trace.h"

namespace ringside {

struct SectionView::Rank {
  explicit Rank(std::shared_ptr<const RankTracks> recorded)
      : tracks(std::move(recorded)),
        collectives(tracks->collectives),
        spans(tracks->spans),
        scalars(tracks->scalars),
        notes(tracks->notes),
        rows(tracks->rows),
        messages(tracks->messages) {
    if (tracks->began.size() > 0) life.began_ns = tracks->began[0];
    if (tracks->ended.size() > 0) life.ended_ns = tracks->ended[0];
    for (size_t i = 0; i < memory.size(); ++i) memory[i] = EventRange(tracks->memory[i]);
  }
  std::shared_ptr<const RankTracks> tracks;
  EventRange<CollectiveEvent> collectives;
  EventRange<SpanEvent> spans;
  EventRange<ScalarEvent> scalars;
  EventRange<NoteEvent> notes;
  EventRange<RowEvent> rows;
  EventRange<MessageEvent> messages;
  std::array<EventRange<MemoryEvent>, kCategoryCount> memory;
  RankLife life;
};

struct SectionView::Data {
  std::shared_ptr<const std::string> name;
  std::shared_ptr<const Attributes> attributes;
  std::vector<Rank> ranks;
};

}  // namespace ringside
