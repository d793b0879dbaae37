// `ringside ps node`: one node of a parameter server, until it is stopped. What it says on stdout, a line
// each, for people and for the launcher:
//
//   all         node ID ADDRESS
//   scheduler   table VERSION settled 0|1 servers N lost N
//   worker      acknowledged N sent BYTES received BYTES;  at its end the same behind "end"
//
// and what it hears on stdin: "stop" of a worker, which ends once nothing that it pushed is unacknowledged;
// "leave" of a server, which ends once its ranges are elsewhere. Ctrl-C is "stop" and "leave", and the exit
// code is 130 then. Where nobody is there to take the pushes or the ranges the node ends without, with 5.
#include <fmt/format.h>
#include <poll.h>
#include <unistd.h>

#include <iostream>
#include <optional>

#include "commands.h"
#include "counting.h"
#include "interrupt.h"
#include "ringside/base/clock.h"
#include "ringside/parameter_server/scheduler.h"
#include "ringside/zeromq/endpoint.h"

namespace ringside {
namespace {

constexpr int64_t kLookNs = 10'000'000;

// Whether one of these words came, as a line of stdin, or Ctrl-C.
class Asked {
 public:
  // meanwhile: what the node does before it ends, which who pressed Ctrl-C is told.
  explicit Asked(std::string word, std::string meanwhile = "")
      : word_(std::move(word)), meanwhile_(std::move(meanwhile)) {}

  bool look() {
    const int64_t now = now_ns();
    if (asked_ || now < next_ns_) return asked_;
    next_ns_ = now + kLookNs;
    if (interrupt_.interrupted()) {
      asked_ = by_signal_ = true;
      if (!meanwhile_.empty()) std::cerr << "ringside: " << meanwhile_ << "; Ctrl-C again ends at once\n";
    }
    pollfd input{STDIN_FILENO, POLLIN, 0};
    char block[256];
    while (open_ && ::poll(&input, 1, 0) > 0) {
      const ssize_t count = ::read(STDIN_FILENO, block, sizeof block);
      if (count <= 0) open_ = false;
      for (ssize_t i = 0; i < count; ++i) take(block[i]);
    }
    if (asked_) since_ns_ = now;
    return asked_;
  }

  int64_t since_ns() const { return since_ns_; }  // once it was asked
  // Of a node that ends because of it.
  ExitCode exit_code() const { return by_signal_ ? ExitCode::kInterrupted : ExitCode::kOk; }

 private:
  void take(char letter) {
    if (letter == '\n') {
      asked_ = asked_ || line_ == word_;
      line_.clear();
    } else if (line_.size() < 100) {
      line_ += letter;
    }
  }

  InterruptScope interrupt_;
  std::string word_, meanwhile_, line_;
  bool asked_ = false, by_signal_ = false, open_ = true;
  int64_t next_ns_ = 0, since_ns_ = 0;
};

[[noreturn]] void end_without(const std::string& what) { throw Error(ExitCode::kPeerLost, what); }

// True once in each `every` ms.
class Every {
 public:
  explicit Every(int64_t ms) : ns_(ms * 1'000'000) {}
  bool now() {
    if (now_ns() < next_ns_) return false;
    next_ns_ = now_ns() + ns_;
    return true;
  }

 private:
  int64_t ns_, next_ns_ = 0;
};

void introduce(const ZeromqEndpoint& endpoint, std::ostream& out) {
  out << fmt::format("node {} {}\n", endpoint.id(), endpoint.address()) << std::flush;
}

ExitCode run_scheduler(const PsNodeOptions& options, const Cluster& cluster, ZeromqEndpoint& endpoint,
                       std::ostream& out) {
  std::optional<SchedulerFile> file;
  if (!options.file.empty()) file.emplace(options.file, cluster.world);
  Scheduler node(endpoint, cluster, file ? &*file : nullptr);
  introduce(endpoint, out);
  Asked end("stop");
  Every look(std::min<int64_t>(options.every, 10));
  std::string said;
  run_node(endpoint, node, kLookNs, [&] {
    if (end.look()) return false;
    if (!look.now()) return true;
    const std::string line =
        fmt::format("table {} settled {} servers {} lost {}\n", node.table().version,
                    node.is_settled() ? 1 : 0, node.living_servers(true).size(), node.losses().size());
    if (line != said) out << line << std::flush;
    said = line;
    return true;
  });
  return end.exit_code();
}

// The scheduler gives leases while it is there; a server that nobody can take over from has one for ever.
ExitCode run_server(const Cluster& cluster, ZeromqEndpoint& endpoint, std::ostream& out) {
  Server node(endpoint, cluster);
  introduce(endpoint, out);
  Asked leave("leave", "handing the ranges over");
  int64_t leased_ns = now_ns();
  run_node(endpoint, node, kLookNs, [&] {
    const int64_t now = now_ns();
    if (node.may_serve()) leased_ns = now;
    if (!leave.look()) return true;
    node.leave();
    const int64_t alone_since_ns = std::max(leased_ns, leave.since_ns());
    if (node.has_left()) return false;
    if (now - alone_since_ns > 3 * cluster.timing.dead_ns)
      end_without("the scheduler does not answer: this server ended, and its ranges were not handed over");
    if (now - leave.since_ns() > cluster.timing.give_up_ns)
      end_without("no other server took the ranges: this server ended, and they were not handed over");
    return true;
  });
  return leave.exit_code();
}

ExitCode run_worker(const PsNodeOptions& options, const Cluster& cluster, ZeromqEndpoint& endpoint,
                    std::ostream& out) {
  Counting counting(cluster, options.rank, options.clocks);
  Worker node(endpoint, cluster, options.rank, counting.task());
  introduce(endpoint, out);
  Asked stop("stop", "waiting for what was pushed to be acknowledged");
  Every line(options.every);
  int64_t said = -1;
  const auto say = [&](const char* what) {
    const ZeromqCounts& counts = endpoint.counts();
    said = counting.acknowledged(node.client());
    out << fmt::format("{}acknowledged {} sent {} received {}\n", what, said, counts.sent_bytes,
                       counts.received_bytes)
        << std::flush;
  };
  run_node(endpoint, node, kLookNs, [&] {
    if (!counting.wrong().empty()) return false;
    if (stop.look() && !node.client().pushing()) return false;
    if (stop.look() && now_ns() - stop.since_ns() > cluster.timing.give_up_ns)
      end_without("no server acknowledges what this worker pushed: it ended, and those pushes may be lost");
    if (counting.acknowledged(node.client()) != said && line.now()) say("");
    return true;
  });
  say("end ");
  if (counting.wrong().empty()) return stop.exit_code();
  throw Error(ExitCode::kCheckFailed, counting.wrong());
}

}  // namespace

ExitCode ps_node(const Options& all, std::ostream& out) {
  const PsNodeOptions& options = all.ps.node;
  const Cluster cluster = counting_cluster(options);
  const ZeromqContext context;
  ZeromqEndpoint endpoint(context,
                          {.world = cluster.world, .listen = options.listen, .scheduler = options.scheduler});
  if (options.role == "scheduler") return run_scheduler(options, cluster, endpoint, out);
  if (options.role == "server") return run_server(cluster, endpoint, out);
  return run_worker(options, cluster, endpoint, out);
}

}  // namespace ringside
