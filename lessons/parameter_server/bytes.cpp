// What is sent between workers and servers: the same training through one filter after another; and whole
// pulls and whole pushes over more and more servers.
#include "parts.h"
#include "ringside/base/random.h"
#include "ringside/parameter_server/recording.h"

namespace ringside::parameter_server_lesson {
namespace {

using namespace ps;

// Runs to its end in a store of its own, as its only section.
Trace trace_of(const Cluster& config, uint64_t seed, const SimulatedCluster::MakeTask& task,
               double* loss = nullptr, const Samples* samples = nullptr) {
  const auto store = TraceStore::create("bytes");
  Recording recording({.store = store.get(), .messages = samples == nullptr});
  SimulatedCluster cluster(recording.observed(config), {}, seed, task);
  recording.attach(cluster);
  cluster.train(kNever - 1);
  recording.finish();
  if (samples != nullptr) *loss = logistic_loss(*samples, cluster.values().value());
  return store->snapshot();
}

bool is_of_the_scheduler(const std::string& kind) {
  return kind == "heartbeat" || kind == "lease" || kind == "table";
}

// ---- Filters --------------------------------------------------------------------------------------------

constexpr uint64_t kManyKeys = 20'000;
constexpr int64_t kBatch = 200;
constexpr uint32_t kPair = 2;  // workers, and servers

struct Way {
  std::string name;
  Filters filters = {};
  bool same = false;  // a worker takes the same samples again and again
};

std::vector<Way> ways() {
  return {{kNone},
          {kHalf, {.pushed = ValueForm::kFloat16, .pulled = ValueForm::kFloat16}},
          {kInt8, {.pushed = ValueForm::kInt8, .pulled = ValueForm::kInt8}},
          {kTop, {.top = 0.1}},
          {kPacked, {.zstd = true}},
          {kCaching, {.key_caching = true}},
          {kRepeated, {.key_caching = true}, true},
          {kAll, {.key_caching = true, .pushed = ValueForm::kInt8, .pulled = ValueForm::kInt8}, true}};
}

WorkerTask task_of(const std::shared_ptr<const Samples>& samples, uint32_t rank, bool same) {
  WorkerTask task = logistic_task(samples, rank, kPair, kBatch, kBatches);
  if (!same) return task;
  task.keys = [keys = task.keys](int64_t) { return keys(0); };
  task.gradient = [gradient = task.gradient](int64_t, const std::vector<float>& values) {
    return gradient(0, values);
  };
  return task;
}

int64_t packed(const std::vector<uint64_t>& keys) {
  Writer writer;
  for (const uint64_t key : keys) writer(key);
  return std::ssize(pack_bytes(writer.take()));
}

// The same bytes, but for the lists of keys, which a general compressor packs: keys that are counted from 0,
// as here, and keys that are hashed to 64 bits.
void try_packed_keys(ByteRow row, const std::shared_ptr<const Samples>& samples, const Pen& pen) {
  int64_t counted = 0, hashed = 0;
  for (uint32_t rank = 0; rank < kPair; ++rank)
    for (int64_t clock = 0; clock < kBatches; ++clock) {
      std::vector<uint64_t> keys = task_of(samples, rank, false).keys(clock);
      counted += 2 * packed(keys);  // a pull and a push
      for (uint64_t& key : keys) key = mix_seed(key, "key");
      std::ranges::sort(keys);
      hashed += 2 * packed(keys);
    }
  row.filter = kZipped, row.keys = counted;
  record_row(pen(), row);
  row.filter = kHashed, row.keys = hashed;
  record_row(pen(), row);
}

void try_way(const Way& way, const std::shared_ptr<const Samples>& samples, uint64_t seed, const Pen& pen) {
  const KeyGroup keys{.end = kManyKeys,
                      .optimizer = {.name = "adagrad"},
                      .learning_rate = 0.5,
                      .gradient_scale = 1.0F / kPair,
                      .filters = way.filters};
  ByteRow row{.filter = way.name};
  const Trace trace = trace_of(
      {.groups = {keys}, .ranges = kPair, .backups = 0, .servers = kPair, .workers = kPair}, seed,
      [&](NodeId, uint32_t rank) { return task_of(samples, rank, way.same); }, &row.loss, samples.get());
  if (way.same) row.loss = -1;  // it has seen other samples
  for (const SentByKind& sent : rows_in<SentByKind>(trace)) {
    if (is_of_the_scheduler(sent.kind)) continue;
    row.keys += sent.key_bytes;
    row.values += sent.value_bytes;
    row.rest += sent.bytes - sent.key_bytes - sent.value_bytes;
    if (sent.kind == "pulled" && way.name == kNone)
      row.pulled += 100 * double(sent.value_bytes) / (4 * kBatches * kPair * kManyKeys);
  }
  record_row(pen(), row);
  if (way.name == kNone) try_packed_keys(row, samples, pen);
}

// ---- Whole pulls and whole pushes -----------------------------------------------------------------------

constexpr uint64_t kDenseKeys = 1 << 17;
constexpr int64_t kSteps = 1;

struct Carried {               // in Ψ per step
  std::vector<double> node;    // by rank, in and out
  double sent = 0, local = 0;  // of it between worker i and server i, which may share a machine
};
Carried carried_in(const Trace& trace, uint32_t workers) {
  const SectionView& section = trace.sections().front();
  Carried all{std::vector<double>(size_t(section.ranks()))};
  for (int rank = 0; rank < section.ranks(); ++rank)
    for (const MessageEvent& message : section.messages(rank)) {
      if (message.state != MessageState::kSent || is_of_the_scheduler(trace.name(message.tag))) continue;
      const double psi = double(message.bytes) / (4 * kDenseKeys * kSteps);
      all.sent += psi;
      for (const int32_t node : {message.from, message.to}) all.node[size_t(node)] += psi;
      if (std::abs(message.from - message.to) == int32_t(workers)) all.local += psi;
    }
  return all;
}

void try_servers(uint32_t workers, uint32_t servers, uint32_t copies, uint64_t seed, const Pen& pen) {
  const Trace trace =
      trace_of({.groups = {{.end = kDenseKeys}},
                .ranges = 64,
                .backups = copies,
                .servers = servers,
                .workers = workers},
               seed, [](NodeId, uint32_t) {
                 WorkerTask task{.clocks = kSteps};
                 task.gradient = [](int64_t, const std::vector<float>& values) { return values; };
                 return task;
               });
  const Carried all = carried_in(trace, workers);
  const auto first = all.node.begin() + workers, end = first + servers;
  const double mean = std::accumulate(first, end, 0.0) / servers;
  if (copies > 0) return record_point(pen(), kCopied, servers, mean);
  if (servers == workers) record_point(pen(), kBoth, servers, 2 * (all.sent - all.local) / workers);
  const std::pair<const char*, double> nodes[] = {
      {kMeanServer, mean},  {kBusiest, *std::max_element(first, end)},  {kEachWorker, all.node[0]},
      {kAllSent, all.sent}, {kRingRank, 4 * (workers - 1.0) / workers}, {kRingSent, 2 * (workers - 1.0)}};
  for (const auto& [node, psi] : nodes) record_point(pen(), node, servers, psi);
}

}  // namespace

void add_bytes(const Config& config, const RunContext& context, Jobs& jobs) {
  const auto seed = uint64_t(config.integer("seed"));
  const auto samples = std::make_shared<const Samples>(
      power_law_samples({.samples = 2000, .keys = kManyKeys, .fields = 20, .exponent = 0.7, .seed = seed}));
  const Pen pen = pen_for(context.store, kBytes);
  for (const Way& way : ways()) jobs.push_back({way.name, [=] { try_way(way, samples, seed, pen); }});
}

void add_traffic(const Config& config, const RunContext& context, Jobs& jobs) {
  const auto workers = uint32_t(config.integer("workers"));
  const auto seed = uint64_t(config.integer("seed"));
  const Pen pen = pen_for(context.store, kTraffic);
  for (const uint32_t copies : {0, 2})
    for (const uint32_t servers : {1, 2, 4, 8, 16})
      if (servers > copies)
        jobs.push_back({kTraffic, [=] { try_servers(workers, servers, copies, seed, pen); }});
}

}  // namespace ringside::parameter_server_lesson
