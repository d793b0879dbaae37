// The nodes of one parameter server as processes of this machine, and what they say of themselves.
#pragma once

#include <functional>
#include <map>

#include "ps_options.h"
#include "ringside/comm/endpoint.h"
#include "ringside/launch/launcher.h"

namespace ringside {

class Processes {
 public:
  struct Member {
    std::string role;
    NodeId id = 0;
    std::string address = {};        // empty: it has not said yet where it is
    int64_t acknowledged = 0;        // of a worker: in all ranges
    int64_t sent = 0, received = 0;  // of a worker: bytes of packets
    int64_t said_ns = 0;             // when `acknowledged` rose last, and
    int64_t longest_pause_ns = 0;    // the longest time between two such, since forget_pauses()
    bool ended = false;              // a worker said its last word
  };
  struct Scheduling {  // as the scheduler said it last
    int64_t table = 0, settled = 0, servers = 0, lost = 0;
  };

  // `turn` is called again and again while it waits, and takes a few ms at most. CancelledError where
  // `cancelled` says so.
  Processes(PsNodeOptions options, std::function<void()> turn, std::function<bool()> cancelled);

  void start_scheduler(const std::string& file);  // again: at the address that it had
  size_t start_server();
  size_t start_worker(uint32_t rank);

  // Whether `done` came true within `seconds`. ProcessLostError.
  bool wait(double seconds, const std::function<bool()>& done);
  // The same; where it does not, an Error of kTimeout that names what was waited for.
  void wait_for(const std::string& what, double seconds, const std::function<bool()>& done);
  bool is_settled() const;  // all servers that run are in the table, and every chain is as it should be
  void forget_pauses();

  Launcher& launcher() { return launcher_; }
  const std::string& scheduler_address() const { return scheduler_address_; }
  size_t scheduler() const { return scheduler_; }
  const Scheduling& scheduling() const { return scheduling_; }
  const Member& member(size_t place) const { return members_.at(place); }
  const std::vector<size_t>& workers() const { return workers_; }  // by rank
  size_t server_of(NodeId id) const;                               // its place; InvariantError
  int64_t running_servers() const;

 private:
  size_t start(const std::string& name, const std::string& role, const std::vector<std::string>& words);
  void hear(size_t place, const std::string& line);
  void hear_count(Member& member, int64_t acknowledged);

  PsNodeOptions options_;
  std::function<void()> turn_;
  std::function<bool()> cancelled_;
  std::map<size_t, Member> members_ = {};
  std::vector<size_t> workers_ = {};
  size_t scheduler_ = 0;
  int servers_started_ = 0;
  std::string scheduler_address_ = {};
  Scheduling scheduling_ = {};
  Launcher launcher_;  // last: its processes end first
};

}  // namespace ringside
