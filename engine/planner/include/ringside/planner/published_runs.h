// Measured trainings that others have published, as data (assets/published_runs.json: settings, sources, and
// what is not said there), and how far plans of the same settings are from them. No constant belongs to a
// row: what a source leaves open (v, b) is taken as the planner would choose it, the fastest that fits.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "ringside/planner/mesh_plan.h"

namespace ringside::inline planner {

struct PublishedSource {
  std::string id, title, where, read;  // "megatron_2021", ..., "arXiv:2104.04473, table 1", how it was read
};

struct PublishedRun {
  std::string source, name;
  MeshSetup setup;
  MeshShape shape;        // chunks and micro of 0: not said
  double seconds = 0;     // of a step; 0: not published
  double bytes = 0;       // a rank allocates at its peak; 0: not published
  bool computed = false;  // bytes: by the source's own formula, not measured
  std::string note;
};

struct PublishedRuns {
  std::vector<PublishedSource> sources;
  std::vector<PublishedRun> runs;
};
// InputError for a file that cannot be read.
PublishedRuns read_published_runs();

struct PublishedError {
  const PublishedRun* run = nullptr;
  MeshShape shape;  // with what was chosen
  double seconds = 0, bytes = 0;
  std::optional<double> time_error, memory_error;  // planned / published - 1
};
std::vector<PublishedError> compare_published(const PublishedRuns& runs);
// Of the absolute errors; of memory, of what was measured. 0 where there are none.
double median_time_error(const std::vector<PublishedError>& errors);
double median_memory_error(const std::vector<PublishedError>& errors);

}  // namespace ringside::inline planner
