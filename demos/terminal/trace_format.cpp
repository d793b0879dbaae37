#include "trace_format.h"

#include <unistd.h>

#include "ringside/base/text.h"

namespace ringside {

TraceFormat trace_format(const std::string& file) {
  if (file.ends_with(".chrome.json")) return TraceFormat::kChrome;
  if (file.ends_with(".jsonl")) return TraceFormat::kJsonl;
  if (file.ends_with(".json")) return TraceFormat::kJson;
  throw UsageError("--trace " + typed_path(file) + ": the name must end in .jsonl, .json or .chrome.json");
}

void check_trace_file(const std::string& file) {
  trace_format(file);
  check_writable(file);
}

void save_trace(const Trace& trace, const std::string& file) {
  if (!file.empty()) write_trace_file(trace, file, trace_format(file));
}

bool save_trace_of_failed(const Trace& trace, const std::string& file, Error& error) {
  if (file.empty()) return false;
  try {
    save_trace(trace, file);
    return true;
  } catch (const Error& unsaved) {
    error.add_report((error.report().empty() ? "" : error.report() + "\n") + "--trace " + unsaved.what());
    return false;
  }
}

void check_writable(const std::filesystem::path& file) {
  const std::filesystem::path folder = file.has_parent_path() ? file.parent_path() : ".";
  std::error_code ignored;
  if (!std::filesystem::is_directory(folder, ignored))
    throw InputError(typed_path(file) + ": there is no folder '" + typed_path(folder) + "'");
  if (std::filesystem::is_directory(file, ignored)) throw InputError(typed_path(file) + ": it is a folder");
  if (access(folder.c_str(), W_OK) != 0)
    throw InputError(typed_path(file) + ": the folder '" + typed_path(folder) + "' cannot be written to");
}

}  // namespace ringside
