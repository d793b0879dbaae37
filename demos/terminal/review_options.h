// The words behind `ringside review` and `ringside mock`.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace CLI {
class App;
}

namespace ringside {

struct ReviewOptions {
  double minutes = 10, retention = 0.9;
  std::vector<std::string> topics;  // or lessons; none: all
  std::string date;                 // of the interview, as typed
  int64_t interview = 0;            // that day's begin, UTC ms; 0: none
  bool list = false, stats = false;
  std::string export_file, import_file;
};

struct MockOptions {
  double minutes = 30;
  std::string level = "middle";  // junior, middle, senior
  std::vector<std::string> topics;
  int64_t seed = -1;  // drawn where it is not given
};

void add_mock_options(CLI::App& command, MockOptions& options);
void finish_mock_options(MockOptions& options);
void add_review_options(CLI::App& command, ReviewOptions& options);
// UsageError for a date that is none or has passed, and for what does not go together.
void finish_review_options(ReviewOptions& options);

}  // namespace ringside
