#include "ringside/panel/recompute.h"

namespace ringside {
namespace {

uint64_t events_of(const SectionView& section, int rank) {
  uint64_t count = section.collectives(rank).size() + section.spans(rank).size() +
                   section.scalars(rank).size() + section.notes(rank).size() + section.rows(rank).size() +
                   section.messages(rank).size();
  for (const Category category : kCategories) count += section.memory(rank, category).size();
  const RankLife life = section.life(rank);
  return count + (life.began_ns ? 1 : 0) + (life.ended_ns ? 1 : 0);
}

}  // namespace

TraceMark mark_of(const Trace& trace, uint64_t run) {
  TraceMark mark{.run = run, .rows = &trace.rows(), .complete = trace.complete()};
  for (const SectionView& section : trace.sections()) {
    mark.events += 1 + uint64_t(section.ranks());
    mark.attributes += reinterpret_cast<uintptr_t>(&section.attributes());
    for (int rank = 0; rank < section.ranks(); ++rank) mark.events += events_of(section, rank);
  }
  return mark;
}

}  // namespace ringside
