#include "ringside/launch/process.h"

#include <fcntl.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/wait.h>

#include <cerrno>
#include <chrono>
#include <csignal>
#include <cstdlib>
#include <cstring>
#include <sstream>
#include <thread>

#include "ringside/base/clock.h"
#include "ringside/base/error.h"

namespace ringside::inline launch {
namespace {

constexpr std::chrono::milliseconds kGrace{300};  // between SIGTERM and SIGKILL
constexpr std::chrono::milliseconds kLook{2};

[[noreturn]] void cannot_start(const std::string& program, int reason) {
  throw MissingError("{} cannot be started: {}", program, std::strerror(reason));
}

std::string find_program(const std::string& name) {
  if (name.find('/') != std::string::npos) return name;
  const char* path = std::getenv("PATH");
  std::istringstream folders(path != nullptr ? path : "/usr/bin:/bin");
  for (std::string folder; std::getline(folders, folder, ':');) {
    const std::string candidate = (folder.empty() ? "." : folder) + "/" + name;
    if (::access(candidate.c_str(), X_OK) == 0) return candidate;
  }
  throw MissingError(name + " is not in PATH: install it, or name its folder there");
}

// Above 0, 1 and 2, so that the child may put any of them there; and closed by exec.
Descriptor above_standard(int number) {
  Descriptor given(number);
  if (number > 2) return given;
  return Descriptor(::fcntl(number, F_DUPFD_CLOEXEC, 3));
}

struct Ends {
  Descriptor ours, childs;
};
Ends make_ends(bool socket, const std::string& program) {
  int pair[2];
  const int result =
      socket ? ::socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, pair) : ::pipe2(pair, O_CLOEXEC);
  if (result != 0) cannot_start(program, errno);
  return {above_standard(pair[0]), above_standard(pair[1])};  // [0] reads, [1] writes
}

// Pointers to the texts, as exec takes them.
std::vector<char*> pointers(const std::vector<std::string>& texts) {
  std::vector<char*> all;
  for (const std::string& text : texts) all.push_back(const_cast<char*>(text.c_str()));
  all.push_back(nullptr);
  return all;
}

std::vector<std::string> environment_with(const std::map<std::string, std::string>& changes) {
  std::vector<std::string> all;
  for (char** entry = environ; *entry != nullptr; ++entry) {
    const std::string text(*entry);
    if (!changes.contains(text.substr(0, text.find('=')))) all.push_back(text);
  }
  for (const auto& [name, value] : changes)
    if (!value.empty()) all.push_back(name + "=" + value);
  return all;
}

struct NewProcess {
  pid_t starter;
  const char* path;
  char** words;
  char** environment;
  bool terminal;
  int streams[3];
  int given, report;
};

// Between fork and exec, in a process that may have had other threads: only calls that are safe there.
[[noreturn]] void become(const NewProcess& launch) {
  ::prctl(PR_SET_PDEATHSIG, SIGKILL);
  if (::getppid() != launch.starter) ::_exit(127);  // it died before it could be told
  if (!launch.terminal) {
    ::setpgid(0, 0);
    for (int stream = 0; stream < 3; ++stream) ::dup2(launch.streams[stream], stream);
  }
  ::signal(SIGPIPE, SIG_DFL);
  sigset_t none;
  ::sigemptyset(&none);
  ::sigprocmask(SIG_SETMASK, &none, nullptr);
  // What libraries opened without saying that a program after this one shall not have it.
  ::close_range(kGivenDescriptor, ~0U, CLOSE_RANGE_CLOEXEC);
  if (launch.given == kGivenDescriptor)
    ::fcntl(kGivenDescriptor, F_SETFD, 0);
  else if (launch.given > kGivenDescriptor)
    ::dup2(launch.given, kGivenDescriptor);
  ::execve(launch.path, launch.words, launch.environment);
  const int reason = errno;
  [[maybe_unused]] const ssize_t told = ::write(launch.report, &reason, sizeof reason);
  ::_exit(127);
}

}  // namespace

Process::Process(const std::vector<std::string>& command, const ProcessSetting& setting)
    : own_group_(!setting.terminal) {
  const std::string& program = command.at(0);
  const std::string path = find_program(program);
  Ends in = make_ends(true, program), out = make_ends(false, program), err = make_ends(false, program);
  Ends report = make_ends(false, program);
  // Above what the new process calls by number 3, which it then is.
  Descriptor told(::fcntl(report.childs.number(), F_DUPFD_CLOEXEC, kGivenDescriptor + 1));
  report.childs.close();
  const std::vector<std::string> variables = environment_with(setting.environment);
  std::vector<char*> words = pointers(command), environment = pointers(variables);
  const NewProcess launch{::getpid(),         path.c_str(),
                          words.data(),       environment.data(),
                          setting.terminal,   {in.childs.number(), out.childs.number(), err.childs.number()},
                          setting.descriptor, told.number()};
  // Not fork(): that runs handlers of libraries, and a BLAS stops its threads there, another run's too.
  id_ = ::_Fork();
  if (id_ == 0) become(launch);
  if (id_ < 0) cannot_start(program, errno);
  told.close();
  int reason = 0;
  if (::read(report.ours.number(), &reason, sizeof reason) == sizeof reason) {
    end();
    cannot_start(program, reason);
  }
  if (setting.terminal) return;
  input = std::move(in.ours);
  output = std::move(out.ours);
  errors = std::move(err.ours);
  for (const Descriptor* stream : {&output, &errors}) ::fcntl(stream->number(), F_SETFL, O_NONBLOCK);
}

std::optional<int> Process::ended() {
  if (status_ || id_ < 0) return status_;
  siginfo_t info{};
  if (::waitid(P_PID, static_cast<id_t>(id_), &info, WEXITED | WNOHANG | WNOWAIT) != 0 || info.si_pid != id_)
    return std::nullopt;
  if (own_group_) send(SIGKILL);  // as long as it is not reaped, no other group can have its number
  int status = 0;
  ::waitpid(id_, &status, 0);
  return status_ = status;
}

bool Process::stands_still() const {
  siginfo_t info{};  // left to be read again
  return ::waitid(P_PID, static_cast<id_t>(id_), &info, WSTOPPED | WNOHANG | WNOWAIT) == 0 &&
         info.si_pid == id_;
}

void Process::send(int number) const { ::kill(own_group_ ? -id_ : id_, number); }

void Process::signal(int number) {
  if (id_ > 0 && !ended()) send(number);
}

void Process::ask_to_end() { signal(SIGTERM); }

void Process::end() {
  if (id_ < 0 || ended()) return;
  ask_to_end();
  for (const TimePoint start = SteadyClock::now(); !ended() && SteadyClock::now() - start < kGrace;)
    std::this_thread::sleep_for(kLook);
  kill();
}

void Process::kill() {
  if (id_ < 0 || ended()) return;
  send(SIGKILL);
  while (!ended()) std::this_thread::sleep_for(kLook);
}

}  // namespace ringside::inline launch
