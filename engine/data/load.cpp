#include "ringside/base/error.h"
#include "ringside/data/dataset.h"
#include "utf8.h"

namespace ringside {

Dataset load_dataset(const DataOptions& options) {
  const std::string& source = options.source;
  const std::string folder = "folder:";
  if (source == "synthetic") return make_synthetic(options);
  if (source == "self") {
    return read_repository(options.self_path.empty() ? RINGSIDE_SOURCE_DIR : options.self_path, options);
  }
  if (source == folder) throw UsageError("data=folder: names no folder; write data=folder:PATH");
  if (source.starts_with(folder)) return read_folder(source.substr(folder.size()), options);
  throw UsageError("data=" + printable(source) + ": allowed are synthetic, self and folder:PATH");
}

}  // namespace ringside
