// `ringside plan mesh`: the best mesh of dp, tp and pp for a model, a GPU and a batch, where its step goes,
// and why the others fail.
#include "plan_mesh.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <ostream>

#include "commands.h"
#include "plan_page.h"
#include "ringside/base/text.h"
#include "ringside/base/units.h"
#include "ringside/lesson/called.h"
#include "ringside/lesson/config.h"

namespace ringside {
namespace {

constexpr size_t kMostReasons = 8;

MeshModel typed_model(const Config& config) {
  const int64_t hidden = config.integer("hidden"), layers = config.integer("layers"),
                heads = config.integer("heads");
  if (hidden < 1 || layers < 1 || heads < 1)
    throw UsageError(
        "plan mesh: which model? --config assets/models/llama_3_1_8b.json, or --hidden, --layers and "
        "--heads");
  if (hidden % heads != 0)
    throw UsageError(fmt::format("hidden={}: must be a multiple of heads={}", hidden, heads));
  const std::string name = fmt::format("{} layers of {}", layers, format_count(hidden));
  MeshModel model = gpt_model(name, layers, hidden, heads, std::max<int64_t>(1, config.integer("vocabulary")),
                              config.integer("sequence"));
  if (config.text("mlp") == "swiglu") {
    model.gated = true, model.layer_norm = model.dropout = model.tied = false, model.positions = 0;
    model.qkv_bias = model.o_bias = model.mlp_bias = false;
  }
  if (config.integer("kv_heads") > 0) model.kv_heads = config.integer("kv_heads");
  if (config.integer("intermediate") > 0) model.intermediate = config.integer("intermediate");
  return model;
}

GpuFacts gpu_of(const Config& config) {
  GpuFacts gpu = gpu_named(config.text("gpu"));
  const auto replace = [&](const char* name, double& value, double unit) {
    if (config.real(name) > 0) value = config.real(name) * unit;
  };
  replace("memory", gpu.memory_bytes, 1e9), replace("flops", gpu.flops, 1e12);
  replace("inside", gpu.inside.bytes_per_s, 1e9), replace("between", gpu.between.bytes_per_s, 1e9);
  if (config.integer("node") > 0) gpu.node_ranks = int(config.integer("node"));
  const auto typed = [&](const char* name) { return !config.is_default(name); };
  if (typed("memory") || typed("flops") || typed("inside") || typed("between")) gpu.title += ", as typed";
  return gpu;
}

MeshSetup mesh_setup(const Config& config, const PlanOptions& plan) {
  MeshSetup setup;
  if (plan.config_file) {
    if (!config.is_default("hidden") || !config.is_default("layers"))
      throw UsageError("--config has the sizes of a model: leave out --hidden and --layers");
    const ModelConfig read = read_model_config(*plan.config_file);
    const std::string name = printable(std::filesystem::path(*plan.config_file).stem().string());
    setup.model = mesh_model(read, read.vision ? name + " (its text alone)" : name);
  } else {
    setup.model = typed_model(config);
  }
  setup.gpu = gpu_of(config);
  setup.ranks = config.integer("ranks");
  setup.batch = config.integer("batch"), setup.tokens = config.integer("sequence");
  setup.attention = *from_text<AttentionKernel>(config.text("attention"));
  setup.fused = config.text("kernels") == "fused";
  setup.gradient_bytes = config.text("gradients") == "fp32" ? 4 : 2;
  return setup;
}

MeshSearch search_of(const Config& config) {
  MeshSearch search;
  search.tp = config.integer("tp"), search.pp = config.integer("pp");
  search.chunks = config.integer("chunks"), search.micro = config.integer("micro");
  search.zero_bubble = config.text("schedule") == "zb_h1";
  if (config.text("stage") != "all") search.stages = {std::stoi(config.text("stage"))};
  if (config.text("recompute") != "all") search.recompute = {*from_text<Recompute>(config.text("recompute"))};
  return search;
}

// What no mesh of so many ranks can have.
void check_dimensions(const MeshSetup& setup, const MeshSearch& search) {
  const auto check = [&](const std::string& name, int64_t size) {
    if (size > 0 && setup.ranks % size != 0)
      throw UsageError(fmt::format("{} does not divide ranks={}", name, setup.ranks));
  };
  check(fmt::format("tp={}", search.tp), search.tp);
  check(fmt::format("pp={}", search.pp), search.pp);
  check(fmt::format("tp={} times pp={}", search.tp, search.pp), search.tp * search.pp);
}

std::string gigabytes(double bytes) { return three_figures(bytes / 1e9); }

void sentence(const MeshSetup& setup, const MeshRow& best, PlanPage& out) {
  const MeshShape& shape = best.shape;
  const std::string text = fmt::format(
      "Best: {}, ZeRO {}: {} s a step, MFU {:.0f} %, {} of {:.0f} GB. {} {} of {} {}{}; {} is recomputed{}.",
      title_of(shape), shape.stage, three_figures(best.time.total()), 100 * best.utilization,
      gigabytes(best.memory.total()), setup.gpu.memory_bytes / 1e9,
      format_count(shape.micro_batches(setup.batch)),
      shape.micro_batches(setup.batch) == 1 ? "micro-batch" : "micro-batches", shape.micro,
      shape.micro == 1 ? "sequence" : "sequences",
      shape.chunks > 1 ? fmt::format(", {} chunks a stage", shape.chunks) : "",
      shape.recompute == Recompute::kNothing ? "nothing"
      : shape.recompute == Recompute::kFull  ? "everything"
                                             : "attention",
      shape.sequence ? "; sequence parallel" : "");
  out.line(text, 2);
  out << '\n';
}

void best_table(const MeshSetup& setup, const MeshPlan& plan, PlanPage& out) {
  std::vector<std::vector<std::string>> rows;
  for (const MeshRow& row : plan.best) {
    if (rows.size() == kListedMeshes) break;
    const MeshShape& shape = row.shape;
    const double total = row.time.total();
    rows.push_back({std::to_string(shape.dp), std::to_string(shape.tp), std::to_string(shape.pp),
                    std::to_string(shape.chunks), std::to_string(shape.micro),
                    format_count(shape.micro_batches(setup.batch)), std::to_string(shape.stage),
                    shape.sequence ? "yes" : "",
                    shape.recompute == Recompute::kNothing ? "" : std::string(to_string(shape.recompute)),
                    three_figures(total), fmt::format("{:.1f}", 100 * row.utilization),
                    fmt::format("{:.0f}", 100 * row.time.bubble / total), gigabytes(row.memory.total())});
  }
  out << "The best setting of each mesh\n";
  out.table({" dp", " tp", " pp", " v", " b", " m", " ZeRO", "seq", "recompute", " s", " MFU %", " bubble %",
             " GB"},
            rows);
}

struct Share {
  std::string name, words;
  double value;
};

// A bar a line, with what it is of the whole.
void bars(const std::vector<Share>& shares, const char* unit, PlanPage& out) {
  constexpr size_t kBeside = 58, kLeast = 8, kMost = 20;
  const size_t bar_columns = std::clamp(std::max(out.width, kBeside) - kBeside, kLeast, kMost);
  double whole = 0;
  for (const Share& share : shares) whole += share.value;
  for (const Share& share : shares) {
    if (share.value <= 0) continue;
    const size_t width = size_t(std::lround(double(bar_columns) * share.value / whole));
    std::string bar;
    for (size_t i = 0; i < width; ++i) bar += "█";
    const std::string words = share.words.empty() ? "" : "  " + share.words;
    out << fmt::format("  {} {} {:>3.0f} % {:>6} {}{}\n", pad(share.name, 11), pad(bar, bar_columns),
                       100 * share.value / whole, three_figures(share.value), unit, words);
  }
}

void where_it_goes(const MeshRow& best, PlanPage& out) {
  const MeshTime& time = best.time;
  const MeshMemory& memory = best.memory;
  out << "\nWhere a step of the best one goes\n";
  bars({{"compute", "", time.compute},
        {"tp calls", "exposed; " + gigabytes(best.traffic.tensor) + " GB sent", time.tensor},
        {"pp bubble", "", time.bubble},
        {"pp messages", gigabytes(best.traffic.pipeline) + " GB sent", time.messages},
        {"dp calls", "exposed; " + gigabytes(best.traffic.data) + " GB sent", time.data},
        {"update", "", time.update}},
       "s", out);
  out << "Its memory\n";
  bars({{"parameters", "bf16", memory.parameters / 1e9},
        {"gradients", "", memory.gradients / 1e9},
        {"optimizer", "fp32 copy, AdamW's moments", memory.optimizer / 1e9},
        {"activations", "of all live micro-batches", memory.activations / 1e9},
        {"logits", "", memory.logits / 1e9},
        {"gathered", "ZeRO 3, two units", memory.gathered / 1e9},
        {"staged", "ZeRO 2, 3, one unit", memory.staged / 1e9},
        {"context", "CUDA, NCCL: an estimate", memory.context / 1e9}},
       "GB", out);
}

void why_not(const MeshSetup& setup, const MeshPlan& plan, PlanPage& out) {
  const auto one = [](int64_t count, const char* singular, const char* plural) {
    return format_count(count) + " " + (count == 1 ? singular : plural);
  };
  std::string counts = fmt::format("Of {} {} can be trained", one(plan.meshes, "mesh", "meshes"),
                                   format_count(std::ssize(plan.best)));
  if (plan.settings > 0)
    counts += fmt::format("; of {} {} into {:.0f} GB", one(plan.settings, "setting", "settings"),
                          one(plan.fitting, "fits", "fit"), setup.gpu.memory_bytes / 1e9);
  out << '\n';
  out.line(counts);
  size_t listed = 0;
  int64_t others = 0;
  for (const MeshRefusal& refusal : plan.refusals)
    if (listed++ < kMostReasons)
      out << "  " << pad_left(format_count(refusal.count), 5) << "  " << wrap(refusal.reason, out.width, 9)
          << "\n";
    else
      others += refusal.count;
  if (others > 0)
    out << "  " << pad_left(format_count(others), 5) << "  other reasons: --json has them all\n";
}

void mesh_text(const MeshSetup& setup, const MeshPlan& plan, PlanPage& out) {
  const std::string title = fmt::format(
      "{}, {:.3g} B parameters, on {} {} ({} a node); a step: {} {} of {} tokens", setup.model.name,
      setup.model.parameters() / 1e9, format_count(setup.ranks), setup.gpu.title, setup.gpu.node_ranks,
      format_count(setup.batch), setup.batch == 1 ? "sequence" : "sequences", format_count(setup.tokens));
  out.line(title);
  out << '\n';
  if (plan.best.empty()) {
    out << "  No mesh can be trained.\n";
  } else {
    sentence(setup, plan.best.front(), out);
    best_table(setup, plan, out);
    where_it_goes(plan.best.front(), out);
  }
  why_not(setup, plan, out);
  out << '\n';
  out.line(
      as_called("From sizes and facts alone; `ringside plan mesh --published` says how far such plans "
                "are from measured runs."));
}

}  // namespace

std::string three_figures(double value) {
  return fmt::format("{:.{}f}", value, value >= 100 ? 0 : value >= 10 ? 1 : 2);
}

std::string title_of(const MeshShape& shape) {
  return fmt::format("dp {} x tp {} x pp {}", shape.dp, shape.tp, shape.pp);
}

ExitCode plan_mesh(const Options& options, std::ostream& out) {
  if (options.plan.published) return plan_published(options, out);
  const Config config = Config::parse("plan mesh", mesh_parameters(), options.words);
  const MeshSetup setup = mesh_setup(config, options.plan);
  const MeshSearch search = search_of(config);
  check_dimensions(setup, search);
  const MeshPlan plan = plan_meshes(setup, search);
  PlanPage page{out, size_t(page_width(options))};
  options.json ? mesh_json(setup, plan, out) : mesh_text(setup, plan, page);
  return ExitCode::kOk;
}

}  // namespace ringside
