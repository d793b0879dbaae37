// A run of a lesson, or a training, in which this process is one rank of several.
#pragma once

#include <fstream>
#include <memory>
#include <ostream>
#include <string>
#include <vector>

#include "options.h"
#include "ringside/lesson/lesson.h"
#include "ringside/processes/join.h"

namespace ringside {

class OwnRank {
 public:
  // From flags and environment (launch/resolve.h). UsageError where the lesson cannot run so.
  explicit OwnRank(const Options& options, const Lesson* lesson = nullptr);
  ~OwnRank();

  bool speaks() const { return launch_.rank.value == 0; }  // one rank's output is everybody's
  // Where that one is lost, which of the others keeps the trace.
  bool follows_rank_0() const { return launch_.rank.value == 1; }
  // `ranks` is as many as there are processes; UsageError where the scenario says something else.
  std::vector<std::string> words(std::vector<std::string> typed) const;
  int size() const { return launch_.size.value; }
  bool restarted() const { return launch_.restart.value > 0; }  // by its launcher, after a failure
  // Null where this process is alone: its ranks are threads. Errors of launch/store.h.
  std::shared_ptr<JoinedRanks> join();
  // Tells the log, and torchrun, of the error that ends this process, and whose fault it is.
  void tell(const std::exception& error);

 private:
  bool alone() const { return launch_.size.value == 1; }
  void keep_log(const std::string& folder);

  const Launch launch_;
  std::ofstream log_;
  std::streambuf *out_ = nullptr, *talk_ = nullptr;  // where they wrote before
  std::vector<std::unique_ptr<std::streambuf>> both_;
};

}  // namespace ringside
