// A stand-in for libnccl and the CUDA runtime, for tests: "device memory" is the host's, ranks are threads or
// processes of one host, a stream is a thread. It has the functions that engine/nccl calls, with communicators
// that do not block, and sums in an order that is not the ranks'. Faults come on request.
#include <fcntl.h>
#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <condition_variable>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <deque>
#include <functional>
#include <memory>
#include <mutex>
#include <sstream>
#include <string>
#include <thread>
#include <vector>

#include "../../engine/nccl/library.h"
#include "ringside/base/bfloat16.h"

using namespace ringside::nccl;

static std::mutex mutex;  // of everything here: what is tested is the sequence of calls, not speed
static std::condition_variable changed;
constexpr int kMostRanks = 16;
constexpr size_t kSlotBytes = 16 << 20;  // of a file that has what was written alone

// What the ranks of one communicator share: a file in memory, so that they may be threads or processes. Each
// has a slot for what it brings to a call, and each pair of ranks a box for a message.
struct Counts {
  std::atomic<int> joined;
  std::atomic<int64_t> brought[kMostRanks], seen[kMostRanks];  // (rank) calls
  std::atomic<int64_t> sent[kMostRanks][kMostRanks], taken[kMostRanks][kMostRanks];  // (from, to) messages
};
class Meeting {
 public:
  Meeting(const char* path, int size) : path_(path), size_(size) {
    const int file = ::open(path, O_RDWR);
    bytes_ = sizeof(Counts) + static_cast<size_t>(size + size * size) * kSlotBytes;
    if (file < 0 || ::ftruncate(file, static_cast<off_t>(bytes_)) != 0) std::abort();
    base_ = ::mmap(nullptr, bytes_, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_NORESERVE, file, 0);
    ::close(file);
    if (base_ == MAP_FAILED) std::abort();
  }
  ~Meeting() { ::munmap(base_, bytes_); }
  Meeting& operator=(Meeting&&) = delete;

  int size() const { return size_; }
  Counts& counts() { return *static_cast<Counts*>(base_); }
  std::byte* slot(int rank) { return place(rank); }
  std::byte* box(int from, int to) { return place(size_ + from * size_ + to); }
  void join() {
    if (++counts().joined == size_) ::unlink(path_.c_str());
  }

 private:
  std::byte* place(int i) {
    return static_cast<std::byte*>(base_) + sizeof(Counts) + static_cast<size_t>(i) * kSlotBytes;
  }
  const std::string path_;
  const int size_;
  size_t bytes_ = 0;
  void* base_ = nullptr;
};

// Files that not all ranks have joined are removed at the end.
static struct Created {
  std::vector<std::string> paths;
  ~Created() {
    for (const std::string& path : paths) ::unlink(path.c_str());
  }
} created;

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

// Gives up the stream thread's lock, which is the global one, while it waits. What another process has done is
// seen by looking again.
template <typename F>
bool wait_for(Comm comm, F condition) {
  std::unique_lock lock(mutex, std::adopt_lock);
  while (!comm->aborted && !condition()) changed.wait_for(lock, std::chrono::microseconds(200));
  lock.release();
  return !comm->aborted;
}
void copy(void* to, const void* from, size_t bytes) {
  if (bytes > 0) std::memmove(to, from, bytes);
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
      Counts& counts = job.comm->meeting->counts();
      const auto [from, to] = job.sends;
      wait_for(job.comm, [&] { return counts.sent[from][to] == counts.taken[from][to]; });
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

// Every rank brings `bytes`, and makes its own result of what all have brought, (rank).
int collective(Comm comm, Stream stream, const void* in, size_t bytes,
               const std::function<void(const std::vector<const void*>&)>& work) {
  if (bytes > kSlotBytes) return 4;
  const int64_t call = comm->calls++;
  return add({comm, stream, [=] {
                Meeting& meeting = *comm->meeting;
                Counts& counts = meeting.counts();
                const auto all = [&](const std::atomic<int64_t>* of, int64_t least) {
                  return std::all_of(of, of + meeting.size(), [&](const auto& one) { return one >= least; });
                };
                if (!wait_for(comm, [&] { return all(counts.seen, call); })) return;
                copy(meeting.slot(comm->rank), in, bytes);
                counts.brought[comm->rank] = call + 1;
                changed.notify_all();
                if (!wait_for(comm, [&] { return all(counts.brought, call + 1); })) return;
                std::vector<const void*> brought;
                for (int rank = 0; rank < meeting.size(); ++rank) brought.push_back(meeting.slot(rank));
                work(brought);
                counts.seen[comm->rank] = call + 1;
                changed.notify_all();
              }});
}

// The n-th of the GPUs that CUDA_VISIBLE_DEVICES names.
std::string gpu_of(int n) {
  const char* visible = std::getenv("CUDA_VISIBLE_DEVICES");
  std::stringstream names(visible != nullptr ? visible : "0,1,2,3,4,5,6,7");
  std::string name;
  for (int i = 0; i <= n; ++i)
    if (!std::getline(names, name, ',')) return "";
  return name;
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
  const char* const folder = ::access("/dev/shm", W_OK) == 0 ? "/dev/shm" : "/tmp";
  std::snprintf(id->bytes, sizeof id->bytes, "%s/ringside_stand_in_XXXXXX", folder);
  const int file = ::mkstemp(id->bytes);
  if (file < 0 || ::close(file) != 0) return 2;
  const std::lock_guard lock(mutex);
  created.paths.emplace_back(id->bytes);
  return kSuccess;
}
int ncclCommInitRankConfig(Comm* comm, int size, UniqueId id, int rank, Config* config) {
  if (config->blocking != 0 || config->magic != 0xcafebeef || size > kMostRanks) return 4;
  const std::lock_guard lock(mutex);
  *comm = new OpaqueComm{std::make_shared<Meeting>(id.bytes, size), rank};
  (*comm)->hangs = rank == hanging_rank;
  if (!(*comm)->hangs) (*comm)->meeting->join();
  return kInProgress;
}
int ncclCommGetAsyncError(Comm comm, int* error) {
  const std::lock_guard lock(mutex);
  const bool all = comm->meeting->counts().joined == comm->meeting->size();
  *error = comm->broken ? 6 : all ? static_cast<int>(kSuccess) : static_cast<int>(kInProgress);
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
  return collective(comm, stream, in, count * bytes_of(type), [=](const std::vector<const void*>& all) {
    reduce(all, 0, count, out, type, reduction);
  });
}
int ncclReduceScatter(const void* in, void* out, size_t count, int type, int reduction, Comm comm,
                      Stream stream) {
  const size_t ranks = static_cast<size_t>(comm->meeting->size()), own = static_cast<size_t>(comm->rank);
  return collective(
      comm, stream, in, count * ranks * bytes_of(type),
      [=](const std::vector<const void*>& all) { reduce(all, own * count, count, out, type, reduction); });
}
int ncclAllGather(const void* in, void* out, size_t count, int type, Comm comm, Stream stream) {
  const size_t bytes = count * bytes_of(type);
  return collective(comm, stream, in, bytes, [=](const std::vector<const void*>& all) {
    for (size_t rank = 0; rank < all.size(); ++rank)
      copy(static_cast<std::byte*>(out) + rank * bytes, all[rank], bytes);
  });
}
int ncclBroadcast(const void* in, void* out, size_t count, int type, int root, Comm comm, Stream stream) {
  const size_t bytes = count * bytes_of(type);
  return collective(comm, stream, in, bytes, [=](const std::vector<const void*>& all) {
    copy(out, all[static_cast<size_t>(root)], bytes);
  });
}
int ncclSend(const void* in, size_t count, int type, int peer, Comm comm, Stream stream) {
  const size_t bytes = count * bytes_of(type);
  if (bytes > kSlotBytes) return 4;
  const std::pair<int, int> way{comm->rank, peer};
  return add({comm, stream,
              [=] {
                Counts& counts = comm->meeting->counts();
                const auto [from, to] = way;
                if (!wait_for(comm, [&] { return counts.sent[from][to] == counts.taken[from][to]; })) return;
                copy(comm->meeting->box(from, to), in, bytes);
                ++counts.sent[from][to];
                changed.notify_all();
              },
              way});
}
int ncclRecv(void* out, size_t count, int type, int peer, Comm comm, Stream stream) {
  const size_t bytes = count * bytes_of(type);
  return add({comm, stream, [=] {
                Counts& counts = comm->meeting->counts();
                const int to = comm->rank;
                if (!wait_for(comm, [&] { return counts.sent[peer][to] > counts.taken[peer][to]; })) return;
                copy(out, comm->meeting->box(peer, to), bytes);
                ++counts.taken[peer][to];
                changed.notify_all();
              }});
}

int cudaSetDevice(int) { return kCudaSuccess; }
int cudaDeviceGetPCIBusId(char* text, int length, int device) {
  const std::string gpu = gpu_of(device);
  std::snprintf(text, static_cast<size_t>(length), "stand-in:%s", gpu.c_str());
  return gpu.empty() ? 101 : kCudaSuccess;
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
