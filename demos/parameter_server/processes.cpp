#include "processes.h"

#include <fmt/format.h>

#include <sstream>

#include "ringside/base/check.h"
#include "ringside/base/clock.h"
#include "ringside/base/source_tree.h"

namespace ringside {
Processes::Processes(PsNodeOptions options, std::function<void()> turn, std::function<bool()> cancelled)
    : options_(std::move(options)),
      turn_(std::move(turn)),
      cancelled_(std::move(cancelled)),
      launcher_([this](size_t place, const std::string& line) { hear(place, line); }) {}

size_t Processes::start(const std::string& name, const std::string& role,
                        const std::vector<std::string>& words) {
  std::vector<std::string> command = {
      program_folder() / "ringside-ps", "ps", "node", "--role", role, "--run", options_.run, "--every",
      std::to_string(options_.every)};
  visit_fields(options_, [&](const Field& field, auto value) {
    command.insert(command.end(), {"--" + std::string(field.name), std::to_string(value)});
  });
  command.insert(command.end(), words.begin(), words.end());
  const size_t place = launcher_.start(name, command);
  members_[place].role = role;
  return place;
}

void Processes::start_scheduler(const std::string& file) {
  const std::string at = scheduler_address_.empty() ? "tcp://127.0.0.1:*" : scheduler_address_;
  scheduler_ = start("the scheduler", "scheduler", {"--listen", at, "--file", file});
  scheduling_ = {};
  wait_for("the scheduler to listen", 30, [&] { return !member(scheduler_).address.empty(); });
  scheduler_address_ = member(scheduler_).address;
}

size_t Processes::start_server() {
  return start(fmt::format("server {}", ++servers_started_), "server", {"--scheduler", scheduler_address_});
}

size_t Processes::start_worker(uint32_t rank) {
  workers_.push_back(start(fmt::format("worker {}", rank), "worker",
                           {"--scheduler", scheduler_address_, "--rank", std::to_string(rank)}));
  return workers_.back();
}

bool Processes::wait(double seconds, const std::function<bool()>& done) {
  const int64_t end = now_ns() + int64_t(seconds * 1e9);
  for (;;) {
    launcher_.watch(0, [] { return true; });
    if (cancelled_()) throw CancelledError();
    if (done()) return true;
    if (now_ns() >= end) return false;
    turn_();
  }
}

void Processes::wait_for(const std::string& what, double seconds, const std::function<bool()>& done) {
  if (!wait(seconds, done)) throw Error(ExitCode::kTimeout, fmt::format("waited {} s for {}", seconds, what));
}

int64_t Processes::running_servers() const {
  int64_t count = 0;
  for (const auto& [place, member] : members_) count += member.role == "server" && launcher_.runs(place);
  return count;
}

bool Processes::is_settled() const {
  return scheduling_.settled == 1 && scheduling_.servers == running_servers();
}

size_t Processes::server_of(NodeId id) const {
  for (const auto& [place, member] : members_)
    if (member.role == "server" && member.id == id && !member.address.empty()) return place;
  throw InvariantError(fmt::format("no process is server {}", id));
}

void Processes::forget_pauses() {
  for (auto& [place, member] : members_) {
    member.said_ns = now_ns();
    member.longest_pause_ns = 0;
  }
}

// ps_node.cpp says what there is to hear.
void Processes::hear(size_t place, const std::string& line) {
  Member& member = members_[place];
  std::istringstream words(line);
  std::string word, other;
  words >> word;
  if (word == "end") {
    member.ended = true;
    words >> word;
  }
  int64_t acknowledged = 0;
  if (word == "node")
    words >> member.id >> member.address;
  else if (word == "table" && place != scheduler_)
    return;  // the last words of a scheduler that was killed
  else if (word == "table")
    words >> scheduling_.table >> other >> scheduling_.settled >> other >> scheduling_.servers >> other >>
        scheduling_.lost;
  else if (word == "acknowledged" &&
           words >> acknowledged >> other >> member.sent >> other >> member.received)
    hear_count(member, acknowledged);
  else
    throw InvariantError("a node says '" + line + "'");
}

void Processes::hear_count(Member& member, int64_t acknowledged) {
  if (acknowledged <= member.acknowledged) return;
  const int64_t now = now_ns();
  if (member.said_ns > 0) member.longest_pause_ns = std::max(member.longest_pause_ns, now - member.said_ns);
  member.said_ns = now;
  member.acknowledged = acknowledged;
}

}  // namespace ringside
