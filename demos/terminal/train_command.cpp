// `ringside train`: settings, a run that is watched until it ends, and what is left of it.
#include <fmt/format.h>

#include <filesystem>
#include <future>
#include <iostream>

#include "class_table.h"
#include "commands.h"
#include "interrupt.h"
#include "own_rank.h"
#include "progress_line.h"
#include "ringside/base/atomic_file.h"
#include "ringside/base/text.h"
#include "ringside/base/threads.h"
#include "ringside/base/units.h"
#include "ringside/lesson/called.h"
#include "ringside/lesson/lesson.h"
#include "ringside/nn/evaluation.h"
#include "ringside/train/classify.h"
#include "terminal.h"
#include "trace_format.h"
#include "train_settings.h"
#include "train_watch.h"
#include "train_words.h"
#include "trained.h"

namespace ringside {
namespace {

// One training as this process takes part in it.
class Training {
 public:
  Training(const Options& options, OwnRank& own)
      : options_(options),
        own_(own),
        config_(own.restarted() ? given().with({"resume=on"}) : given()),
        folder_(output_folder(config_.text("output"))),
        setup_(set_up(config_, folder_, !options.trace_file.empty())) {
    if (own.size() > 1) setup_.trainer.ranks = own.size();
  }

  ExitCode run(std::ostream& out) {
    std::optional<FolderLock> lock;
    if (own_.speaks()) lock.emplace(claim(folder_, config_.is_on("resume")));
    if (own_.speaks() && !options_.quiet) describe_data();
    const std::shared_ptr<JoinedRanks> process = own_.join();
    if (process && own_.speaks() && !options_.quiet) std::cerr << "ringside: " << process->sentence() << '\n';
    TrainWatch watch(setup_);
    const TrainResult result = train_watched(watch, process);
    if (!own_.speaks()) return result.complete ? ExitCode::kOk : ExitCode::kInterrupted;
    return finish(watch, result, out);
  }

 private:
  Config given() const {
    const Config config = config_of_words(options_.train.words);
    const auto ranks = std::to_string(own_.size());
    if (own_.size() > 1 && !config.is_default("ranks") && config.text("ranks") != ranks)
      throw UsageError(
          fmt::format("ranks={}: there are {} processes, and each is a rank", config.text("ranks"), ranks));
    return config;
  }

  void describe_data() const {
    std::cerr << setup_.data.description << '\n';
    for (const std::string& note : setup_.data.notes) std::cerr << "  " << note << '\n';
  }

  // Once nothing is refused any more: what a run left that this one cannot go on from stays as it is.
  void begin(TrainWatch& watch) {
    const std::string text = toml_of(as_run(config_, setup_.tokenizer, setup_.trainer), false);
    write_file_atomically(folder_.config(), [&](std::ostream& out) { out << text; });
    write_classes(folder_, {.classes = setup_.data.classes,
                            .data_sha256 = setup_.data.sha256,
                            .max_tokens = setup_.trainer.max_tokens});
    if (setup_.tokenizer != "bytes") copy_tokenizer(folder_, setup_.tokenizer);
    watch.write_to(log_.emplace(folder_, config_.is_on("resume"), begun()));
  }

  Json begun() const {
    const TrainerConfig& trainer = setup_.trainer;
    Json json = {{"steps", trainer.steps},
                 {"samples_per_step", trainer.batch * trainer.accumulate},
                 {"watch", to_string(trainer.watch.what)},
                 {"classes", Json::array()}};
    if (std::ssize(setup_.data.classes) > MetricsLog::kMostClasses) return json;
    for (const std::string& name : setup_.data.classes) json["classes"].push_back(as_typed(name));
    return json;
  }

  void tell_end(int64_t step, bool complete, bool stopped_early, const std::string& error) {
    if (log_)
      log_->ended(
          {{"step", step}, {"complete", complete}, {"stopped_early", stopped_early}, {"error", error}});
  }

  TrainResult train_watched(TrainWatch& watch, const std::shared_ptr<JoinedRanks>& process) {
    TrainerConfig& trainer = setup_.trainer;
    trainer.evaluation =
        confusion_evaluation(trainer.model.classes, [&](int64_t step, const Confusion& counts, double loss) {
          watch.evaluation(step + 1, counts, loss);
        });
    RunControl control;
    TrainerHooks hooks;
    hooks.process = process;
    hooks.control = &control;
    if (own_.speaks()) hooks.on_begin = [&](int64_t) { begin(watch); };
    hooks.on_metrics = [&](const StepMetrics& metrics) { watch.step(metrics); };
    if (setup_.start) hooks.start = [&](size_t i) { return setup_.start->values(i); };
    std::future<TrainResult> running = std::async(std::launch::async, [&] {
      set_thread_name("run");
      return train(trainer, setup_.data, *store_, "train", hooks);
    });
    look(running, watch, control);
    try {
      TrainResult result = running.get();
      if (result.complete) store_->set_complete();
      tell_end(result.steps, result.complete, result.interruption.stopped_after.has_value(), "");
      return result;
    } catch (std::exception& error) {
      tell_end(watch.steps(), false, false, as_typed(error.what(), kPathColumns));
      auto* const ours = dynamic_cast<Error*>(&error);  // null: LibTorch's, or of memory
      if (ours != nullptr && own_.speaks())
        save_trace_of_failed(store_->snapshot(), options_.trace_file, *ours);
      throw;
    }
  }

  // Returns once the run has ended.
  void look(const std::future<TrainResult>& running, TrainWatch& watch, RunControl& control) const {
    constexpr std::chrono::milliseconds kLook{50};
    constexpr std::chrono::seconds kSaid{10};
    const bool talks = own_.speaks() && !options_.quiet;
    InterruptScope interrupt;
    ProgressLine line(talks && can_redraw_stderr(), std::cerr);
    TimePoint said = SteadyClock::now();  // where nobody can draw
    const auto tell = [&] {
      for (const std::string& news : watch.take_news()) {
        line.clear();
        if (talks) std::cerr << news << '\n' << std::flush;
        said = SteadyClock::now();
      }
    };
    while (running.wait_for(kLook) != std::future_status::ready) {
      if (interrupt.interrupted() && own_.speaks()) control.cancel();
      tell();
      if (interrupt.take_report_request()) {
        line.clear();
        std::cerr << wait_report() << std::flush;
      }
      line.draw(watch.line(), stderr_width());
      if (!talks || can_redraw_stderr() || SteadyClock::now() - said < kSaid) continue;
      std::cerr << watch.line() << '\n' << std::flush;
      said = SteadyClock::now();
    }
    line.clear();
    tell();
  }

  ExitCode finish(const TrainWatch& watch, const TrainResult& result, std::ostream& out) {
    if (!result.ranks_agree) {
      save_trace(store_->snapshot(), options_.trace_file);
      std::cerr << "ringside: check failed: the ranks ended with different parameters\n";
      return ExitCode::kCheckFailed;
    }
    const int64_t kept = write_model(folder_, setup_.kept, config_.is_on("keep_best"));
    save_trace(store_->snapshot(), options_.trace_file);
    TrainWatch::Seen seen = watch.newest();
    // In bf16 the last evaluation is of rounded parameters, and the model has their fp32 copies.
    if (seen.steps != kept || setup_.trainer.precision != Precision::kFloat32) {
      const TrainedRun trained(folder_);
      const Classified again = classify(trained.classifier(), setup_.data, 1, setup_.trainer.evaluation_rows);
      seen = {kept, again.counts, again.loss};
    }
    if (options_.json)
      out << json_of(watch, result, seen).dump(2) << '\n';
    else
      out << page(watch, result, seen);
    out << std::flush;
    return result.complete ? ExitCode::kOk : ExitCode::kInterrupted;
  }

  Json json_of(const TrainWatch& watch, const TrainResult& result, const TrainWatch::Seen& seen) const {
    return {{"complete", result.complete},
            {"steps", result.steps},
            {"stopped_early", result.interruption.stopped_after.has_value()},
            {"resumed_at", result.interruption.resumed_at},
            {"kept_step", seen.steps},
            {"held_out", metrics_json(seen.counts, seen.loss, setup_.data.classes)},
            {"parameters_sha256", result.parameters_sha256},
            {"samples_per_second", watch.samples_per_second()},
            {"output", folder_.path.string()}};
  }

  std::string page(const TrainWatch& watch, const TrainResult& result, const TrainWatch::Seen& seen) const;

  const Options& options_;
  OwnRank& own_;
  const Config config_;
  const RunFolder folder_;
  TrainSetup setup_;
  const std::shared_ptr<TraceStore> store_ = TraceStore::create("train");
  std::optional<MetricsLog> log_;
};

std::string Training::page(const TrainWatch& watch, const TrainResult& result,
                           const TrainWatch::Seen& seen) const {
  const TrainerConfig& trainer = setup_.trainer;
  const std::string typed = folder_.typed();
  const int width = page_width(options_);
  std::string text = class_table(seen.counts, setup_.data.classes, width);
  if (const std::string matrix = confusion_table(seen.counts, setup_.data.classes, width); !matrix.empty())
    text += "\n" + matrix;
  text += "\n";
  const auto row = [&](const char* name, const std::string& words) {
    text += fmt::format("{:<10}{}\n", name, words);
  };
  std::string how =
      fmt::format("{} steps of {}, {} samples/s, {} ranks, stage {}", format_count(result.steps),
                  format_count(trainer.steps), format_count(int64_t(watch.samples_per_second())),
                  trainer.ranks, trainer.stage);
  if (result.interruption.stopped_after)
    how += fmt::format("; stopped: {} evaluations without a better {}", trainer.watch.patience,
                       to_string(trainer.watch.what));
  row("Trained", how);
  row("Held out",
      verdict_text(seen.counts, seen.loss) + fmt::format(", after step {}", format_count(seen.steps)));
  row("Guessing", fmt::format("{:.1f} % by the most common class", 100 * setup_.data.majority_accuracy()));
  row("Hash", result.parameters_sha256.substr(0, 16) + "… of the last step's parameters");
  row("Left", typed + "/: config.toml, classes.json, metrics.jsonl, events.out.tfevents…,");
  row("", "checkpoints/" + std::string(trainer.checkpoint.best.empty() ? "" : ", best/") +
              ", model/ (safetensors)");
  if (!options_.trace_file.empty())
    row("Trace", as_called("ringside gui --trace ") + typed_path(options_.trace_file));
  if (!result.complete)
    text += fmt::format(
        "INCOMPLETE: interrupted after step {}; all of it is saved. It goes on with\n"
        "          {}{}/config.toml resume=true\n",
        format_count(result.steps), as_called("ringside train "), typed);
  row("Next", as_called("ringside gui --training ") + typed);
  row("", as_called("ringside evaluate ") + typed + " [DATA]");
  row("", as_called("ringside predict ") + typed + " < texts");
  return text;
}

}  // namespace

ExitCode train_classifier(const Options& options, std::ostream& out) {
  if (!options.trace_file.empty()) check_trace_file(options.trace_file);
  OwnRank own(options);
  try {
    return Training(options, own).run(out);
  } catch (const std::exception& error) {
    own.tell(error);
    throw;
  }
}

}  // namespace ringside
