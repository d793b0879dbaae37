// The same trainings on the CPU and on a GPU, fp32 and bf16: ZeRO's stages 0 to 3 at N = 1 to 4, ranks as
// threads.
//   cpu_and_gpu [--json FILE] [--steps N] [--hidden H] [--overlap 0|1]
// Says of each where its bits part from the CPU's, whether trainings on the GPU agree among themselves, how
// every byte is explained, and which operations round otherwise. Exit code 4 where one of the two fails, 9
// without a GPU.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <cstdio>

#include "ringside/base/float_bits.h"
#include "ringside/base/median.h"
#include "ringside/base/prepare_process.h"
#include "ringside/ledger/ledger.h"
#include "ringside/nn/classifier.h"
#include "ringside/nn/norm.h"
#include "ringside/nn/product.h"
#include "ringside/tensor/where.h"
#include "ringside/trace/training_rows.h"
#include "ringside/train/bit_compare.h"
#include "ringside/train/booked.h"
#include "ringside/train/emulation.h"

using namespace ringside;

namespace {

struct Sizes {
  int64_t steps = 10, hidden = 128;
  bool overlap = true;  // of collectives and backward
  Precision precision = Precision::kFloat32;
};

TrainerConfig training(const Sizes& sizes, int ranks, int stage, Device device) {
  TrainerConfig config;
  config.model.hidden = sizes.hidden, config.model.intermediate = sizes.hidden * 33 / 8;
  config.model.layers = 4, config.model.classes = 4;
  config.max_tokens = 48;
  config.ranks = ranks, config.stage = stage, config.device = device;
  config.precision = sizes.precision, config.overlap = sizes.overlap;
  config.steps = sizes.steps;
  return config;
}

struct Run {
  TrainResult result;
  std::vector<LedgerRow> ledger;
  double median_ms() const { return median(result.step_ms); }
};
Run run(const TrainerConfig& config, const Dataset& data, const ParameterObserver& observe) {  // or null
  const auto store = TraceStore::create("cpu and gpu");
  TrainerHooks hooks;
  hooks.observe = observe;
  Run run{train(config, data, *store, "run", hooks), {}};
  run.ledger = ledger_of(store->snapshot(), "run", config, data, run.result.interruption, observe != nullptr);
  return run;
}

int64_t bytes_of(const std::vector<LedgerRow>& ledger, const std::string& category, const std::string& at) {
  for (const LedgerRow& row : ledger)
    if (row.what == "memory" && row.rank == 0 && row.category == category && row.at == at) return row.counted;
  return 0;
}
int64_t reason_of(const std::vector<LedgerRow>& ledger, std::string_view name) {
  for (const LedgerRow& row : ledger)
    for (const LedgerReason& reason : row.reasons)
      if (row.rank == 0 && row.category == "other" && row.at == kAfterStep && reason.name == name)
        return reason.bytes;
  return 0;
}

// How many elements of a result have other bits on the GPU, and by how much.
void compare(const std::string& name, const at::Tensor& cpu, const at::Tensor& gpu) {
  const at::Tensor a = cpu.contiguous(), b = on_host(gpu).contiguous();
  int64_t differ = 0, most = 0;
  for (int64_t i = 0; i < a.numel(); ++i)
    if (const int64_t ulps = ulps_between(a.data_ptr<float>()[i], b.data_ptr<float>()[i]); ulps != 0)
      ++differ, most = std::max(most, ulps);
  std::printf("%-36s %10ld %10ld %8ld\n", name.c_str(), long(a.numel()), long(differ), long(most));
}

// One operation at a time, on the same operands.
void compare_operations() {
  at::manual_seed(1);
  const auto drawn = [](at::IntArrayRef shape) { return at::randn(shape); };
  const at::Tensor x = drawn({4, 48, 128}), one = drawn({128}), up = drawn({528, 128}),
                   down = drawn({128, 528});
  const at::Tensor tokens = at::randint(0, 299, {4, 48}, at::kLong), q = drawn({4, 4, 48, 32});
  using Operands = std::vector<at::Tensor>;
  using Compute = std::function<at::Tensor(const Operands&)>;
  const std::vector<std::tuple<std::string, Operands, Compute>> all = {
      {"embedding", {drawn({299, 128}), tokens}, [](auto& o) { return at::embedding(o[0], o[1]); }},
      {"x + y x", {x, x.flip(0)}, [](auto& o) { return o[0] + o[1] * o[0]; }},
      {"1 / sqrt(x)", {x.abs()}, [](auto& o) { return 1 / at::sqrt(o[0]); }},
      {"rsqrt", {x.abs()}, [](auto& o) { return at::rsqrt(o[0]); }},
      {"exp", {x}, [](auto& o) { return at::exp(o[0]); }},
      {"silu", {x}, [](auto& o) { return at::silu(o[0]); }},
      {"sum of 128", {x}, [](auto& o) { return o[0].sum(-1); }},
      {"softmax of 48", {drawn({4, 4, 48, 48})}, [](auto& o) { return at::softmax(o[0], -1); }},
      {"RMS norm, LibTorch's operations", {x, one}, [](auto& o) { return rms_norm(o[0], o[1], 1e-6); }},
      {"RMS norm, ours", {x, one}, [](auto& o) { return fused_rms_norm(o[0], o[1], 1e-6); }},
      {"layer norm, ours", {x, one, one}, [](auto& o) { return layer_norm(o[0], o[1], o[2], 1e-6); }},
      {"192 x 128 x 528", {x, up}, [](auto& o) { return linear_product(o[0], o[1]); }},
      {"192 x 528 x 128", {drawn({4, 48, 528}), down}, [](auto& o) { return linear_product(o[0], o[1]); }},
      {"a weight's gradient, 528 x 192 x 128",
       {drawn({192, 528}), x.view({192, 128})},
       [](auto& o) { return at::matmul(o[0].t(), o[1]); }},
      {"16 x (48 x 32 x 48)", {q, q.flip(0)}, [](auto& o) {
         return matrix_product(o[0], o[1].transpose(2, 3));
       }}};
  std::printf("\n%-36s %10s %10s %8s\n", "operation, fp32", "elements", "differ", "ulp");
  for (const auto& [name, operands, compute] : all) {
    Operands there;
    for (const at::Tensor& operand : operands) there.push_back(operand.to(torch_device(Device::kCuda)));
    compare(name, compute(operands), compute(there));
  }
}

// The model at its first values, unit by unit: the first that differs is where trainings part.
void compare_forward(const Sizes& sizes, const Dataset& data) {
  const TrainerConfig config = training(sizes, 1, 0, Device::kCpu);
  const auto forward = [&](Device device) {
    Classifier model(config.model, config.max_tokens, {}, torch_device(device));
    ParameterSet& set = model.parameters();
    set.leaves = initial_values(set.shapes, config.seed);
    for (at::Tensor& leaf : set.leaves) leaf = leaf.to(set.device);
    Context context;
    context.wanted.hidden_states = true;
    return model.forward(on(set.device, make_batch(data.train, {0, 1, 2, 3})), context);
  };
  const ModelOutput cpu = forward(Device::kCpu), gpu = forward(Device::kCuda);
  std::printf("\n%-36s %10s %10s %8s\n", "first forward pass, after", "elements", "differ", "ulp");
  for (size_t i = 0; i < cpu.hidden_states.size(); ++i) {
    const bool last = i + 1 == cpu.hidden_states.size();
    compare(i == 0 ? "embedding"
            : last ? "final norm"
                   : fmt::format("layer {}", i - 1),
            cpu.hidden_states[i], gpu.hidden_states[i]);
  }
  compare("head: logits", cpu.logits, gpu.logits);
}

bool compare_trainings(const Sizes& sizes, const Dataset& data, std::FILE* json) {
  bool holds = true;
  std::printf("\n%-9s %10s %10s %8s %8s %6s %6s %9s %9s %9s  %s\n",
              std::string(to_string(sizes.precision)).c_str(), "loss CPU", "loss GPU", "CPU ms", "GPU ms",
              "hash", "one", "state", "rounding", "cached", "parts from the CPU at");
  for (int ranks = 1; ranks <= 4; ++ranks) {
    BitReference cpu_bits, gpu_bits;
    const TrainerConfig on_gpu = training(sizes, ranks, 0, Device::kCuda);
    // Bits are compared, and one process emulates, in fp32 alone. In bf16 the stages are held against the
    // first.
    const bool is_fp32 = sizes.precision == Precision::kFloat32;
    std::string first;
    if (is_fp32)
      first = emulate(on_gpu, data, SumOrder::kAccumulateThenReduce, gpu_bits.recorder()).parameters_sha256;
    const Run cpu =
        run(training(sizes, ranks, 0, Device::kCpu), data, is_fp32 ? cpu_bits.recorder() : nullptr);
    for (int stage = 0; stage <= 3; ++stage) {
      BitReference::Comparison parts(cpu_bits);
      const Run gpu =
          run(training(sizes, ranks, stage, Device::kCuda), data, is_fp32 ? parts.observer() : nullptr);
      const std::string& hash = gpu.result.parameters_sha256;
      const int64_t unexplained = unexplained_bytes(gpu.ledger),
                    state = bytes_of(gpu.ledger, "parameters", kAfterStep) +
                            bytes_of(gpu.ledger, "gradients", kAfterStep) +
                            bytes_of(gpu.ledger, "optimizer", kAfterStep);
      if (first.empty()) first = hash;
      const bool as_one = hash == first;
      holds = holds && as_one && gpu.result.ranks_agree && unexplained == 0;
      std::printf("N=%d  %-4d %10.8f %10.8f %8.1f %8.1f %6.6s %6s %9ld %9ld %9ld  %s%s\n", ranks, stage,
                  cpu.result.loss.back(), gpu.result.loss.back(), cpu.median_ms(), gpu.median_ms(),
                  hash.c_str(), as_one ? "equal" : "DIFFER", long(state),
                  long(reason_of(gpu.ledger, kAllocatorRounding)),
                  long(bytes_of(gpu.ledger, kCachedMemory, kPeak)),
                  parts.first_difference() ? to_string(*parts.first_difference()).c_str()
                  : is_fp32                ? "nowhere"
                                           : "not looked at",
                  unexplained == 0 ? "" : ", BYTES UNEXPLAINED");
      for (const LedgerRow& row : gpu.ledger)
        if (row.unexplained() != 0)
          std::printf("    %s rank %d %s %s%s: predicted %ld, counted %ld\n", row.what.c_str(), row.rank,
                      row.category.c_str(), row.at.c_str(), row.op.c_str(), long(row.predicted.value_or(-1)),
                      long(row.counted));
      std::fflush(stdout);
      if (json != nullptr)
        fmt::print(json,
                   "{{\"precision\":\"{}\",\"ranks\":{},\"stage\":{},\"loss_cpu\":{},\"loss_gpu\":{},"
                   "\"hash\":\"{}\",\"as_one\":{}"
                   ",\"state\":{},\"unexplained\":{},\"step_ms\":{:.3f}}}\n",
                   to_string(sizes.precision), ranks, stage, cpu.result.loss.back(), gpu.result.loss.back(),
                   hash, as_one, state, unexplained, gpu.median_ms());
    }
  }
  return holds;
}

}  // namespace

int main(int argc, char** argv) try {
  prepare_process();
  Sizes sizes;
  const char* file = nullptr;
  for (int i = 1; i + 1 < argc; i += 2) {
    const std::string word = argv[i];
    if (word == "--json") file = argv[i + 1];
    if (word == "--steps") sizes.steps = std::atoll(argv[i + 1]);
    if (word == "--overlap") sizes.overlap = std::atoll(argv[i + 1]) != 0;
    if (word == "--hidden") sizes.hidden = std::atoll(argv[i + 1]);
  }
  std::printf("%s\n", device_kernels().name().c_str());
  std::FILE* const json = file == nullptr ? nullptr : std::fopen(file, "w");
  const Dataset data = make_synthetic({.max_tokens = 48});
  bool holds = true;
  for (const Precision precision : {Precision::kBFloat16, Precision::kFloat32}) {
    sizes.precision = precision;
    holds = compare_trainings(sizes, data, json) && holds;
  }
  if (json != nullptr) std::fclose(json);
  compare_forward(sizes, data);
  compare_operations();
  std::printf(
      "\n%s\n",
      holds ? "On the GPU all stages have equal bits at each N, in fp32 those of one process; every byte is "
              "explained."
            : "NOT ALL HOLDS: see DIFFER and BYTES UNEXPLAINED above.");
  return holds ? 0 : 4;
} catch (const Error& error) {
  std::fprintf(stderr, "cpu_and_gpu: %s\n", error.what());
  return int(error.code());
} catch (const std::exception& error) {
  std::fprintf(stderr, "cpu_and_gpu: %s\n", error.what());
  return 1;
}
