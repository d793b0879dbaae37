#include "ringside/session/session.h"

#include "ringside/base/check.h"
#include "ringside/base/threads.h"
#include "ringside/lesson/word_question.h"
#include "ringside/session/judge.h"

namespace ringside::inline kit {

Session::Session(const Lesson& lesson, Config config, std::shared_ptr<ProcessWiring> process)
    : Session(lesson, std::move(config), [process = std::move(process)] { return process; }) {}

Session::Session(const Lesson& lesson, Config config, Join join)
    : lesson_(lesson),
      config_(std::move(config)),
      join_(std::move(join)),
      store_(TraceStore::create(config_.scenario(true))) {
  thread_ = std::thread([this] { run(); });
}

Session::~Session() {
  control_.cancel();
  thread_.join();
}

void Session::run() {
  set_thread_name("run");
  const auto report = [this](const Progress& progress) {
    const std::lock_guard lock(mutex_);
    progress_ = progress;
  };
  std::exception_ptr error;
  try {
    check_predictions(lesson_, config_);
    lesson_.run(config_, RunContext{*store_, control_, report, join_()});
    store_->set_complete();
  } catch (const CancelledError&) {
    // The trace stays incomplete, which says it all.
  } catch (...) {
    error = std::current_exception();
  }
  // A run that stopped early is judged as well, as incomplete; its own error counts for more.
  const std::exception_ptr judging = judge_run();
  if (!error) error = judging;
  const std::lock_guard lock(mutex_);
  error_ = error;
  finished_ = true;
  done_.notify_all();
}

std::exception_ptr Session::judge_run() {
  try {
    store_->set_rows(judge(lesson_, config_, store_->snapshot()));
    return nullptr;
  } catch (...) {
    return std::current_exception();
  }
}

Progress Session::progress() const {
  const std::lock_guard lock(mutex_);
  return progress_;
}

bool Session::wait_for(std::chrono::milliseconds time) {
  std::unique_lock lock(mutex_);
  return done_.wait_for(lock, time, [this] { return finished_.load(); });
}

Trace Session::result() const {
  RINGSIDE_CHECK(finished(), "result() of lesson '" << lesson_.id << "' while it runs; wait_for() first");
  const std::lock_guard lock(mutex_);
  if (error_) std::rethrow_exception(error_);
  return store_->snapshot();
}

}  // namespace ringside::inline kit
