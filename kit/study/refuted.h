// What a run showed to be wrong, for `ringside say`: claims that failed, then the named errors of the
// questions. Kept in DATA/refuted, a file per lesson, a sentence per line; the last run counts.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "ringside/lesson/lesson.h"

namespace ringside::inline kit {

std::vector<std::string> refuted_by(const Lesson& lesson, const Config& config, const Trace& trace);
// A folder that cannot be written is no error: then nothing is asked. An empty one is none.
void keep_refuted(const std::filesystem::path& data, const std::string& lesson,
                  const std::vector<std::string>& sentences);
std::vector<std::string> kept_refuted(const std::filesystem::path& data, const std::string& lesson);

}  // namespace ringside::inline kit
