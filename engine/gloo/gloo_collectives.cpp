// Calls that take no frames: Gloo's own algorithms, or large ones in rank order (gloo_ordered.cpp). Each
// group has connections of its own, made at its first call: Gloo counts ranks anew there.
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <gloo/allgather.h>
#include <gloo/allreduce.h>
#include <gloo/allreduce_halving_doubling.h>
#include <gloo/alltoall.h>
#include <gloo/broadcast.h>
#include <gloo/math.h>
#include <gloo/reduce_scatter.h>

#include <set>

#include "gloo_mesh.h"
#include "gloo_ordered.h"
#include "ringside/base/error.h"
#include "ringside/base/text.h"

namespace ringside::inline gloo {
namespace {

using ContextPtr = std::shared_ptr<::gloo::Context>;

// Smaller ones take fewer rounds of messages as frames.
constexpr int64_t kLarge = int64_t{64} << 10;  // bytes

bool gloo_adds(Dtype dtype) {
  return dtype == Dtype::kFloat32 || dtype == Dtype::kFloat64 || dtype == Dtype::kInt64;
}

// f(Element{}) with the type that stands for `dtype`, one that Gloo adds.
template <typename F>
void with_element(Dtype dtype, const F& f) {
  if (dtype == Dtype::kFloat32) return f(float{});
  if (dtype == Dtype::kFloat64) return f(double{});
  f(int64_t{});
}

class GlooCollectives final : public OwnCollectives {
 public:
  GlooCollectives(std::shared_ptr<GlooMesh> mesh, std::string algorithm)
      : mesh_(std::move(mesh)), algorithm_(std::move(algorithm)) {}

  bool takes(const Collective& call) const override {
    if (call.output.count == 0) return false;
    if (is_ordered()) return !is_p2p(call.op) && payload(call).bytes() >= kLarge;
    switch (call.op) {
      case Op::kAllReduce: return gloo_adds(call.output.dtype);
      case Op::kReduceScatter: return gloo_adds(call.output.dtype) && is_halving();
      case Op::kAllGather:
      case Op::kBroadcast:
      case Op::kAllToAll: return true;
      default: return false;
    }
  }

  bool counts_bytes() const override { return is_ordered(); }

  Carried carry(uint64_t group, const std::vector<int>& ranks, int place, const Collective& call,
                TimePoint deadline) override try {
    const Connected here = connected(group, ranks, place, deadline);
    if (!here.context || is_ordered() != (here.ordered != nullptr)) return {Channel::Written::kLost};
    if (here.ordered) return {Channel::Written::kAll, {}, here.ordered->carry(call, deadline)};
    here.context->setTimeout(std::chrono::ceil<std::chrono::milliseconds>(deadline - SteadyClock::now()));
    run(here.context, call);
    return {Channel::Written::kAll};
  } catch (const std::exception&) {
    return {SteadyClock::now() >= deadline ? Channel::Written::kLate : Channel::Written::kLost};
  }

  void stop(uint64_t group) override {
    const std::lock_guard lock(mutex_);
    stopped_.insert(group);
    const auto [context, ordered, connecting] = std::exchange(groups_[group], {});
    if (ordered) ordered->stop();
    if (!context) return;
    if (connecting) return context->closeConnections();
    try {  // a wait that fails wakes all others of these connections: there is no other way to
      std::byte nothing{};
      context->createUnboundBuffer(&nothing, 1)->waitRecv(std::chrono::milliseconds(1));
    } catch (const std::exception&) {
    }
  }

 private:
  struct Connected {
    ContextPtr context;
    std::shared_ptr<GlooOrdered> ordered;  // null: Gloo's own
    bool connecting = false;
  };
  bool is_ordered() const { return algorithm_.empty(); }
  bool is_halving() const { return algorithm_ == "gloo_halving_doubling"; }

  Connected of(uint64_t group) {  // nothing: not connected, or stopped
    const std::lock_guard lock(mutex_);
    return groups_[group];
  }
  Connected connected(uint64_t group, const std::vector<int>& ranks, int place, TimePoint deadline) {
    if (const Connected here = of(group); here.context) return here;
    const auto is_over = [&] {
      const std::lock_guard lock(mutex_);
      return stopped_.contains(group);
    };
    const auto keep = [&](const Connected& now) {
      const std::lock_guard lock(mutex_);
      return stopped_.contains(group) ? Connected{} : groups_[group] = now;
    };
    const auto begins = [&](const ContextPtr& context) { keep({context, nullptr, true}); };
    if (is_over()) return {};
    const ContextPtr context = gloo_context(*mesh_, "own/" + std::to_string(group) + "/", place,
                                            int(ranks.size()), deadline, {begins, is_over});
    return keep({context, is_ordered() ? std::make_shared<GlooOrdered>(context) : nullptr});
  }

  void run(const ContextPtr& context, const Collective& call) const {
    auto* in = static_cast<char*>(const_cast<void*>(call.input.data));
    auto* out = static_cast<char*>(call.output.data);
    const auto in_bytes = size_t(call.input.bytes()), out_bytes = size_t(call.output.bytes());
    switch (call.op) {
      case Op::kAllReduce:
        return with_element(call.output.dtype, [&]<typename T>(T) { all_reduce<T>(context, call); });
      case Op::kReduceScatter:
        return with_element(call.output.dtype, [&]<typename T>(T) { reduce_scatter<T>(context, call); });
      case Op::kAllGather: {
        ::gloo::AllgatherOptions options(context);
        options.setInput(in, in_bytes);
        options.setOutput(out, out_bytes);
        return ::gloo::allgather(options);
      }
      case Op::kBroadcast: {
        ::gloo::BroadcastOptions options(context);
        options.setOutput(out, out_bytes);
        options.setRoot(call.peer);
        return ::gloo::broadcast(options);
      }
      default: {
        ::gloo::AlltoallOptions options(context);
        options.setInput(in, in_bytes);
        options.setOutput(out, out_bytes);
        return ::gloo::alltoall(options);
      }
    }
  }

  template <typename T>
  void all_reduce(const ContextPtr& context, const Collective& call) const {
    auto* values = static_cast<T*>(call.output.data);
    const bool sum = call.reduce == ReduceOp::kSum;
    if (is_halving())
      return ::gloo::AllreduceHalvingDoubling<T>(context, {values}, int(call.output.count),
                                                 sum_or_max<T>(sum))
          .run();
    ::gloo::AllreduceOptions options(context);
    options.setOutput(values, size_t(call.output.count));
    using Options = ::gloo::AllreduceOptions;
    options.setAlgorithm(algorithm_ == "gloo_ring" ? Options::Algorithm::RING : Options::Algorithm::BCUBE);
    void (*const add)(void*, const void*, const void*, size_t) = &::gloo::sum<T>;
    void (*const larger)(void*, const void*, const void*, size_t) = &::gloo::max<T>;
    options.setReduceFunction(sum ? add : larger);
    ::gloo::allreduce(options);
  }

  template <typename T>
  void reduce_scatter(const ContextPtr& context, const Collective& call) const {
    const auto* from = static_cast<const T*>(call.input.data);
    std::vector<T> values(from, from + call.input.count);  // it adds in place
    const std::vector<int> parts(size_t(context->size), int(call.output.count));
    ::gloo::ReduceScatterHalvingDoubling<T>(context, {values.data()}, int(call.input.count), parts,
                                            sum_or_max<T>(true))
        .run();
    std::copy_n(values.begin(), call.output.count, static_cast<T*>(call.output.data));
  }

  template <typename T>
  static const ::gloo::ReductionFunction<T>* sum_or_max(bool sum) {
    return sum ? ::gloo::ReductionFunction<T>::sum : ::gloo::ReductionFunction<T>::max;
  }

  const std::shared_ptr<GlooMesh> mesh_;
  const std::string algorithm_;
  std::mutex mutex_;
  std::map<uint64_t, Connected> groups_;
  std::set<uint64_t> stopped_;
};

}  // namespace

std::vector<std::string> gloo_algorithms() { return {"gloo_ring", "gloo_bcube", "gloo_halving_doubling"}; }

std::shared_ptr<OwnCollectives> make_gloo_collectives(std::shared_ptr<GlooMesh> mesh,
                                                      const std::string& algorithm) {
  const std::vector<std::string> names = gloo_algorithms();
  if (!algorithm.empty() && std::ranges::find(names, algorithm) == names.end())
    throw UsageError("algorithm={}: over Gloo there are {}", as_typed(algorithm), fmt::join(names, ", "));
  return std::make_shared<GlooCollectives>(std::move(mesh), algorithm);
}

}  // namespace ringside::inline gloo
