// `ringside run`: a session, watched until it ends, then its result.
#include <algorithm>
#include <iostream>
#include <utility>

#include "build_info.h"
#include "commands.h"
#include "figures.h"
#include "first_minute.h"
#include "interrupt.h"
#include "own_rank.h"
#include "progress_line.h"
#include "ringside/base/text.h"
#include "ringside/base/threads.h"
#include "ringside/comm/errors.h"
#include "ringside/figures/page.h"
#include "ringside/lesson/called.h"
#include "ringside/lesson/tr.h"
#include "ringside/session/session.h"
#include "run_json.h"
#include "terminal.h"
#include "trace_format.h"

namespace ringside {
namespace {

bool has_failed(const Session& session) {
  try {
    session.result();
    return false;
  } catch (const std::exception&) {
    return true;
  }
}

// Before a run says how far it is: that it has begun.
Progress what_runs(const Session& session) {
  Progress progress = session.progress();
  if (progress.total <= 0)
    progress.phase = session.lesson().id + ": " +
                     (progress.phase.empty() ? session.lesson().words.starting : progress.phase);
  return progress;
}

// "stage 2   1,234 of 4,000", behind the question.
std::string how_far(const Session& session) {
  if (session.finished()) return tr("the run is through");
  const Progress progress = session.progress();
  return progress.total > 0 ? progress_text(progress, 0, {}) : "";
}

// Returns once the run has ended, and the question is answered or skipped.
void watch(Session& session, FirstMinute& first, const Options& options) {
  constexpr std::chrono::milliseconds kLook{50}, kNow{0};
  InterruptScope interrupt;
  ProgressLine line(can_redraw_stderr() && !options.quiet, std::cerr);
  ProgressReport report(!can_redraw_stderr() && !options.quiet, std::cerr);
  bool judged = false;
  while (!session.wait_for(first.asking() ? kNow : kLook) || first.asking()) {
    if (interrupt.interrupted()) session.control().cancel();
    const bool failed = session.finished() && !std::exchange(judged, true) && has_failed(session);
    if (interrupt.interrupted() || failed) first.give_up();
    if (session.finished()) first.run_is_through();
    if (interrupt.take_report_request()) {
      line.clear();
      std::cerr << wait_report() << std::flush;
    }
    if (first.asking())
      first.look(kLook, how_far(session));
    else
      line.draw(what_runs(session), stderr_width());
    report.look(what_runs(session), [&] { return newest_value(session.snapshot()); });
  }
}

std::string chosen_figures_text(const Session& session, const Trace& trace, const Options& options) {
  return figures_text(session.lesson(), session.config(), trace, options.figures, summary_width(options),
                      wants_color(options));
}

void show(const Session& session, const Trace& trace, const Options& options, std::set<std::string> answered,
          std::ostream& out) {
  if (options.json) {
    write_json(run_document(session.lesson(), session.config(), trace, build_info(), options.figures), out);
    return;
  }
  const bool figures_alone = !options.figures.ids.empty();
  if (!figures_alone)
    out << page_text(
        session.lesson(), session.config(), trace,
        {page_width(options), wants_color(options), options.all, !options.figures.all, std::move(answered)});
  if (options.figures.all) out << '\n' << std::flush;  // the page stands, whatever becomes of the figures
  if (options.figures.all || figures_alone) out << chosen_figures_text(session, trace, options);
  if (!trace.complete()) out << "INCOMPLETE: interrupted; the figures cover the steps until then\n";
  out << std::flush;
}

// The trace of a run that failed is saved too: it is what one wants to look at then.
Trace result_of(Session& session, const Options& options) {
  try {
    return session.result();
  } catch (Error& error) {
    if (save_trace_of_failed(session.snapshot(), options.trace_file, error) && !options.quiet)
      std::cerr << "ringside: " << typed_path(options.trace_file)
                << " has what was recorded until then: " << as_called("ringside gui --trace")
                << " opens it\n";
    throw;
  }
}

ExitCode exit_code(const Lesson& lesson, const Trace& trace) {
  if (!trace.complete()) return ExitCode::kInterrupted;
  const std::string failed = lesson.failed_check ? lesson.failed_check(trace) : "";
  if (failed.empty()) return ExitCode::kOk;
  std::cerr << "ringside: check failed: " << failed << '\n';
  return ExitCode::kCheckFailed;
}

ExitCode run_as(OwnRank& own, const Lesson& lesson, const Options& options, std::ostream& out) {
  const Config config = Config::parse(lesson.id, lesson.parameters, own.words(options.words));
  if (!options.trace_file.empty()) check_trace_file(options.trace_file);
  check_figures(lesson, options.figures);
  const std::string warning = torch_warning();
  if (!warning.empty() && !options.quiet) std::cerr << "ringside: " << warning << '\n';

  const std::shared_ptr<JoinedRanks> process = own.join();
  if (process && !options.quiet) std::cerr << "ringside: " << process->sentence() << '\n';
  FirstMinute first(lesson, config, options, out);
  Session session(lesson, config, process);
  watch(session, first, options);
  first.keep(has_failed(session) ? Trace() : session.result());
  const Trace trace = result_of(session, options);
  show(session, trace, options, first.answered(), out);  // it stands where a file cannot be written
  save_trace(trace, options.trace_file);
  save_figure(lesson, session.config(), trace, options.figures);
  out << first.closing(trace) << std::flush;
  return exit_code(lesson, trace);
}

// Of a rank that does not speak: it runs the lesson too, and nothing is asked or shown. It saves nothing,
// unless rank 0 is lost.
ExitCode follow(OwnRank& own, const Lesson& lesson, const Options& options) {
  constexpr std::chrono::seconds kLook{1};
  const Config config = Config::parse(lesson.id, lesson.parameters, own.words(options.words));
  const InterruptScope rank_0_decides;
  Session session(lesson, config, own.join());
  while (!session.wait_for(kLook)) continue;
  try {
    session.result();
  } catch (CollectiveError& error) {
    if (own.follows_rank_0() && std::ranges::count(error.ranks(), 0) > 0)
      save_trace_of_failed(session.snapshot(), options.trace_file, error);
    throw;
  }
  return session.result().complete() ? ExitCode::kOk : ExitCode::kInterrupted;
}

}  // namespace

ExitCode run_lesson(const Options& options, std::ostream& out) {
  const Lesson& lesson = find_lesson(options.lesson);
  OwnRank own(options, &lesson);
  try {
    return own.speaks() ? run_as(own, lesson, options, out) : follow(own, lesson, options);
  } catch (const std::exception& error) {
    own.tell(error);
    throw;
  }
}

}  // namespace ringside
