// `ringside autopsy PATH...`: why a job stopped.
#include <iostream>
#include <ostream>

#include "commands.h"
#include "ringside/autopsy/diagnosis.h"
#include "ringside/autopsy/files.h"
#include "ringside/base/atomic_file.h"
#include "ringside/base/error.h"
#include "ringside/base/text.h"
#include "terminal.h"

namespace ringside {
namespace {

JobSettings typed_settings(const AutopsyCommand& typed) {
  JobSettings settings;
  if (!typed.launch.empty() && !add_launch(typed.launch, {"--launch", typed.launch}, settings))
    throw InputError("--launch: no torchrun, accelerate launch, deepspeed, mpirun or srun in it");
  for (const std::string& file : typed.configs)
    if (!add_settings_file(file, settings))
      throw InputError(
          typed_path(file) +
          ": none of a model's config.json, DeepSpeed's or FSDP's settings, a launcher's script");
  return settings;
}

}  // namespace

ExitCode show_autopsy(const Options& options, std::ostream& out) {
  const AutopsyCommand& typed = options.autopsy;
  if (!typed.save.empty() && !typed.save.ends_with(".html"))
    throw UsageError("--save " + typed_path(typed.save) + ": the name must end in .html");
  const AutopsyOptions wishes{.config_file = {},
                              .settings = typed_settings(typed),
                              .models_folder = {},
                              .bucket_size = typed.bucket_size};
  Diagnosis diagnosis = diagnose(read_case(typed.paths, std::cin), wishes);
  if (typed.redact) diagnosis = redacted(std::move(diagnosis));
  if (!typed.save.empty())
    write_file_atomically(typed.save, [&](std::ostream& file) { file << diagnosis_html(diagnosis); });
  const std::string text = options.json     ? diagnosis_json(diagnosis)
                           : typed.markdown ? diagnosis_markdown(diagnosis)
                                            : diagnosis_text(diagnosis, size_t(summary_width(options)));
  out << text;
  return ExitCode::kOk;
}

}  // namespace ringside
