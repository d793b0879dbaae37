// A generator of C++20's parts. co_yield hands out a number; co_return leaves a Range in the promise, where
// whoever resumes the coroutine may look or not, as with StopIteration.value.
#pragma once

#include <coroutine>
#include <source_location>

#include "parts.h"
#include "ringside/base/clock.h"

namespace ringside::lessons::generators {

// Records the steps of one language, each a millisecond long: the playhead moves evenly over them.
struct Scribe {
  void step(const Step& row) {
    run.control.pass_step();
    record_row(pen, row);
    const int64_t start = clock->now_ns();
    clock->set(start + 1'000'000);
    pen.span("step", start, clock->now_ns() - 1, count++, row.who);
    run.progress({section, count, std::max<int64_t>(count, 50)});
  }
  void print(int n, std::source_location at = std::source_location::current()) {
    step({at.line(), "main", "print", std::to_string(n)});
  }

  const RunContext& run;
  const std::string section;
  std::shared_ptr<VirtualClock> clock = std::make_shared<VirtualClock>(1);
  Recorder& pen = *run.store.add_section(section, {}, 1, clock).at(0);
  int64_t count = 0;
};

struct Range {
  int at = 0, end = 0;
  std::optional<int> next() { return at < end ? std::optional(at++) : std::nullopt; }
};

struct Generator {
  struct promise_type {
    promise_type(Scribe& of_run, int id) : scribe(of_run), who("numbers(" + std::to_string(id) + ")") {}
    Generator get_return_object() { return {std::coroutine_handle<promise_type>::from_promise(*this)}; }
    std::suspend_always initial_suspend() noexcept { return {}; }
    std::suspend_always final_suspend() noexcept { return {}; }
    std::suspend_always yield_value(int n, std::source_location at = std::source_location::current()) {
      number = n;
      scribe.step({at.line(), who, "yield", std::to_string(n)});
      return {};
    }
    void return_value(Range range, std::source_location at = std::source_location::current()) {
      value = range;
      scribe.step({at.line(), who, "return", range.end > 0 ? "Range" : "None"});
    }
    void unhandled_exception() { throw; }

    Scribe& scribe;
    const std::string who;
    int number = 0;
    Range value;
  };

  std::coroutine_handle<promise_type> handle;
  ~Generator() { handle.destroy(); }
  std::optional<int> next() {  // none: it has returned
    handle.resume();
    return handle.done() ? std::nullopt : std::optional(handle.promise().number);
  }
  Range& value() { return handle.promise().value; }
};

}  // namespace ringside::lessons::generators
