#include "ringside/base/error.h"
#include "ringside/base/text.h"
#include "toml_words.h"

namespace ringside {

std::vector<TrainSetting> read_toml(const std::filesystem::path& file) {
  throw MissingError(typed_path(file) +
                     ": this build reads no TOML: install the package libtomlplusplus-dev and build again "
                     "(./run train does both), or give the settings as name=value");
}

}  // namespace ringside
