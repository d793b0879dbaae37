// The replay of a schedule (clock.h): each stage goes on until it must wait for a message that is not sent
// yet. In which order stages are looked at changes no time. A planner replays hundreds of thousands of
// passes: what a pass needs is looked up in arrays.
#pragma once

#include <vector>

#include "message_index.h"
#include "ringside/pipeline/clock.h"

namespace ringside::inline pipeline {

class ClockRun {
 public:
  // keep: spans, and what the critical path follows from.
  ClockRun(const PipelineSchedule& schedule, const PipelineCosts& costs, bool keep);

  bool finished() const;
  PipelineTime time() const;
  // As far as it came.
  std::vector<std::vector<PipelineSpan>>& spans() { return spans_; }
  std::vector<PathPiece> critical_path() const;

 private:
  // A chunk of a stage: the first message index of its part, and what lies before and behind it. Index 0 is
  // of forwards, 1 of backwards, whose inputs come from behind.
  struct Place {
    size_t own[2], source[2];  // message indices of micro-batch 0
    int from[2], to[2];        // stages; -1: none
  };
  struct Lane {
    std::vector<size_t> sent;  // messages, in order
    size_t arrived = 0;        // how many of them have arrived
    double free = 0;           // when the last of these arrived
  };
  // Of a message, where spans are kept.
  struct Journey {
    double sent = 0, start = 0;
    size_t sender = 0, receiver = 0;  // indices of their stages' lists
    size_t before = 0;                // the message before it in its lane; itself: none
  };

  Place place_of(int stage, int chunk) const;
  void advance(int stage);
  double arrival(size_t lane, size_t id, double now, size_t receiver);
  void send(int from, int to, size_t id, double now, size_t sender);

  const PipelineSchedule& schedule_;
  const PipelineCosts& costs_;
  const bool keep_;
  const MessageIndex index_;
  std::vector<Place> places_;             // (p v)
  std::vector<double> end_, busy_;        // (p)
  std::vector<size_t> next_, waits_for_;  // (p) of the list; a message
  std::vector<double> there_;             // (message) its pass has ended, or it has arrived; below 0: not yet
  std::vector<char> arrived_;             // (message)
  std::vector<Lane> lanes_;               // (lane)
  std::vector<int> awake_;                // stages that may go on
  std::vector<std::vector<PipelineSpan>> spans_;  // (p)
  std::vector<Journey> journeys_;                 // (message)
};

}  // namespace ringside::inline pipeline
