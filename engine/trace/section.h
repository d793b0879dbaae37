// What a section keeps, and how much of it one snapshot shows.
#pragma once

#include <utility>

#include "ringside/trace/trace.h"

namespace ringside {

struct SectionView::Data {
  Data(std::string section_name, int ranks)
      : name(std::move(section_name)), tracks(static_cast<size_t>(ranks)) {}
  const std::string name;
  std::vector<RankTracks> tracks;  // one a rank
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
      for (size_t i = 0; i < kCategories.size(); ++i) memory[i] = tracks.memory[i].size();
    }
    size_t collectives, spans, scalars, notes, rows, messages;
    std::array<size_t, kCategoryCount> memory{};
  };

  Counts(const Data& data, std::shared_ptr<const Attributes> section_attributes)
      : attributes(std::move(section_attributes)), ranks(data.tracks.begin(), data.tracks.end()) {}
  std::shared_ptr<const Attributes> attributes;
  std::vector<Rank> ranks;
};

}  // namespace ringside
