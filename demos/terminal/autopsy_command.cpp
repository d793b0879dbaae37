// `ringside autopsy PATH...`: why a job stopped.
#include <iostream>
#include <ostream>

#include "commands.h"
#include "ringside/autopsy/diagnosis.h"
#include "ringside/autopsy/files.h"
#include "ringside/base/atomic_file.h"
#include "terminal.h"

namespace ringside {
ExitCode show_autopsy(const Options& options, std::ostream& out) {
  const AutopsyCommand& typed = options.autopsy;
  const AutopsyOptions wishes{
      .config_file = typed.config, .models_folder = {}, .bucket_size = typed.bucket_size};
  Diagnosis diagnosis = diagnose(read_case(typed.paths, std::cin), wishes);
  if (typed.redact) diagnosis = redacted(std::move(diagnosis));
  if (!typed.save.empty())
    write_file_atomically(typed.save, [&](std::ostream& file) { file << diagnosis_html(diagnosis); });
  const std::string text = options.json ? diagnosis_json(diagnosis)
                           : typed.markdown
                               ? diagnosis_markdown(diagnosis)
                               : diagnosis_text(diagnosis, static_cast<size_t>(summary_width(options)));
  out << text;
  return ExitCode::kOk;
}

}  // namespace ringside
