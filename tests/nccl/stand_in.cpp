// A stand-in for libnccl and the CUDA runtime, for tests: "device memory" is the host's, ranks are threads of
// one process, a stream is a thread. It has the functions that engine/nccl calls, with communicators that do
// not block, and sums in an order that is not the ranks'. Faults come on request.
#include <algorithm>
#include <atomic>
#include <condition_variable>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <deque>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <thread>
#include <vector>

#include "../../engine/nccl/library.h"
#include "ringside/base/bfloat16.h"

using namespace ringside::nccl;

static std::mutex mutex;  // of everything here: what is tested is the sequence of calls, not speed
static std::condition_variable changed;

struct Member {  // of one collective
  const void* in;
  void* out;
  size_t count;
};
// What the ranks of one communicator share.
struct Meeting {
  int size = 0, joined = 0;
  std::map<int64_t, std::map<int, Member>> arrived;  // (call, rank)
  std::map<int64_t, int> done;                       // calls: how many ranks still have to see it
  std::map<std::pair<int, int>, std::deque<const void*>>
      sent;  // (from, to) buffers that wait for their receiver
};
static std::map<std::string, std::shared_ptr<Meeting>> meetings;  // by unique id

// Faults: the rank of every communicator that they strike, -1 for none.
static int broken_rank = -1, hanging_rank = -1;
static int64_t broken_call = 0;

struct ringside::nccl::OpaqueComm {
  std::shared_ptr<Meeting> meeting;
  int rank = 0;
  int64_t calls = 0;
  bool aborted = false, hangs = false, broken = false;
  int running = 0;  // jobs
};

struct ringside::nccl::OpaqueStream {
  std::deque<std::function<void()>> jobs;
  int64_t given = 0, done = 0;
  bool ends = false;
  std::thread thread{[this] {
    std::unique_lock lock(mutex);
    while (true) {
      changed.wait(lock, [this] { return ends || !jobs.empty(); });
      if (jobs.empty()) return;
      const auto job = std::move(jobs.front());
      jobs.pop_front();
      job();  // it waits with the lock, and gives it up meanwhile
      ++done;
      changed.notify_all();
    }
  }};
};
struct ringside::nccl::OpaqueEvent {
  Stream stream = nullptr;
  int64_t at = 0;
};

namespace {

size_t bytes_of(int type) {
  switch (type) {
    case kInt8:
    case kUint8:
      return 1;
    case kFloat16:
    case kBFloat16:
      return 2;
    case kInt32:
    case kFloat32:
      return 4;
    default:
      return 8;
  }
}

template <typename T, typename Load, typename Store>
void add_all(const std::vector<const void*>& inputs, size_t offset, size_t count, void* out, int reduction,
             Load load, Store store) {
  for (size_t i = 0; i < count; ++i) {
    auto sum = load(static_cast<const T*>(inputs.back())[offset + i]);
    for (size_t k = inputs.size() - 1; k-- > 0;) {  // from the last rank to the first
      const auto value = load(static_cast<const T*>(inputs[k])[offset + i]);
      sum = reduction == kSum ? sum + value : std::max(sum, value);
    }
    static_cast<T*>(out)[i] = store(sum);
  }
}

void reduce(const std::vector<const void*>& inputs, size_t offset, size_t count, void* out, int type,
            int reduction) {
  const auto same = [](auto value) { return value; };
  if (type == kFloat32) add_all<float>(inputs, offset, count, out, reduction, same, same);
  if (type == kFloat64) add_all<double>(inputs, offset, count, out, reduction, same, same);
  if (type == kInt64) add_all<int64_t>(inputs, offset, count, out, reduction, same, same);
  if (type == kBFloat16)
    add_all<uint16_t>(inputs, offset, count, out, reduction, ringside::bf16_to_float,
                      ringside::float_to_bf16);
}

// One call of a group of calls, begun at its end.
struct Job {
  Comm comm;
  Stream stream;
  std::function<void()> work;
  std::pair<int, int> sends = {-1, -1};  // (from, to) of a send
};
thread_local std::vector<Job> group;
thread_local int depth = 0;

// Gives up the stream thread's lock, which is the global one, while it waits.
template <typename F>
bool wait_for(Comm comm, F condition) {
  std::unique_lock lock(mutex, std::adopt_lock);
  changed.wait(lock, [&] { return comm->aborted || condition(); });
  lock.release();
  return !comm->aborted;
}

int begin_job(const Job& job) {
  if (job.comm->aborted) return 5;
  if (broken_rank == job.comm->rank && job.comm->calls >= broken_call) job.comm->broken = true;
  if (job.comm->broken) return kSuccess;  // it never comes to its end
  ++job.comm->running;
  ++job.stream->given;
  job.stream->jobs.emplace_back([job] {
    job.work();
    --job.comm->running;
  });
  return kInProgress;
}

// What is sent is there before anything is received: calls of one group are one call. And it is over once it
// was taken.
int begin_jobs() {
  const std::lock_guard lock(mutex);
  std::ranges::stable_partition(group, [](const Job& job) { return job.sends.first >= 0; });
  const size_t count = group.size();
  for (size_t i = 0; i < count && group[i].sends.first >= 0; ++i) {
    Job taken = group[i];
    taken.work = [job = group[i]] {
      wait_for(job.comm, [&] { return job.comm->meeting->sent[job.sends].empty(); });
    };
    taken.sends = {-1, -1};
    group.push_back(taken);
  }
  int result = kSuccess;
  for (const Job& job : group) result = std::max(result == 5 ? 99 : result, begin_job(job));
  group.clear();
  changed.notify_all();
  return result == 99 ? 5 : result;
}

int add(Job job) {
  group.push_back(std::move(job));
  return depth > 0 ? static_cast<int>(kSuccess) : begin_jobs();
}

// Every rank brings its buffers; the last one does the work of all.
int collective(Comm comm, Stream stream, Member member,
               const std::function<void(const std::map<int, Member>&)>& work) {
  const int64_t call = comm->calls++;
  return add({comm, stream, [=] {
                Meeting& meeting = *comm->meeting;
                auto& arrived = meeting.arrived[call];
                arrived[comm->rank] = member;
                if (static_cast<int>(arrived.size()) == meeting.size) {
                  work(arrived);
                  meeting.done[call] = meeting.size;
                  changed.notify_all();
                }
                if (wait_for(comm, [&] { return meeting.done.contains(call); }) && --meeting.done[call] == 0)
                  meeting.done.erase(call), meeting.arrived.erase(call);
                else if (comm->aborted && !meeting.done.contains(call))
                  meeting.arrived[call].erase(comm->rank);
              }});
}

}  // namespace

extern "C" {

void ringside_stand_in_fault(int broken, int64_t call, int hanging) {
  const std::lock_guard lock(mutex);
  broken_rank = broken, broken_call = call, hanging_rank = hanging;
}

int ncclGetVersion(int* version) {
  const char* wanted = std::getenv("RINGSIDE_STAND_IN_VERSION");
  *version = wanted != nullptr ? std::atoi(wanted) : 22803;
  return kSuccess;
}
const char* ncclGetErrorString(int) { return "an error of the stand-in"; }
int ncclGetUniqueId(UniqueId* id) {
  static std::atomic<int> count = 0;
  std::snprintf(id->bytes, sizeof id->bytes, "stand-in %d", count++);
  return kSuccess;
}
int ncclCommInitRankConfig(Comm* comm, int size, UniqueId id, int rank, Config* config) {
  if (config->blocking != 0 || config->magic != 0xcafebeef) return 4;
  const std::lock_guard lock(mutex);
  auto& meeting = meetings[id.bytes];
  if (!meeting) meeting = std::make_shared<Meeting>();
  meeting->size = size;
  *comm = new OpaqueComm{meeting, rank};
  (*comm)->hangs = rank == hanging_rank;
  if (!(*comm)->hangs && ++meeting->joined == size) meetings.erase(id.bytes);
  return kInProgress;
}
int ncclCommGetAsyncError(Comm comm, int* error) {
  const std::lock_guard lock(mutex);
  *error = comm->broken                                  ? 6
           : comm->meeting->joined < comm->meeting->size ? static_cast<int>(kInProgress)
                                                         : static_cast<int>(kSuccess);
  return kSuccess;
}
int ncclCommAbort(Comm comm) {
  std::unique_lock lock(mutex);
  comm->aborted = true;
  changed.notify_all();
  changed.wait(lock, [&] { return comm->running == 0; });
  delete comm;
  return kSuccess;
}
int ncclGroupStart() {
  ++depth;
  return kSuccess;
}
int ncclGroupEnd() { return --depth > 0 ? static_cast<int>(kSuccess) : begin_jobs(); }

int ncclAllReduce(const void* in, void* out, size_t count, int type, int reduction, Comm comm,
                  Stream stream) {
  return collective(comm, stream, {in, out, count}, [=](const std::map<int, Member>& all) {
    std::vector<const void*> inputs;
    for (const auto& [rank, one] : all) inputs.push_back(one.in);
    std::vector<std::byte> sum(count * bytes_of(type));
    reduce(inputs, 0, count, sum.data(), type, reduction);
    for (const auto& [rank, one] : all) std::memcpy(one.out, sum.data(), sum.size());
  });
}
int ncclReduceScatter(const void* in, void* out, size_t count, int type, int reduction, Comm comm,
                      Stream stream) {
  return collective(comm, stream, {in, out, count}, [=](const std::map<int, Member>& all) {
    std::vector<const void*> inputs;
    for (const auto& [rank, one] : all) inputs.push_back(one.in);
    std::vector<std::byte> sum(count * all.size() * bytes_of(type));
    reduce(inputs, 0, count * all.size(), sum.data(), type, reduction);
    for (const auto& [rank, one] : all)
      std::memcpy(one.out, sum.data() + static_cast<size_t>(rank) * count * bytes_of(type),
                  count * bytes_of(type));
  });
}
int ncclAllGather(const void* in, void* out, size_t count, int type, Comm comm, Stream stream) {
  return collective(comm, stream, {in, out, count}, [=](const std::map<int, Member>& all) {
    const size_t bytes = count * bytes_of(type);
    for (const auto& [to, one] : all)
      for (const auto& [from, other] : all)
        std::memmove(static_cast<std::byte*>(one.out) + static_cast<size_t>(from) * bytes, other.in, bytes);
  });
}
int ncclBroadcast(const void* in, void* out, size_t count, int type, int root, Comm comm, Stream stream) {
  return collective(comm, stream, {in, out, count}, [=](const std::map<int, Member>& all) {
    for (const auto& [rank, one] : all) std::memmove(one.out, all.at(root).in, count * bytes_of(type));
  });
}
int ncclSend(const void* in, size_t, int, int peer, Comm comm, Stream stream) {
  const std::pair<int, int> way{comm->rank, peer};
  return add({comm, stream,
              [=] {
                comm->meeting->sent[way].push_back(in);
                changed.notify_all();
              },
              way});
}
int ncclRecv(void* out, size_t count, int type, int peer, Comm comm, Stream stream) {
  return add({comm, stream, [=] {
                auto& sent = comm->meeting->sent[{peer, comm->rank}];
                if (!wait_for(comm, [&] { return !sent.empty(); })) return;
                std::memcpy(out, sent.front(), count * bytes_of(type));
                sent.pop_front();
                changed.notify_all();
              }});
}

int cudaSetDevice(int) { return kCudaSuccess; }
int cudaDeviceGetPCIBusId(char* text, int length, int device) {
  std::snprintf(text, static_cast<size_t>(length), "stand-in:%d", device);
  return kCudaSuccess;
}
int cudaStreamCreate(Stream* stream) {
  *stream = new OpaqueStream;
  return kCudaSuccess;
}
int cudaStreamDestroy(Stream stream) {
  {
    const std::lock_guard lock(mutex);
    stream->ends = true;
    changed.notify_all();
  }
  stream->thread.join();
  delete stream;
  return kCudaSuccess;
}
int cudaEventCreateWithFlags(Event* event, unsigned) {
  *event = new OpaqueEvent;
  return kCudaSuccess;
}
int cudaEventDestroy(Event event) {
  delete event;
  return kCudaSuccess;
}
int cudaEventRecord(Event event, Stream stream) {
  const std::lock_guard lock(mutex);
  *event = {stream, stream->given};
  return kCudaSuccess;
}
int cudaEventQuery(Event event) {
  const std::lock_guard lock(mutex);
  return event->stream->done >= event->at ? kCudaSuccess : kCudaNotReady;
}
int cudaMalloc(void** data, size_t bytes) {
  *data = std::malloc(bytes);
  return kCudaSuccess;
}
int cudaFree(void* data) {
  std::free(data);
  return kCudaSuccess;
}
const char* cudaGetErrorString(int) { return "an error of the stand-in"; }

}  // extern "C"
