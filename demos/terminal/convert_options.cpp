#include "convert_options.h"

#include "option_checks.h"

namespace ringside {

void add_convert_options(CLI::App& command, ConvertOptions& options) {
  add_value(command, "from", options.from,
            "A folder or file of safetensors, a folder of checkpoints, or one checkpoint", "", is_name())
      ->required();
  add_value(command, "to", options.to, "A new folder, or a file NAME.safetensors", "", is_name())->required();
  add_value(command, "--config", options.config,
            "Of a checkpoint: the model's config.json [the one beside it]", "FILE");
  add_value(command, "--adapter", options.adapter, "A LoRA adapter of peft's, merged into the weights",
            "FOLDER");
  add_value(command, "--step", options.step,
            "Of several checkpoints the one of this step [the newest that is whole]", "N",
            whole_in(0, int64_t{1} << 62));
  add_value(command, "--shard-bytes", options.shard_bytes,
            "A new file where one would pass so many bytes [5e9]", "N", whole_in(1, int64_t{1} << 62));
  command.footer(
      "\nExamples\n"
      "  ringside convert RUN/checkpoints NEW            a training's checkpoint, as transformers reads it\n"
      "  ringside convert MODEL NEW                      sharded to one file (up to --shard-bytes)\n"
      "  ringside convert MODEL one.safetensors          the weights alone\n"
      "  ringside convert MODEL NEW --adapter LORA       with a LoRA adapter merged\n"
      "The other way needs no conversion: a training begins from such a folder (pretrained=FOLDER).\n"
      "A pickle (.bin, .pt, .pth) is not read, for reading one can run any program; the error says how to "
      "convert it.");
}

}  // namespace ringside
