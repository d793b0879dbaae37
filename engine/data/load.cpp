#include "ringside/base/error.h"
#include "ringside/data/dataset.h"
#include "utf8.h"

namespace ringside {

Dataset load_dataset(const DataOptions& options) {
  const std::string& source = options.source;
  const std::string folder = "folder:";
  if (source == "synthetic") return make_synthetic(options);
  const std::string project = options.project.empty() ? RINGSIDE_SOURCE_DIR : options.project;
  if (source == "self") return read_corpus(project + "/assets/corpus/self.gz", options);
  if (source == "tree") return read_repository(project, options);
  if (source == folder) throw UsageError("data=folder: names no folder; write data=folder:PATH");
  if (source.starts_with(folder)) return read_folder(source.substr(folder.size()), options);
  throw UsageError("data=" + printable(source) + ": allowed are self, tree, folder:PATH and synthetic");
}

}  // namespace ringside
