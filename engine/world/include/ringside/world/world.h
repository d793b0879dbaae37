// A World is one rank's view of a run: its rank, what records it, and its process groups, over any of the
// run's ranks. run_world() starts a function on every rank, a thread each; a process that is one rank of many
// enters by the same function. A training, a mesh of groups and a lesson of a few collectives all start from
// it.
//
//   run_world({.ranks = 4}, [](World& world) {
//     float sum = 1;
//     world.group("dp").all_reduce({&sum, 1, Dtype::kFloat32}, {"example", ""})->wait();
//   });
#pragma once

#include <chrono>
#include <exception>
#include <functional>
#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "ringside/base/mesh.h"
#include "ringside/base/run_control.h"
#include "ringside/comm/link_model.h"
#include "ringside/comm/process_group.h"
#include "ringside/comm/wiring.h"
#include "ringside/faults/injector.h"
#include "ringside/flight/recorder.h"
#include "ringside/trace/trace.h"

namespace ringside::inline world {

// What a caller puts into a run. A function that starts one for its own caller, as train() does, hands it on
// whole.
struct WorldHooks {
  std::vector<FlightRecorder*> flights{};  // (rank) or empty: the run keeps its own
  FaultInjector* faults = nullptr;         // what is planned to go wrong; null: nothing
  // Where this process is one rank of a run: what connects it to the others. The run has as many ranks;
  // vectors by rank are used at this one alone. Null: all ranks are threads of this process.
  std::shared_ptr<ProcessWiring> process{};
  // Before the names of the run's groups there: two runs at once in one process then do not meet.
  std::string prefix{};
  // What each handle is seen through, on its rank's thread: where a test plants a bug or watches calls.
  std::function<std::unique_ptr<ProcessGroup>(std::unique_ptr<ProcessGroup>)> wrap_group{};
  // On the rank's thread, as it ends: null, or what it threw (RankKilled of a killed one).
  std::function<void(int rank, const std::exception_ptr& error)> on_rank_end{};
};

struct WorldOptions {
  int ranks = 1;
  std::chrono::nanoseconds timeout = std::chrono::seconds(60);      // of a collective
  std::map<std::string, std::chrono::nanoseconds> group_timeout{};  // instead, by a group's name
  // Compare calls before data moves, look for NaN and for cycles of waits, note late ranks.
  bool check = true;
  LinkModel link{};
  std::vector<Recorder*> recorders{};  // (rank) or empty: nothing is traced
  // Cancelling breaks all groups off, wherever the ranks are; null: the run cannot be cancelled.
  RunControl* cancel = nullptr;
  WorldHooks hooks{};
};

class World {
 public:
  World(const WorldOptions& options, Wiring& wiring, int rank, FlightRecorder& flight);
  ~World();
  World& operator=(World&&) = delete;

  int rank() const { return rank_; }
  int size() const { return options_.ranks; }
  Recorder* recorder() const;  // null: nothing is traced
  FlightRecorder& flight() const { return flight_; }
  FaultInjector* faults() const { return options_.hooks.faults; }

  // This rank's handle of the group of that name, made on first use; without ranks: over all of them. `ranks`
  // ascend and hold this one. UsageError where they do not, or where the rank is in another group of that
  // name.
  ProcessGroup& group(const std::string& name, std::vector<int> ranks = {});
  // This rank's group of these dimensions of the mesh, named after them: "tp", "dp+tp". The mesh has as many
  // ranks as the run.
  ProcessGroup& group(const Mesh& mesh, const std::vector<std::string_view>& dimensions);

  // Keeps an object until this rank's groups have ended, and destroys it on this rank's thread, the latest
  // first: peers may read the buffers of an object that an exception would have destroyed before.
  template <typename Kept, typename... Arguments>
  Kept& make(Arguments&&... arguments) {
    kept_.push_back(std::make_shared<Kept>(std::forward<Arguments>(arguments)...));
    return *static_cast<Kept*>(kept_.back().get());
  }

  void abort(const std::string& reason);  // every group of this rank, on this rank's thread
  void drop_kept();                       // what make() made

 private:
  struct Entry {
    std::vector<int> ranks;
    std::unique_ptr<ProcessGroup> group;
  };
  std::unique_ptr<ProcessGroup> connect(const std::string& name, const std::vector<int>& ranks);

  const WorldOptions& options_;
  Wiring& wiring_;
  const int rank_;
  FlightRecorder& flight_;
  std::map<std::string, Entry> groups_;
  std::vector<std::shared_ptr<void>> kept_;
};

// Ranks 0 to options.ranks - 1 as threads of this process, or the one rank that this process is. Returns when
// they have ended. Rethrows the error that came first; of a collective's (comm/errors.h) the merged report of
// the flight recorders stands behind the message. A killed rank (RankKilled) is no error of the run.
// CancelledError where options.cancel broke it off.
void run_world(const WorldOptions& options, const std::function<void(World&)>& rank_main);

}  // namespace ringside::inline world
