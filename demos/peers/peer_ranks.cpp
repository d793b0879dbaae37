// Our side of peers.py: a training as `ringside run zero` has it, a step whenever rank 0 is told to take one.
//   peer_ranks stage=1 hidden=128 layers=4 steps=20 seed=0 --processes 4
//   peer_ranks hidden=128 layers=4 steps=20 seed=0 export=FOLDER    what the training begins with, and its
//   batches
// Rank 0 reads a line for each step, and answers with the milliseconds that it took, and those of CPU time;
// behind the last it writes what came of it: losses, memory, and the bytes that it sent.
#include <time.h>

#include <fstream>
#include <iostream>
#include <map>
#include <string>

#include "ringside/base/error.h"
#include "ringside/base/json.h"
#include "ringside/base/prepare_process.h"
#include "ringside/base/text.h"
#include "ringside/data/sampler.h"
#include "ringside/nn/parameters.h"
#include "ringside/processes/join.h"
#include "ringside/train/in_turns.h"

using namespace ringside;

namespace {

constexpr int64_t kEmbeddingAndHeadRows = 303;  // as in lesson zero
constexpr char kSection[] = "peers";

using Words = std::map<std::string, std::string>;

Words read_words(int argc, char** argv) {
  Words words{{"stage", "0"},   {"hidden", "128"}, {"layers", "4"},  {"batch", "16"},
              {"tokens", "48"}, {"steps", "20"},   {"seed", "0"},    {"check", "1"},
              {"fused", "0"},   {"packed", "0"},   {"data", "self"}, {"export", ""}};
  for (int i = 1; i < argc; ++i) {
    const std::string word = argv[i];
    const size_t at = word.find('=');
    if (at == word.npos || !words.contains(word.substr(0, at)))
      throw UsageError("'" + as_typed(word) + "': see the head of peer_ranks.cpp");
    words[word.substr(0, at)] = word.substr(at + 1);
  }
  return words;
}

int64_t number(const Words& words, const std::string& name) {
  const auto value = read_number<int64_t>(words.at(name));
  if (!value || *value < 0) throw UsageError(name + "=" + as_typed(words.at(name)) + ": a number is wanted");
  return *value;
}

Dataset data_of(const Words& words) {
  return load_dataset({.source = words.at("data"),
                       .max_tokens = number(words, "tokens"),
                       .seed = uint64_t(number(words, "seed"))});
}

TrainerConfig training_of(const Words& words, const Dataset& data, int ranks) {
  TrainerConfig trainer;
  trainer.model.classes = std::ssize(data.classes);
  trainer.model.vocabulary = kEmbeddingAndHeadRows - trainer.model.classes;
  trainer.model.hidden = number(words, "hidden");
  trainer.model.intermediate = trainer.model.hidden * 33 / 8;
  trainer.model.layers = number(words, "layers");
  trainer.model.fused = number(words, "fused") != 0;
  trainer.model.packed = number(words, "packed") != 0;
  trainer.max_tokens = number(words, "tokens");
  trainer.ranks = ranks;
  trainer.stage = int(number(words, "stage"));
  trainer.precision = Precision::kFloat32;
  trainer.batch = number(words, "batch");
  trainer.steps = number(words, "steps");
  trainer.schedule.warmup = std::min<int64_t>(4, trainer.steps / 4);
  trainer.evaluate_every = -1;
  trainer.seed = uint64_t(number(words, "seed"));
  trainer.check = number(words, "check") != 0;
  return trainer;
}

// case.json and weights.f32: shapes, weights one after the other, samples, and which of them each step has.
void write_case(const std::string& folder, const TrainerConfig& config, const Dataset& data) {
  Json parameters = Json::array(), steps = Json::array(), rates = Json::array(), samples = Json::array();
  std::ofstream weights(folder + "/weights.f32", std::ios::binary);
  for (const ParameterShape& shape : classifier_shapes(config.model)) {
    const at::Tensor values = at::empty(shape.shape, at::kFloat);
    initialize(values, shape, config.seed);
    weights.write(static_cast<const char*>(values.data_ptr()), static_cast<std::streamsize>(values.nbytes()));
    parameters.push_back({{"name", shape.name}, {"shape", shape.shape}});
  }
  Sampler sampler(std::ssize(data.train), config.batch, 1, config.seed);
  for (int64_t step = 0; step < config.steps; ++step) {
    steps.push_back(sampler.indices(step, 0, 0, 1));
    rates.push_back(config.learning_rate_at(step));
  }
  for (const Sample& sample : data.train)
    samples.push_back({{"tokens", sample.tokens}, {"label", sample.label}});
  std::ofstream(folder + "/case.json") << Json{{"parameters", parameters},
                                               {"steps", steps},
                                               {"rates", rates},
                                               {"samples", samples},
                                               {"heads", config.model.heads},
                                               {"kv_heads", config.model.kv_heads},
                                               {"layers", config.model.layers},
                                               {"eps", config.model.norm_eps},
                                               {"theta", config.model.rope_theta},
                                               {"clip", config.clip_norm}};
  if (!weights) throw InputError(as_typed(folder) + ": cannot be written");
}

// kB, of /proc/self/status.
int64_t status(const std::string& name) {
  std::ifstream file("/proc/self/status");
  for (std::string line; std::getline(file, line);)
    if (line.starts_with(name + ":")) return std::atoll(line.c_str() + name.size() + 1);
  throw MissingError("/proc/self/status has no " + name);
}

// By rank 0's calls so far, counted where they went to its sockets: Unix sockets have no counter. Another
// rank's process does not have them.
int64_t bytes_sent(const TraceStore& store) {
  const Trace trace = store.snapshot();
  int64_t sent = 0;
  for (const CollectiveEvent& event : trace.find(kSection)->collectives(0)) sent += event.bytes_sent;
  return sent;
}

// Of all threads of this process.
double cpu_ms() {
  timespec now{};
  clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
  return 1e3 * double(now.tv_sec) + 1e-6 * double(now.tv_nsec);
}

void train_when_told(const TrainerConfig& config, const Dataset& data,
                     const std::shared_ptr<JoinedRanks>& process) {
  const bool speaks = process == nullptr || process->rank() == 0;
  const auto store = TraceStore::create(kSection);
  const int64_t before = status("VmRSS");
  std::ofstream("/proc/self/clear_refs") << 5;  // the peak begins anew
  SteppedTraining training(config, data, *store, kSection, {}, process);
  int64_t warm = 0, sent = 0, peak = 0;
  for (int64_t step = 0; step < config.steps; ++step) {
    std::string line;
    const bool told = !speaks || std::getline(std::cin, line);
    if (!told && step > 0) return;  // the first step is taken, so that a configuration's mistake is said
    if (step + 1 == config.steps) sent = bytes_sent(*store) - warm, peak = status("VmHWM") - before;
    const double before_it = cpu_ms(), ms = training.step();
    if (!told) return;
    if (step == 0) warm = bytes_sent(*store);
    if (speaks) std::cout << Json{ms, cpu_ms() - before_it} << std::endl;
  }
  if (speaks)
    std::cout << Json{{"loss", training.result().loss},
                      {"memory", peak * 1024},
                      {"sent", double(sent) / double(std::max<int64_t>(1, config.steps - 2))}}
              << std::endl;
}

}  // namespace

int main(int argc, char** argv) try {
  const auto process = join_by_words(argc, argv);
  prepare_process();
  const Words words = read_words(argc, argv);
  const Dataset data = data_of(words);
  const TrainerConfig config = training_of(words, data, process ? process->size() : 1);
  if (words.at("export").empty())
    train_when_told(config, data, process);
  else
    write_case(words.at("export"), config, data);
} catch (const Error& error) {
  std::cerr << "peer_ranks: " << error.what() << '\n';
  return int(error.code());
}
