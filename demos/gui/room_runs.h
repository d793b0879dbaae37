// The runs of a room: one at a time, started and stopped without the UI ever waiting.
// A new run begins when the one before has come to its step boundary. A saved trace is
// read by a thread of its own and then stands where a finished run would.
#pragma once

#include <filesystem>
#include <future>
#include <map>
#include <memory>
#include <optional>
#include <string>

#include "ringside/session/session.h"

namespace ringside::gui {

class RunKeeper {
 public:
  // processes: the ranks of runs that can have it so are processes, of which this one is rank 0.
  explicit RunKeeper(bool processes = false) : processes_(processes) {}
  ~RunKeeper();  // cancels, and waits for the run's next step boundary

  void start(const Lesson& lesson, Config config);
  void open(std::filesystem::path path);
  void cancel();
  // Once a frame: takes over what has ended, begins what was waiting. True where the trace to show is another
  // one.
  bool update();

  bool running() const { return under_way() || waiting_; }
  bool busy() const { return running() || reading_.valid(); }
  bool stopping() const { return under_way() && session_->control().cancelled(); }
  bool waits() const {
    return waiting_.has_value();
  }  // another run is about to take the place of the one shown
  bool reading() const { return reading_.valid(); }
  bool ended() const { return ended_; }            // the run shown has ended, whole or not
  bool over() const { return ended_ && !busy(); }  // and no other one is about to take its place
  bool is_file() const { return is_file_; }
  Progress progress() const { return session_ ? session_->progress() : Progress{}; }
  RunControl* control() { return session_ ? &session_->control() : nullptr; }

  const Trace& trace() const { return trace_; }
  const std::string& error() const { return error_; }  // of the last run or file, in words; "" none
  void forget_error() { error_.clear(); }

 private:
  struct Waiting {
    const Lesson* lesson;
    Config config;
  };
  // Until update() has taken over its end: the next run would otherwise begin before this one is kept.
  bool under_way() const { return session_ && !ended_; }
  void begin(Waiting next);
  bool drop_unwanted();
  void give_memory_back();

  const bool processes_;
  std::unique_ptr<Session> session_;
  std::optional<Waiting> waiting_;
  std::future<Trace> reading_;
  Trace trace_;
  std::string error_;
  bool ended_ = false, is_file_ = false;
  bool unwanted_ = false;  // the trace, and what the run under way still records
  std::future<void> giving_back_;
};

// What the predictions of a lesson measure in a trace, found out by a thread of its own:
// some read every event of a run.
class Measurements {
 public:
  ~Measurements();
  // Measures again when there is something new: another section, or the end.
  void update(const Lesson& lesson, const Trace& trace, bool ended, uint64_t run);
  std::optional<double> of(const std::string& prediction) const;
  std::optional<Words> words_of(const std::string& prediction) const;
  bool pending() const { return job_.valid(); }
  // Of a memory block of a prediction, by its place in the list of blocks.
  std::optional<double> of_block(const std::string& prediction, size_t block) const;

 private:
  struct Values {
    std::map<std::string, double> predictions;
    std::map<std::string, Words> words;
    std::map<std::pair<std::string, size_t>, double> blocks;
  };
  static Values measure(const Lesson& lesson, const Config& config, const Trace& trace, bool ended);
  std::future<Values> job_;
  Values values_;
  size_t sections_ = 0;
  bool ended_ = false;
  uint64_t run_ = 0;
};

}  // namespace ringside::gui
