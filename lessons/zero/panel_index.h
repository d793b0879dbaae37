// What the pictures read out of a section's events, kept up as they come: nothing is
// looked at twice, however long the run.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "ringside/trace/trace.h"

namespace ringside::zero_panel {

struct Sent {  // by rank 0, of one kind
  Op op;
  bool parameters;  // or gradients
  double bytes;
};

class SectionIndex {
 public:
  void update(const Trace& trace, const SectionView& section);

  // [start, end) of the training step that this moment is in; the last one is open. None before the first.
  struct Window {
    int64_t step, start_ns, end_ns;
    bool open;
  };
  std::optional<Window> window_at(int64_t time_ns) const;
  // Gradients and parameters that rank 0 sent in [from, to).
  std::vector<Sent> sent(int64_t from_ns, int64_t to_ns) const;
  // In a whole step, the mean over the steps that have ended; none before the first has.
  std::optional<double> sent_a_step() const;
  // Of a bucket on each rank that has noted one: what TensorHash says, at the section's end.
  std::vector<std::string> hashes(Category category, const std::string& tensor) const;

 private:
  struct Part {
    int64_t time_ns;
    Sent sent;
  };
  std::vector<int64_t> starts_;  // of step 0, 1, ...
  std::vector<Part> parts_;      // in order of completion
  // By category and tensor, then by rank.
  std::map<std::pair<std::string, std::string>, std::map<int, std::string>> hashes_;
  size_t spans_ = 0, collectives_ = 0;
  std::vector<size_t> rows_;  // seen, by rank
};

double psi_of(const SectionView& section);             // Ψ; 0 where it is not known yet
double bytes_per_element(const SectionView& section);  // of what is sent

}  // namespace ringside::zero_panel
