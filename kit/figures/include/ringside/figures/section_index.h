// What pictures of a training read out of a section's events, kept up as they come: nothing is looked at
// twice, however long the run.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "ringside/figures/holding.h"
#include "ringside/trace/trace.h"

namespace ringside::figure {

// A collective of rank 0 that carried gradients or parameters.
struct Carried {
  Op op;
  bool parameters;  // or gradients
  NameId unit;
  int64_t start_ns, end_ns;
  double sent;   // bytes
  double whole;  // bytes of all that is summed or gathered
};

class SectionIndex {
 public:
  explicit SectionIndex(StateWidth width) : width_(width) {}
  void update(const Trace& trace, const SectionView& section);

  // Of a bucket on each rank that has noted one: what TensorHash says, at the section's end.
  const std::map<int, std::string>& hashes(Category category, const std::string& tensor) const;

  // Bytes of all of a block that ranks hold parts of; 0 where no collective has told yet.
  int64_t whole_bytes(Category category, NameId unit, NameId tensor) const;
  Holding::Extent extent(Category category, NameId unit, NameId tensor, int64_t bytes) const;
  int64_t padding() const;  // elements that all buckets together have too many
  // The one under way at that instant, else the last before it; null before the first.
  const Carried* carried_at(int64_t time_ns) const;

 private:
  std::vector<Carried>::const_iterator first_after(int64_t time_ns) const;

  StateWidth width_;
  SectionView section_;
  int ranks_ = 0;
  std::vector<Carried> parts_;  // in order of completion
  // By category and tensor, then by rank.
  std::map<std::pair<std::string, std::string>, std::map<int, std::string>> hashes_;
  std::map<NameId, int64_t> whole_;    // elements, by unit
  std::map<NameId, int64_t> buckets_;  // those of gradients
  size_t collectives_ = 0;
  std::vector<size_t> rows_;  // seen, by rank
};

double psi_of(const SectionView& section);             // Ψ; 0 where it is not known yet
double bytes_per_element(const SectionView& section);  // of what is sent

}  // namespace ringside::figure
