#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <cstring>
#include <map>
#include <mutex>
#include <set>
#include <thread>

#include "library.h"
#include "ringside/base/error.h"
#include "ringside/base/text.h"
#include "ringside/comm/accumulator.h"

namespace ringside::inline nccl {
namespace {

using Written = Channel::Written;

// What is thrown where a call does not end as it should: NCCL's or CUDA's error, the deadline, stop().
using Ended = OwnCollectives::Carried;

// The library's type has the size of ours: it counts elements.
nccl::Type type_of(Dtype dtype) {
  switch (dtype) {
    case Dtype::kFloat32: return nccl::kFloat32;
    case Dtype::kBFloat16: return nccl::kBFloat16;
    case Dtype::kFloat64: return nccl::kFloat64;
    case Dtype::kInt64: return nccl::kInt64;
    case Dtype::kFloat16: return nccl::kFloat16;
    case Dtype::kInt32: return nccl::kInt32;
    case Dtype::kInt8: return nccl::kInt8;
    case Dtype::kUInt8:
    case Dtype::kBool:  // a byte, which is moved and not added
      return nccl::kUint8;
  }
  throw InvariantError("NCCL: no type for Dtype {}", int(dtype));
}

std::string nccl_text(const NcclLibrary& library, int error) {
  return fmt::format("NCCL: {}", library.ncclGetErrorString(error));
}

std::string cuda_text(const NcclLibrary& library, int error) {
  return fmt::format("CUDA: {}", library.cudaGetErrorString(error));
}

// A communicator and its stream, of one thread at a time.
class Communicator {
 public:
  Communicator(const NcclLibrary& library, std::function<bool()> stopped)
      : library_(library), stopped_(std::move(stopped)) {
    check_cuda(library.cudaStreamCreate(&stream_));
    check_cuda(library.cudaEventCreateWithFlags(&event_, nccl::kEventWithoutTiming));
  }
  // Aborted, not destroyed: that would wait for the other ranks.
  ~Communicator() {
    if (comm_ != nullptr) library_.ncclCommAbort(comm_);
    library_.cudaEventDestroy(event_);
    library_.cudaStreamDestroy(stream_);
    if (space_ != nullptr) library_.cudaFree(space_);
  }
  Communicator& operator=(Communicator&&) = delete;

  void connect(const nccl::UniqueId& id, int size, int place, TimePoint deadline) {
    deadline_ = deadline;
    nccl::Config config;
    settle(library_.ncclCommInitRankConfig(&comm_, size, id, place, &config));
  }

  // Calls that NCCL takes as one, and then waits until the stream has come to their end.
  template <typename F>
  void run(TimePoint deadline, F calls) {
    deadline_ = deadline;
    settle(library_.ncclGroupStart());
    try {
      calls();
    } catch (const Ended& ended) {
      library_.ncclGroupEnd();  // or this thread's later calls, of other groups too, would wait for it
      abandon(ended.how, ended.trouble);
    }
    settle(library_.ncclGroupEnd());
    finish();
  }

  nccl::Comm comm() const { return comm_; }
  nccl::Stream stream() const { return stream_; }
  std::byte* space(int64_t bytes) {
    if (bytes > space_bytes_) {
      if (space_ != nullptr) check_cuda(library_.cudaFree(space_));
      space_ = nullptr, space_bytes_ = 0;
      check_cuda(library_.cudaMalloc(&space_, size_t(bytes)));
      space_bytes_ = bytes;
    }
    return static_cast<std::byte*>(space_);
  }

 private:
  void finish() {
    check_cuda(library_.cudaEventRecord(event_, stream_));
    wait_until([this] {
      const int state = library_.cudaEventQuery(event_);
      if (state != nccl::kCudaNotReady) check_cuda(state);
      return state == nccl::kCudaSuccess && !in_progress();
    });
  }
  // A call of a communicator that does not block may still be on its way.
  void settle(int result) {
    if (result == nccl::kSuccess) return;
    if (result != nccl::kInProgress) abandon(Written::kLost, nccl_text(library_, result));
    wait_until([this] { return !in_progress(); });
  }
  bool in_progress() {
    if (comm_ == nullptr) abandon(Written::kLost);
    int state = nccl::kSuccess;
    const int asked = library_.ncclCommGetAsyncError(comm_, &state);
    if (asked != nccl::kSuccess) state = asked;
    if (state != nccl::kSuccess && state != nccl::kInProgress)
      abandon(Written::kLost, nccl_text(library_, state));
    return state == nccl::kInProgress;
  }
  template <typename F>
  void wait_until(F done) {
    for (auto pause = std::chrono::microseconds(5); !done();
         pause = std::min(2 * pause, std::chrono::microseconds(200))) {
      if (stopped_()) abandon(Written::kLost);
      if (SteadyClock::now() >= deadline_) abandon(Written::kLate);
      std::this_thread::sleep_for(pause);
    }
  }
  // No buffer of the call is touched afterwards.
  [[noreturn]] void abandon(Written how, const std::string& trouble = "") {
    if (comm_ != nullptr) library_.ncclCommAbort(std::exchange(comm_, nullptr));
    throw Ended{how, trouble};
  }
  void check_cuda(int error) {
    if (error != nccl::kCudaSuccess) abandon(Written::kLost, cuda_text(library_, error));
  }

  const NcclLibrary& library_;
  const std::function<bool()> stopped_;
  nccl::Comm comm_ = nullptr;
  nccl::Stream stream_ = nullptr;
  nccl::Event event_ = nullptr;
  void* space_ = nullptr;
  int64_t space_bytes_ = 0;
  TimePoint deadline_{};
};

class NcclCollectives final : public OwnCollectives {
 public:
  NcclCollectives(std::shared_ptr<const NcclLibrary> library, std::shared_ptr<Store> store,
                  NcclOptions options)
      : library_(std::move(library)), store_(std::move(store)), options_(std::move(options)) {}

  bool reaches(Device device) const override { return device == options_.memory; }
  bool takes(const Collective& call) const override {
    const ConstView view = payload(call);
    return view.count > 0 && view.device == options_.memory;
  }

  Carried carry(uint64_t group, const std::vector<int>& ranks, int place, const Collective& call,
                TimePoint deadline) override try {
    check_cuda(library_->cudaSetDevice(options_.gpu));  // of this thread
    Communicator& communicator = communicator_of(group, ranks, place, call, deadline);
    if (adds_in_order(call))
      add_in_order(communicator, int(ranks.size()), place, call, deadline);
    else
      communicator.run(deadline, [&] { move(communicator, int(ranks.size()), call); });
    return {Written::kAll};
  } catch (const Ended& ended) {
    return ended;
  } catch (const Error& error) {  // the store's
    return {SteadyClock::now() >= deadline ? Written::kLate : Written::kLost, error.what()};
  }

  void stop(uint64_t group) override {
    const std::lock_guard lock(mutex_);
    stopped_.insert(group);
  }

 private:
  // Of a group's collectives, or of messages from one place to another.
  struct Key {
    uint64_t group;
    int from = -1, to = -1;
    auto operator<=>(const Key&) const = default;
  };

  bool is_stopped(uint64_t group) const {
    const std::lock_guard lock(mutex_);
    return stopped_.contains(group);
  }

  // Each is used by the thread of its lane alone.
  Communicator& communicator_of(uint64_t group, const std::vector<int>& ranks, int place,
                                const Collective& call, TimePoint deadline) {
    Key key{group};
    if (call.op == Op::kSend) key.from = place, key.to = call.peer;
    if (call.op == Op::kRecv) key.from = call.peer, key.to = place;
    std::unique_ptr<Communicator>* found = nullptr;
    {
      const std::lock_guard lock(mutex_);
      found = &communicators_[key];
    }
    if (*found) return **found;
    if (is_stopped(group)) throw Ended{Written::kLost};
    auto made = std::make_unique<Communicator>(*library_, [this, group] { return is_stopped(group); });
    const int size = is_p2p(call.op) ? 2 : int(ranks.size());
    const int rank = !is_p2p(call.op) ? place : call.op == Op::kSend ? 0 : 1;
    made->connect(id_of(fmt::format("nccl/{}/{}/{}", key.group, key.from, key.to), rank, deadline), size,
                  rank, deadline);
    *found = std::move(made);
    return **found;
  }

  nccl::UniqueId id_of(const std::string& key, int rank, TimePoint deadline) {
    nccl::UniqueId id;
    if (rank == 0) {
      if (library_->ncclGetUniqueId(&id) != nccl::kSuccess) throw Ended{Written::kLost};
      store_->set(key, {id.bytes, sizeof id.bytes});
      return id;
    }
    const std::string bytes = store_->get(key, deadline);
    if (bytes.size() != sizeof id.bytes) throw Ended{Written::kLost};
    std::memcpy(id.bytes, bytes.data(), sizeof id.bytes);
    return id;
  }

  void check(int result) const {
    if (result != nccl::kSuccess && result != nccl::kInProgress)
      throw Ended{Written::kLost, nccl_text(*library_, result)};
  }
  void check_cuda(int error) const {
    if (error != nccl::kCudaSuccess) throw Ended{Written::kLost, cuda_text(*library_, error)};
  }

  void move(Communicator& to, int size, const Collective& call) {
    const nccl::Type type = type_of(call.input.dtype);
    const nccl::Reduction reduction = call.reduce == ReduceOp::kSum ? nccl::kSum : nccl::kMax;
    const auto in = size_t(call.input.count), out = size_t(call.output.count);
    switch (call.op) {
      case Op::kAllReduce:
        return check(library_->ncclAllReduce(call.input.data, call.output.data, in, type, reduction,
                                             to.comm(), to.stream()));
      case Op::kReduceScatter:
        return check(library_->ncclReduceScatter(call.input.data, call.output.data, out, type, reduction,
                                                 to.comm(), to.stream()));
      case Op::kAllGather:
        return check(
            library_->ncclAllGather(call.input.data, call.output.data, in, type, to.comm(), to.stream()));
      case Op::kBroadcast:
        return check(library_->ncclBroadcast(call.input.data, call.output.data, in, type, call.peer,
                                             to.comm(), to.stream()));
      case Op::kSend:  // of a message's two places, 0 sends
        return send(to, call.input, 1);
      case Op::kRecv: return receive(to, call.output, 0);
      default: {  // all-to-all
        const int64_t part = call.input.count / size;
        for (int peer = 0; peer < size; ++peer) {
          send(to, slice(call.input, peer * part, part), peer);
          receive(to, slice(call.output, peer * part, part), peer);
        }
      }
    }
  }
  void send(Communicator& to, ConstView view, int peer) {
    if (view.count > 0)
      check(library_->ncclSend(view.data, size_t(view.count), type_of(view.dtype), peer, to.comm(),
                               to.stream()));
  }
  void receive(Communicator& to, MutableView view, int peer) {
    if (view.count > 0)
      check(library_->ncclRecv(view.data, size_t(view.count), type_of(view.dtype), peer, to.comm(),
                               to.stream()));
  }

  // Integers have one sum in every order, and so has a maximum.
  bool adds_in_order(const Collective& call) const {
    return options_.algorithm == "ordered" && (call.op == Op::kAllReduce || call.op == Op::kReduceScatter) &&
           call.reduce == ReduceOp::kSum && call.input.dtype != Dtype::kInt64;
  }

  // Each rank receives its chunk of all, adds, and in an all-reduce sends the sum to all.
  void add_in_order(Communicator& to, int size, int place, const Collective& call, TimePoint deadline) {
    const bool gathers = call.op == Op::kAllReduce;
    const auto part = [&](int of) { return chunk_of(call.input.count, size, of); };
    const Chunk own = part(place);
    const int64_t stride = own.count * size_of(call.input.dtype);
    std::byte* const space = to.space(stride * size);
    const MutableView result = gathers ? slice(call.output, own.offset, own.count) : call.output;
    const auto came_from = [&](int peer) {
      return MutableView{space + peer * stride, own.count, call.input.dtype, options_.memory};
    };
    std::vector<ConstView> inputs;
    for (int peer = 0; peer < size; ++peer)
      inputs.push_back(peer == place ? slice(call.input, own) : ConstView(came_from(peer)));
    to.run(deadline, [&] {
      for (int peer = 0; peer < size; ++peer) {
        if (peer == place) continue;
        send(to, slice(call.input, part(peer).offset, part(peer).count), peer);
        receive(to, came_from(peer), peer);
      }
    });
    reduce_into(result, inputs);
    if (!gathers) return;
    to.run(deadline, [&] {
      for (int peer = 0; peer < size; ++peer) {
        if (peer == place) continue;
        send(to, result, peer);
        receive(to, slice(call.output, part(peer).offset, part(peer).count), peer);
      }
    });
  }

  const std::shared_ptr<const NcclLibrary> library_;
  const std::shared_ptr<Store> store_;
  const NcclOptions options_;
  mutable std::mutex mutex_;
  std::set<uint64_t> stopped_;
  std::map<Key, std::unique_ptr<Communicator>> communicators_;
};

// "host 0000:3b:00.0", where it is told; NCCL itself says no more than "invalid usage".
std::string name_of_gpu(const NcclLibrary& library, int gpu) {
  char bus[64] = {};
  if (library.cudaDeviceGetPCIBusId(bus, sizeof bus, gpu) != nccl::kCudaSuccess)
    throw MissingError("NCCL cannot be used: there is no GPU {}", gpu);
  char host[256] = {};
  ::gethostname(host, sizeof host - 1);
  return fmt::format("{} {}", host, bus);
}

void check_gpus(const NcclLibrary& library, Store& store, const NcclOptions& options) {
  const TimePoint deadline = SteadyClock::now() + options.timeout;
  const auto key = [](int rank) { return fmt::format("nccl/gpu/{}", rank); };
  store.set(key(options.rank), name_of_gpu(library, options.gpu));
  std::map<std::string, int> owner;
  for (int rank = 0; rank < options.size; ++rank)
    if (const auto [of, is_new] = owner.try_emplace(store.get(key(rank), deadline), rank); !is_new)
      throw UsageError("ranks {} and {} have one GPU ({}): NCCL takes one rank a GPU", of->second, rank,
                       of->first);
}

}  // namespace

std::shared_ptr<OwnCollectives> nccl_collectives(std::shared_ptr<const NcclLibrary> library,
                                                 std::shared_ptr<Store> store, const NcclOptions& options) {
  if (!options.algorithm.empty() && options.algorithm != "ordered")
    throw UsageError("algorithm={}: over NCCL there are NCCL's own and ordered", as_typed(options.algorithm));
  check_gpus(*library, *store, options);
  return std::make_shared<NcclCollectives>(std::move(library), std::move(store), options);
}

}  // namespace ringside::inline nccl
