// The document of `ringside run --json`; assets/schema/run.schema.json says what is in it.
#pragma once

#include "build_info.h"
#include "figure_options.h"
#include "json_text.h"
#include "ringside/lesson/lesson.h"

namespace ringside {

Json build_json(const BuildInfo& build);  // the member "build" of every document

// `figures` are all of the lesson's, or those that the options name.
Json run_document(const Lesson& lesson, const Config& config, const Trace& trace, const BuildInfo& build,
                  const FigureOptions& figures);

}  // namespace ringside
