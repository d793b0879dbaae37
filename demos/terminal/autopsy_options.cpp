#include "autopsy_options.h"

#include "option_checks.h"

namespace ringside {

void add_autopsy_options(CLI::App& command, AutopsyCommand& options) {
  add_value(command, "paths", options.paths,
            "Logs, flight recorders' dumps, config.json: files, folders, or -", "", is_name())
      ->required();
  add_value(command, "--config", options.configs,
            "Of the model, DeepSpeed, FSDP, accelerate, a script; again for each file", "FILE")
      ->allow_extra_args(false)
      ->check(is_name());
  add_value(command, "--launch", options.launch, "The command line: \"torchrun --nnodes 2 ...\"", "TEXT");
  add_value(command, "--bucket-size", options.bucket_size, "reduce_bucket_size, elements [as set, or 5e8]",
            "N", whole_in(int64_t{1}, int64_t{1} << 48));
  command.add_flag("--markdown", options.markdown, "Markdown, to paste into an issue");
  add_value(command, "--save", options.save, "The same as one HTML file, without a script", "FILE.html",
            is_name());
  command.add_flag("--redact", options.redact, "Without host names, users, addresses and paths");
  command.footer(
      "\nIt reads logs of any number of ranks, in one file or many, with the prefixes of torchrun, Slurm,\n"
      "Open MPI, Ray and Kubernetes, of PyTorch 1.12 to 2.11, and dumps of flight recorders: pickles, which\n"
      "are read as plain values, and JSON. It says what stopped first, who waits for whom, what the call\n"
      "carries, what would settle it, what to try first and what will not help; each with its line and how\n"
      "sure it is (certain, likely, cannot be told).\n"
      "Settings, all optional, are found in the log and the folders, or named by --config and --launch: the\n"
      "model's config.json, DeepSpeed's JSON, FSDP's and accelerate's JSON or YAML, a script that runs\n"
      "torchrun, accelerate, deepspeed, mpirun or srun; they are told apart by their content.\n"
      "Examples\n"
      "  ringside autopsy train.log                      one log of all ranks\n"
      "  ringside autopsy logs/ dumps/ --redact          folders, told apart by how their files begin\n"
      "  kubectl logs JOB | ringside autopsy -           stdin\n"
      "  ringside autopsy train.log --config config.json --config ds.json --json\n"
      "  ringside autopsy train.log --launch \"torchrun --nnodes 2 --nproc-per-node 8 train.py\"");
}

}  // namespace ringside
