// One line to at most one event.
#pragma once

#include <optional>
#include <span>
#include <string_view>

#include "line.h"
#include "ringside/autopsy/event.h"

namespace ringside::inline logs {

// One of these, or of words_of_work(), is in every line that line_event() makes an event of, or that begins a
// traceback.
std::span<const std::string_view> words_of_failure();
std::span<const std::string_view> words_of_work();  // a progress bar, a checkpoint

bool is_launch(std::string_view line);  // a launcher's command line

LogEvent event(LogEventKind kind, std::string_view what = "", int rank = -1);
LogEvent exit_event(std::string_view what, int64_t exit_code, int rank = -1);
std::optional<LogEvent> process_event(const Line& line);   // of the GPU, a signal, an exit code
std::optional<LogEvent> mpi_event(std::string_view text);  // MPI, UCX, UCC

// kind, rank and fields; not where it stands. None: the line says nothing of a failure.
std::optional<LogEvent> line_event(const Line& line);

// What a rank is busy with; a progress bar ends no line, so that another one may stand behind it.
std::optional<LogEvent> work_event(const Line& line);

// What an exception is: its kind, and `what`. None: a launcher's, or that of an interrupt.
std::optional<LogEvent> exception_event(std::string_view type_and_message);

}  // namespace ringside::inline logs
