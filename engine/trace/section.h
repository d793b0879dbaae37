// What a section keeps, and how much of it one snapshot shows.
#pragma once

#include <utility>

#include "ringside/trace/trace.h"

namespace ringside {

struct SectionView::Data {
  Data(std::string section_name, std::shared_ptr<const VirtualClock> section_clock)
      : name(std::move(section_name)), clock(std::move(section_clock)) {}
  const std::string name;
  const std::shared_ptr<const VirtualClock> clock;
  AppendOnly<std::shared_ptr<RankTracks>> tracks;  // one a rank
};

struct SectionView::Counts {
  struct Rank {
    explicit Rank(const RankTracks& tracks)
        : collectives(tracks.collectives.size()),
          spans(tracks.spans.size()),
          scalars(tracks.scalars.size()),
          notes(tracks.notes.size()),
          rows(tracks.rows.size()),
          messages(tracks.messages.size()) {
      if (tracks.began.size() > 0) life.began_ns = tracks.began[0];
      if (tracks.ended.size() > 0) life.ended_ns = tracks.ended[0];
      for (size_t i = 0; i < kCategories.size(); ++i) memory[i] = tracks.memory[i].size();
    }
    size_t collectives, spans, scalars, notes, rows, messages;
    std::array<size_t, kCategoryCount> memory{};
    RankLife life;
  };

  Counts(const Data& data, std::shared_ptr<const Attributes> section_attributes)
      : attributes(std::move(section_attributes)) {
    const size_t size = data.tracks.size();
    for (size_t rank = 0; rank < size; ++rank) ranks.emplace_back(*data.tracks[rank]);
  }
  std::shared_ptr<const Attributes> attributes;
  std::vector<Rank> ranks;
};

}  // namespace ringside
