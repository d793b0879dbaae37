#include "ringside/planner/published_runs.h"

#include <cmath>
#include <map>

#include "ringside/base/error.h"
#include "ringside/base/json.h"
#include "ringside/base/median.h"
#include "ringside/base/read_file.h"
#include "ringside/base/source_tree.h"
#include "ringside/base/text.h"

namespace ringside::inline planner {
namespace {

constexpr size_t kMostPublishedBytes = size_t{1} << 20;
constexpr int64_t kMostSize = int64_t{1} << 31;

MeshModel read_model(const JsonObject& fields) {
  const auto size = [&](const char* key) { return fields.integer(key, 1, kMostSize); };
  const std::string name = fields.text("name");
  if (fields.flag("gpt", false))
    return gpt_model(name, size("layers"), size("hidden"), size("heads"), size("vocabulary"),
                     size("positions"));
  MeshModel model{{}, name};
  model.layers = size("layers"), model.hidden = size("hidden"), model.heads = size("heads");
  model.kv_heads = size("kv_heads"), model.intermediate = size("intermediate");
  model.vocabulary = size("vocabulary"), model.head_size = model.hidden / model.heads;
  model.tied = fields.flag("tied", false);
  return model;
}

// What all runs of a source share, and each may say otherwise.
struct RunFields {
  const JsonObject own, shared;
  const JsonObject& with(const char* key) const { return own.find(key) ? own : shared; }
  int64_t integer(const char* key, int64_t otherwise) const {
    return with(key).integer(key, 0, kMostSize, otherwise);
  }
  bool flag(const char* key) const { return with(key).flag(key, false); }
  double number(const char* key) const {
    const Json* value = with(key).find(key);
    return value ? json_number(*value, key, 0, 1e18) : 0;
  }
  template <NamedEnum E>
  E choice(const char* key) const {
    return static_cast<E>(with(key).choice(key, texts(E{}), 0));
  }
};

PublishedRun read_run(const RunFields& fields, const std::string& source,
                      const std::map<std::string, MeshModel>& models) {
  PublishedRun run;
  run.source = source;
  run.name = fields.own.text("name");
  const auto model = models.find(fields.with("model").text("model"));
  if (model == models.end()) throw JsonRejected("run {}: its model is not among the models", run.name);
  MeshSetup& setup = run.setup;
  setup.model = model->second;
  setup.gpu = gpu_named(fields.with("gpu").text("gpu"));
  if (const double bytes = fields.number("memory_gb")) setup.gpu.memory_bytes = 1e9 * bytes;
  if (const double rate = fields.number("memory_gb_per_s")) setup.gpu.memory_bytes_per_s = 1e9 * rate;
  setup.batch = fields.integer("batch", 0), setup.tokens = fields.integer("sequence", 0);
  setup.attention = fields.choice<AttentionKernel>("attention");
  setup.gradient_bytes = int(fields.integer("gradient_bytes", 4));
  setup.hides_tensor = fields.flag("hides_tensor"), setup.hides_data = fields.flag("hides_data");
  setup.fused = !fields.flag("eager");
  setup.keeps_gathered = fields.flag("keeps_gathered");
  MeshShape& shape = run.shape;
  shape.dp = fields.integer("dp", 1), shape.tp = fields.integer("tp", 1), shape.pp = fields.integer("pp", 1);
  shape.chunks = fields.integer("v", 0), shape.micro = fields.integer("b", 0);
  shape.stage = int(fields.integer("zero", 0));
  shape.sequence = fields.flag("sequence_parallel");
  shape.recompute = fields.choice<Recompute>("recompute");
  shape.fullest_layers = fields.integer("fullest_layers", 0);
  setup.ranks = shape.dp * shape.tp * shape.pp;
  run.seconds = fields.number("seconds"), run.bytes = fields.number("bytes");
  if (const double rate = fields.number("tflops")) {  // of each GPU
    const double batch = double(setup.batch), tokens = double(setup.tokens);
    double flops = step_flops(setup.model, batch, tokens);
    if (fields.flag("tflops_count_recompute"))
      flops += batch * tokens * double(setup.model.layers) *
               (product_flops(setup.model) + attention_flops(setup.model, tokens));
    run.seconds = flops / (double(setup.ranks) * rate * 1e12);
  }
  run.computed = fields.flag("computed");
  run.note = fields.own.text_or_empty("note");
  return run;
}

void read_source(const JsonObject& fields, const std::map<std::string, MeshModel>& models,
                 PublishedRuns& all) {
  const std::string id = fields.text("id");
  all.sources.push_back({id, fields.text("title"), fields.text("where"), fields.text("read")});
  for (const Json& run : fields.array("runs", 1, 200))
    all.runs.push_back(read_run({JsonObject(run, "run"), fields.object("shared")}, id, models));
}

bool divides(const PublishedRun& run, const MeshShape& shape) {
  const int64_t parts = shape.pp * shape.chunks, layers = run.setup.model.layers;
  const bool layers_fit = shape.fullest_layers > 0 || layers % parts == 0 || (layers + 2) % parts == 0;
  return layers_fit && run.setup.batch % (shape.dp * shape.micro) == 0;
}

PublishedError planned(const PublishedRun& run) {
  PublishedError best;
  best.run = &run;
  for (int64_t v = 1; v <= 8; ++v)
    for (int64_t b = 1; b <= 32; b *= 2) {
      MeshShape shape = run.shape;
      if (shape.chunks > 0 && v > 1) continue;  // said
      if (shape.micro > 0 && b > 1) continue;
      if (shape.chunks == 0) shape.chunks = v;
      if (shape.micro == 0) shape.micro = b;
      if ((shape.chunks > 1 && shape.pp == 1) || !divides(run, shape)) continue;
      const double bytes = mesh_memory(run.setup, shape).allocated();
      const double seconds = mesh_time(run.setup, shape).total();
      const bool chosen = run.shape.chunks == 0 || run.shape.micro == 0;
      if (chosen && bytes + kContextBytes > run.setup.gpu.memory_bytes) continue;
      if (best.seconds > 0 && seconds >= best.seconds) continue;
      best.shape = shape, best.seconds = seconds, best.bytes = bytes;
    }
  if (best.seconds > 0) best.seconds = replay_mesh(run.setup, best.shape).total();
  if (best.seconds > 0 && run.seconds > 0) best.time_error = best.seconds / run.seconds - 1;
  if (best.seconds > 0 && run.bytes > 0) best.memory_error = best.bytes / run.bytes - 1;
  return best;
}

double median_of(const std::vector<PublishedError>& errors, std::optional<double> PublishedError::*kind,
                 bool measured) {
  std::vector<double> all;
  for (const PublishedError& error : errors)
    if (error.*kind && !(measured && error.run->computed)) all.push_back(std::abs(*(error.*kind)));
  return all.empty() ? 0 : median(std::move(all));
}

}  // namespace

PublishedRuns read_published_runs() {
  const std::string path = (assets() / "published_runs.json").string();
  try {
    const Json parsed = parse_json(read_file(path, kMostPublishedBytes), {kMostPublishedBytes, 8, 20'000});
    const JsonObject top(parsed);
    std::map<std::string, MeshModel> models;
    for (const Json& model : top.array("models", 1, 100)) {
      const MeshModel read = read_model(JsonObject(model, "model"));
      models.emplace(read.name, read);
    }
    PublishedRuns all;
    for (const Json& source : top.array("sources", 1, 50))
      read_source(JsonObject(source, "source"), models, all);
    return all;
  } catch (const JsonRejected& rejected) {
    throw InputError("{}: {}", typed_path(path), rejected.why);
  }
}

std::vector<PublishedError> compare_published(const PublishedRuns& runs) {
  std::vector<PublishedError> errors;
  for (const PublishedRun& run : runs.runs) errors.push_back(planned(run));
  return errors;
}

double median_time_error(const std::vector<PublishedError>& errors) {
  return median_of(errors, &PublishedError::time_error, false);
}

double median_memory_error(const std::vector<PublishedError>& errors) {
  return median_of(errors, &PublishedError::memory_error, true);
}

}  // namespace ringside::inline planner
