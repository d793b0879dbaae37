// Endpoints between the threads of a process: a queue each. Nothing is lost, doubled or overtaken.
#pragma once

#include <condition_variable>
#include <deque>
#include <map>
#include <memory>
#include <mutex>

#include "ringside/comm/endpoint.h"

namespace ringside::inline ps {

class ThreadNetwork {
 public:
  // Of a number that nobody has. The network outlives it; what is sent to it before or after its life is
  // lost.
  std::unique_ptr<Endpoint> connect(NodeId id);

 private:
  class Place;
  struct Inbox {
    std::mutex mutex;
    std::condition_variable changed;
    std::deque<Packet> packets;
  };
  std::shared_ptr<Inbox> inbox_of(NodeId id);  // null: nobody has the number

  std::mutex mutex_;
  std::map<NodeId, std::shared_ptr<Inbox>> inboxes_;
};

}  // namespace ringside::inline ps
