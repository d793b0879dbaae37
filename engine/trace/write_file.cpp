#include "ringside/base/atomic_file.h"
#include "ringside/base/check.h"
#include "ringside/trace/files.h"

namespace ringside {

void write_trace_file(const Trace& trace, const std::filesystem::path& path, TraceFormat format) {
  write_file_atomically(path, [&](std::ostream& out) {
    switch (format) {
      case TraceFormat::kJsonl:
        return write_jsonl(trace, out);
      case TraceFormat::kJson:
        return export_json(trace, out);
      case TraceFormat::kChrome:
        return export_chrome(trace, out);
    }
    RINGSIDE_CHECK(false, "no such trace format");
  });
}

}  // namespace ringside
