#include "trace_format.h"

#include "ringside/base/error.h"
#include "ringside/base/text.h"

namespace ringside {

TraceFormat trace_format(const std::string& file) {
  if (file.ends_with(".chrome.json")) return TraceFormat::kChrome;
  if (file.ends_with(".jsonl")) return TraceFormat::kJsonl;
  if (file.ends_with(".json")) return TraceFormat::kJson;
  throw UsageError("--trace " + typed_path(file) + ": the name must end in .jsonl, .json or .chrome.json");
}

}  // namespace ringside
