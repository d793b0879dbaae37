#include "room_runs.h"

#ifdef __GLIBC__
#include <malloc.h>
#endif

#include "ringside/base/error.h"
#include "ringside/base/source_tree.h"
#include "ringside/processes/join.h"
#include "ringside/trace/files.h"

namespace ringside::gui {
namespace {

template <typename T>
bool is_ready(const std::future<T>& future) {
  return future.valid() && future.wait_for(std::chrono::seconds(0)) == std::future_status::ready;
}

// Null where the run's ranks are threads.
Session::Join join_of(const Lesson& lesson, const Config& config) {
  const int ranks = lesson.as_processes ? int(config.integer("ranks")) : 1;
  if (ranks < 2) return nullptr;
  std::vector<std::string> command{(program_folder() / "ringside").string(), "run"};
  for (const std::string& word : split_scenario(config.scenario(true))) command.push_back(word);
  return [ranks, command] { return start_others(ranks, command); };
}

// "" where there is no trace, or one that names no scenario.
std::string lesson_of_trace(const Trace& trace) {
  const std::vector<std::string> words = split_scenario(trace.scenario());
  return words.empty() ? "" : words.front();
}

}  // namespace

RunKeeper::~RunKeeper() { cancel(); }

void RunKeeper::start(const Lesson& lesson, Config config) {
  if (session_) session_->control().cancel();
  unwanted_ = unwanted_ || lesson_of_trace(trace_) != lesson.id;
  waiting_ = Waiting{&lesson, std::move(config)};  // begins with the next update()
}

void RunKeeper::open(std::filesystem::path path) {
  if (reading_.valid()) return;
  cancel();
  waiting_.reset();
  reading_ = std::async(std::launch::async, [path = std::move(path)] { return read_jsonl(path); });
}

// What is recorded belongs to the run before the one that was waiting: nobody asks for it any more.
void RunKeeper::cancel() {
  unwanted_ = unwanted_ || waiting_;
  waiting_.reset();
  if (session_) session_->control().cancel();
}

void RunKeeper::begin(Waiting next) {
  session_.reset();  // has ended: joins at once
  give_memory_back();
  error_.clear();
  ended_ = is_file_ = false;
  Session::Join join = processes_ ? join_of(*next.lesson, next.config) : nullptr;
  session_ = join ? std::make_unique<Session>(*next.lesson, std::move(next.config), std::move(join))
                  : std::make_unique<Session>(*next.lesson, std::move(next.config));
}

// What the ranks' threads freed stays in glibc's arenas, one for each thread, for a next run that may never
// fill it: 400 of 700 MiB after five minutes of short runs. Takes up to 50 ms, so not on this thread.
void RunKeeper::give_memory_back() {
#ifdef __GLIBC__
  if (!giving_back_.valid() || is_ready(giving_back_))
    giving_back_ = std::async(std::launch::async, [] { malloc_trim(0); });
#endif
}

// The trace goes now; its run, which nobody waits for, once it has come to its step boundary.
bool RunKeeper::drop_unwanted() {
  const bool other = !trace_.sections().empty();
  trace_ = {};
  error_.clear();
  ended_ = is_file_ = false;
  if (session_ && session_->finished()) session_.reset(), give_memory_back();
  unwanted_ = session_ != nullptr;
  return other;
}

bool RunKeeper::update() {
  bool other = unwanted_ && drop_unwanted();
  if (is_ready(reading_)) {
    try {
      trace_ = reading_.get();
      session_.reset();
      unwanted_ = false;
      error_.clear();
      ended_ = is_file_ = other = true;
      give_memory_back();
    } catch (const std::exception& error) {
      error_ = error.what();
    }
  }
  if (waiting_ && !under_way()) {
    Waiting next = std::move(*waiting_);
    waiting_.reset();
    begin(std::move(next));
    other = true;
  }
  if (!session_ || unwanted_) return other;
  if (!session_->finished()) {
    trace_ = session_->snapshot();
  } else if (!ended_) {
    ended_ = true;
    trace_ = session_->snapshot();
    try {
      trace_ = session_->result();
    } catch (const std::exception& error) {
      error_ = error.what();
    }
    give_memory_back();
  }
  return other;
}

Measurements::~Measurements() = default;  // a std::async future waits for its job: some milliseconds

void Measurements::update(const Lesson& lesson, const Trace& trace, bool ended, uint64_t run) {
  if (is_ready(job_)) values_ = job_.get();
  if (run != run_) {
    if (job_.valid()) return;  // of the run before; its values must not land in this one
    values_ = {};
    sections_ = 0;
    ended_ = false;
    run_ = run;
  }
  const bool news = trace.sections().size() > sections_ || (ended && !ended_);
  // Until a lesson's first run begins, the trace may be another lesson's, whose figures can have the same
  // names.
  if (!news || job_.valid() || lesson_of_trace(trace) != lesson.id) return;
  sections_ = trace.sections().size();
  ended_ = ended;
  auto words = split_scenario(trace.scenario());
  words.erase(words.begin());
  try {
    const Config config = Config::parse(lesson.id, lesson.parameters, words);
    job_ = std::async(std::launch::async, measure, std::cref(lesson), config, trace, ended);
  } catch (const Error&) {
    // A saved trace of a lesson that has changed since: there is nothing to hold it against.
  }
}

Measurements::Values Measurements::measure(const Lesson& lesson, const Config& config, const Trace& trace,
                                           bool ended) {
  Values values;
  for (const PredictionSpec& spec : lesson.predictions) {
    const std::string& section = spec.section;
    // The section that is still running has no figure yet.
    const bool runs_still =
        !ended && !trace.sections().empty() && (section.empty() || section == trace.sections().back().name());
    if (runs_still || (!section.empty() && trace.find(section) == nullptr)) continue;
    try {
      if (spec.measured)
        if (const auto value = spec.measured(trace)) values.predictions[spec.id] = *value;
      if (spec.words && spec.words->measured)
        if (const auto words = spec.words->measured(trace)) values.words[spec.id] = *words;
      if (!spec.blocks) continue;
      const auto blocks = spec.blocks(config);
      for (size_t i = 0; i < blocks.size(); ++i) {
        if (!blocks[i].measured) continue;
        if (const auto value = blocks[i].measured(trace)) values.blocks[{spec.id, i}] = *value;
      }
    } catch (const std::exception&) {
      // A trace that was cut short may lack what the measurement looks for: no figure.
    }
  }
  return values;
}

std::optional<double> Measurements::of(const std::string& prediction) const {
  const auto found = values_.predictions.find(prediction);
  return found == values_.predictions.end() ? std::nullopt : std::optional(found->second);
}

std::optional<Words> Measurements::words_of(const std::string& prediction) const {
  const auto found = values_.words.find(prediction);
  return found == values_.words.end() ? std::nullopt : std::optional(found->second);
}

std::optional<double> Measurements::of_block(const std::string& prediction, size_t block) const {
  const auto found = values_.blocks.find({prediction, block});
  return found == values_.blocks.end() ? std::nullopt : std::optional(found->second);
}

}  // namespace ringside::gui
