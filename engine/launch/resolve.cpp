#include "ringside/launch/resolve.h"

#include <algorithm>
#include <chrono>
#include <initializer_list>
#include <string>

#include <fmt/format.h>
#include <unistd.h>
#include "ringside/base/atomic_file.h"
#include "ringside/base/json.h"
#include "ringside/base/random.h"
#include "ringside/base/text.h"

extern char** environ;

namespace ringside::inline launch {
namespace {

constexpr int kMostOfRun = 1 << 16, kMostPort = 65535, kMostAttempts = 1 << 20;
constexpr size_t kMostHosts = 1 << 16;
constexpr int kJobPorts = 20000, kJobPortCount = 9000;  // a job's own port, where its launcher gives none

class Resolver {
 public:
  Resolver(const Environment& environment, const LaunchFlags& flags)
      : environment_(environment), flags_(flags) {}

  Launch resolve() {
    const bool found = by_flags() || by_rank() || by_open_mpi() || by_pmi() || by_slurm();
    if (found) take_place();
    take_rest();
    check();
    return std::move(launch_);
  }

 private:
  const std::string* find(const std::string& name) const {
    const auto found = environment_.find(name);
    return found == environment_.end() || found->second.empty() ? nullptr : &found->second;
  }
  bool has(const std::string& name) const { return find(name) != nullptr; }

  Known<int> number(const std::string& name, int least, int most) const {
    const std::optional<int> value = read_number<int>(*find(name));
    if (!value || *value < least || *value > most)
      throw UsageError("{}={}: allowed are {} to {}", name, as_typed(*find(name)), least, most);
    return {*value, name};
  }
  using Names = std::initializer_list<const char*>;
  const char* first_set(Names names) const {  // null: none is
    const auto found = std::ranges::find_if(names, [this](const char* name) { return has(name); });
    return found == names.end() ? nullptr : *found;
  }
  // What the first of these says that is set; else it stays as it is.
  void take(Known<int>& to, Names names, int least, int most) const {
    if (const char* name = first_set(names)) to = number(name, least, most);
  }
  void take(Known<std::string>& to, Names names) const {
    if (const char* name = first_set(names)) to = {*find(name), name};
  }
  // Whether any is set; UsageError where another one is not.
  bool all_or_none(const std::string& whose, Names names) const {
    std::string there, missing;
    for (const char* name : names) {
      std::string& list = has(name) ? there : missing;
      list += (list.empty() ? "" : ", ") + std::string(name);
    }
    if (there.empty() || missing.empty()) return !there.empty();
    const auto are = [](const std::string& list) { return list.find(',') == list.npos ? "is" : "are"; };
    throw UsageError("{}: {} {} set and {} {} missing; set all of {}, or none", whose, there, are(there),
                     missing, are(missing), fmt::format("{}, {}", there, missing));
  }

  bool by_flags() {
    if (!flags_.rank && !flags_.size) return false;
    if (!flags_.rank || !flags_.size)
      throw UsageError("{} is given and {} is missing", flags_.rank ? "--rank" : "--world-size",
                       flags_.rank ? "--world-size" : "--rank");
    launch_.launcher = "flags";
    launch_.rank = {*flags_.rank, "--rank"};
    launch_.size = {*flags_.size, "--world-size"};
    return true;
  }

  void take_all(const char* launcher, Names rank, Names size, Names local_rank, Names local_size,
                Names run_id) {
    launch_.launcher = launcher;
    take(launch_.rank, rank, 0, kMostOfRun);
    take(launch_.size, size, 1, kMostOfRun);
    take(launch_.local_rank, local_rank, 0, kMostOfRun);
    take(launch_.local_size, local_size, 1, kMostOfRun);
    take(launch_.run_id, run_id);
  }

  bool by_rank() {
    if (!has("RANK") && !has("WORLD_SIZE")) return false;
    all_or_none("environment", {"RANK", "WORLD_SIZE", "MASTER_ADDR", "MASTER_PORT"});
    take_all(has("TORCHELASTIC_RUN_ID") ? "torchrun" : "environment", {"RANK"}, {"WORLD_SIZE"},
             {"LOCAL_RANK"}, {"LOCAL_WORLD_SIZE"}, {"TORCHELASTIC_RUN_ID"});
    take(launch_.restart, {"TORCHELASTIC_RESTART_COUNT"}, 0, kMostAttempts);
    return true;
  }

  bool by_open_mpi() {
    if (!all_or_none("Open MPI", {"OMPI_COMM_WORLD_RANK", "OMPI_COMM_WORLD_SIZE"})) return false;
    take_all("Open MPI", {"OMPI_COMM_WORLD_RANK"}, {"OMPI_COMM_WORLD_SIZE"}, {"OMPI_COMM_WORLD_LOCAL_RANK"},
             {"OMPI_COMM_WORLD_LOCAL_SIZE"}, {"PMIX_NAMESPACE", "OMPI_MCA_ess_base_jobid"});
    return true;
  }

  bool by_pmi() {
    if (!all_or_none("PMI", {"PMI_RANK", "PMI_SIZE"}) || is_srun_with_pmi()) return false;
    take_all("PMI", {"PMI_RANK"}, {"PMI_SIZE"}, {"MPI_LOCALRANKID"}, {"MPI_LOCALNRANKS"}, {});
    return true;
  }

  // srun --mpi=pmi2 sets both, and Slurm's say more. A mpirun within a job is of other ranks than its tasks.
  bool is_srun_with_pmi() const {
    const std::string *rank = find("SLURM_PROCID"), *size = find("SLURM_NTASKS");
    return rank != nullptr && size != nullptr && *rank == *find("PMI_RANK") && *size == *find("PMI_SIZE");
  }

  // A shell of salloc has SLURM_NTASKS and no SLURM_PROCID: it is no rank.
  bool by_slurm() {
    if (!has("SLURM_PROCID")) return false;
    if (!has("SLURM_NTASKS") && !has("SLURM_NPROCS"))
      throw UsageError("Slurm: SLURM_PROCID is set and SLURM_NTASKS is missing; start the program by srun");
    take_all("Slurm", {"SLURM_PROCID"}, {"SLURM_NTASKS", "SLURM_NPROCS"}, {"SLURM_LOCALID"}, {},
             {"SLURM_JOB_ID"});
    const std::string* nodes = find("SLURM_STEP_NUM_NODES");
    if (nodes != nullptr && *nodes == "1") launch_.local_size = {launch_.size.value, "SLURM_STEP_NUM_NODES"};
    if (has("SLURM_STEP_ID"))
      launch_.run_id = {launch_.run_id.value + "." + *find("SLURM_STEP_ID"), "SLURM_STEP_ID"};
    take(launch_.restart, {"SLURM_RESTART_COUNT"}, 0, kMostAttempts);
    if (const char* list = first_set({"SLURM_STEP_NODELIST", "SLURM_JOB_NODELIST"}))
      launch_.address = {hosts_of_slurm(*find(list)).front(), list};
    return true;
  }

  void take_place() {
    const bool several_hosts =
        launch_.local_size.from != "default" && launch_.local_size.value < launch_.size.value;
    if (!launch_.run_id.value.empty() && launch_.launcher != "torchrun") {
      const auto own = int(mix_seed(0, launch_.run_id.value) % kJobPortCount);
      launch_.port = {kJobPorts + own, launch_.run_id.from};
    }
    take(launch_.address, {"MASTER_ADDR"});
    take(launch_.port, {"MASTER_PORT"}, 1, kMostPort);
    if (flags_.address) launch_.address = {*flags_.address, "--master-addr"};
    if (several_hosts && launch_.address.from == "default")
      throw UsageError(
          "{}: MASTER_ADDR is missing: {} of {} ranks are on this host, and the others must know "
          "where rank 0 is",
          launch_.launcher, launch_.local_size.value, launch_.size.value);
    // torchrun's own store listens at MASTER_PORT then: rank 0 says there where it listens itself.
    const std::string* agent = find("TORCHELASTIC_USE_AGENT_STORE");
    if (launch_.launcher == "torchrun" && agent != nullptr && *agent == "True") {
      launch_.agent_port = launch_.port;
      launch_.port = {0, "torchrun's store"};
    }
    if (!flags_.port) return;
    launch_.port = {*flags_.port, "--master-port"};
    launch_.agent_port = {};
  }

  void take_rest() {
    take(launch_.run_id, {"RINGSIDE_RUN_ID"});
    take(launch_.watched, {"RINGSIDE_WATCHED"}, 0, 1);
    take(launch_.store_socket, {"RINGSIDE_STORE_SOCKET"}, 3, kMostOfRun);
    take(launch_.network, {"GLOO_SOCKET_IFNAME"});
    take(launch_.transport, {"RINGSIDE_TRANSPORT"});
    take(launch_.error_file, {"TORCHELASTIC_ERROR_FILE"});
    if (flags_.run_id) launch_.run_id = {*flags_.run_id, "--run-id"};
    if (flags_.network) launch_.network = {*flags_.network, "--interface"};
    if (flags_.transport) launch_.transport = {*flags_.transport, "--transport"};
  }

  void check() const {
    if (launch_.rank.value < 0 || launch_.rank.value >= launch_.size.value)
      throw UsageError("{}={}: allowed are 0 to {}, as {} is {}", launch_.rank.from, launch_.rank.value,
                       launch_.size.value - 1, launch_.size.from, launch_.size.value);
    if (launch_.port.value < (launch_.agent_port.value > 0 ? 0 : 1) || launch_.port.value > kMostPort)
      throw UsageError("{}: port {}: allowed are 1 to {}", launch_.port.from, launch_.port.value, kMostPort);
  }

  const Environment& environment_;
  const LaunchFlags& flags_;
  Launch launch_;
};

[[noreturn]] void no_hosts(const std::string& list) {
  throw UsageError("'{}' is no list of hosts as Slurm writes it: a1,b[2,08-10]", as_typed(list));
}

// "08-10" or "7" behind a name.
void add_range(const std::string& list, const std::string& name, std::string_view range,
               std::vector<std::string>& hosts) {
  const size_t dash = range.find('-');
  const std::string_view low = range.substr(0, dash),
                         high = dash == range.npos ? low : range.substr(dash + 1);
  const auto first = read_number<unsigned>(low), last = read_number<unsigned>(high);
  if (!first || !last || *last < *first) no_hosts(list);
  const uint64_t count = uint64_t{*last} - *first + 1;
  if (hosts.size() + count > kMostHosts) no_hosts(list);
  for (uint64_t i = 0; i < count; ++i)  // the last number may be the type's largest
    hosts.push_back(fmt::format("{}{:0{}}", name, *first + i, low.size()));
}

}  // namespace

Environment own_environment() {
  Environment environment;
  for (char** entry = environ; entry != nullptr && *entry != nullptr; ++entry) {
    const std::string_view text(*entry);
    const size_t equals = text.find('=');
    if (equals != text.npos) environment.emplace(text.substr(0, equals), text.substr(equals + 1));
  }
  return environment;
}

Launch resolve(const Environment& environment, const LaunchFlags& flags) {
  return Resolver(environment, flags).resolve();
}

std::vector<std::string> hosts_of_slurm(const std::string& list) {
  std::vector<std::string> hosts;
  for (size_t at = 0; at < list.size();) {
    const size_t end = std::min(list.find_first_of(",[", at), list.size());
    const std::string name = list.substr(at, end - at);
    if (name.empty() || name.find(']') != name.npos) no_hosts(list);
    if (end == list.size() || list[end] == ',') {
      hosts.push_back(name);
      at = end + 1;
      continue;
    }
    const size_t close = list.find(']', end);
    if (close == list.npos) no_hosts(list);
    for (const std::string_view range : split(std::string_view(list).substr(end + 1, close - end - 1), ","))
      add_range(list, name, range, hosts);
    if (close + 1 < list.size() && list[close + 1] != ',') no_hosts(list);
    at = close + 2;
  }
  if (hosts.empty()) no_hosts(list);
  return hosts;
}

// {"message": {"message": ..., "extraInfo": {"py_callstack": ..., "timestamp": whole seconds as text}}}:
// torch 1.13 to 2.x, torch/distributed/elastic/multiprocessing/errors/error_handler.py.
void write_error_file(const Launch& launch, const std::string& message, int blamed) {
  if (launch.error_file.value.empty()) return;
  constexpr std::chrono::seconds kLater{6};  // torchrun looks every 0.1 s, before 2.0 every 5 s
  auto time = std::chrono::system_clock::now();
  if (blamed >= 0 && blamed != launch.rank.value) time += kLater;
  const auto seconds = std::chrono::duration_cast<std::chrono::seconds>(time.time_since_epoch()).count();
  const Json extra = {{"py_callstack", ""}, {"timestamp", std::to_string(seconds)}};
  const Json json = {{"message", {{"message", printable(message)}, {"extraInfo", extra}}}};
  try {
    write_file_atomically(launch.error_file.value, [&](std::ostream& out) {
      out << json.dump(-1, ' ', false, Json::error_handler_t::replace);
    });
  } catch (const InputError&) {  // the error itself has been said; a folder that has gone does not hide it
  }
}

}  // namespace ringside::inline launch
