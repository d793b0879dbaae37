// The document of `ringside run --json`; assets/schema/run.schema.json says what is in it.
#pragma once

#include "build_info.h"
#include "json_text.h"
#include "ringside/lesson/lesson.h"

namespace ringside {

Json run_document(const Lesson& lesson, const Trace& trace, const BuildInfo& build);

}  // namespace ringside
