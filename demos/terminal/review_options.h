// The words behind `ringside path`, `review`, `mock`, `drill` and `on_call`.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace CLI {
class App;
}

namespace ringside {

struct ReviewOptions {
  double minutes = 0;  // 0: as many as the path has
  double retention = 0.9;
  std::vector<std::string> topics;  // or lessons; none: all
  std::string date;                 // of the interview, as typed
  int64_t interview = 0;            // that day's begin, UTC ms; 0: none
  bool list = false, stats = false;
  std::string export_file, import_file;
};

struct PathOptions {
  std::string date;        // of the interview, as typed; "none" forgets it
  int64_t interview = -1;  // that day's begin, UTC ms; 0: none; -1: as it was
  double minutes = 0;      // a day; 0: as it was
  bool placement = false;
  int64_t seed = -1;  // of the placement; drawn where it is not given
};

struct DrillOptions {
  std::string name, file;  // "": they are listed; the one in `folder`
  std::string folder = "drills";
  bool python = false, solution = false;
};

struct MockOptions {
  double minutes = 30;
  std::string level = "middle";  // junior, middle, senior
  std::vector<std::string> topics;
  int64_t seed = -1;  // drawn where it is not given
};

struct OnCallOptions {
  int64_t count = 40;
  int64_t seed = -1;  // drawn where it is not given
  int level = 0;      // 0: where the last session ended
  bool only_public = false;
};

void add_on_call_options(CLI::App& command, OnCallOptions& options);
void finish_on_call_options(OnCallOptions& options);
void add_path_options(CLI::App& command, PathOptions& options);
void finish_path_options(PathOptions& options);  // UsageError as finish_review_options()
void add_drill_options(CLI::App& command, DrillOptions& options);
void add_mock_options(CLI::App& command, MockOptions& options);
void finish_mock_options(MockOptions& options);
void add_review_options(CLI::App& command, ReviewOptions& options);
// UsageError for a date that is none or has passed, and for what does not go together.
void finish_review_options(ReviewOptions& options);

}  // namespace ringside
