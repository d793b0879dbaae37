// `ringside autopsy PATH...`: why a job stopped.
#include <iostream>
#include <ostream>

#include "commands.h"
#include "ringside/autopsy/diagnosis.h"
#include "ringside/autopsy/files.h"
#include "ringside/base/atomic_file.h"
#include "ringside/base/source_tree.h"
#include "terminal.h"

namespace ringside {
namespace {

std::string released_models() {
  try {
    return (assets() / "models").string();
  } catch (const MissingError&) {
    return "";  // a program that was moved without its tree has no shortlist
  }
}

}  // namespace

ExitCode show_autopsy(const Options& options, std::ostream& out) {
  const AutopsyCommand& typed = options.autopsy;
  const CaseFiles files = read_case(typed.paths, std::cin);
  Diagnosis diagnosis = diagnose(files.log, files.dumps,
                                 {.config_file = typed.config,
                                  .models_folder = typed.config.empty() ? released_models() : "",
                                  .bucket_size = typed.bucket_size});
  diagnosis.not_read = files.not_read;
  const auto shown = [&](const std::string& report) { return typed.redact ? redacted(report) : report; };
  if (!typed.save.empty())
    write_file_atomically(typed.save, [&](std::ostream& file) { file << shown(diagnosis_html(diagnosis)); });
  const std::string text = options.json ? diagnosis_json(diagnosis)
                           : typed.markdown
                               ? diagnosis_markdown(diagnosis)
                               : diagnosis_text(diagnosis, static_cast<size_t>(summary_width(options)));
  out << shown(text);
  return ExitCode::kOk;
}

}  // namespace ringside
