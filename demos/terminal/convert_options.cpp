#include "convert_options.h"

#include "option_checks.h"

namespace ringside {

void add_convert_options(CLI::App& command, ConvertOptions& options) {
  command
      .add_option("from", options.from,
                  "A folder or file of safetensors, a folder of checkpoints, or one checkpoint")
      ->type_name("")
      ->check(is_name())
      ->required();
  command.add_option("to", options.to, "A new folder, or a file NAME.safetensors")
      ->type_name("")
      ->check(is_name())
      ->required();
  command
      .add_option("--config", options.config, "Of a checkpoint: the model's config.json [the one beside it]")
      ->type_name("FILE");
  command.add_option("--adapter", options.adapter, "A LoRA adapter of peft's, merged into the weights")
      ->type_name("FOLDER");
  command
      .add_option("--step", options.step,
                  "Of several checkpoints the one of this step [the newest that is whole]")
      ->type_name("N");
  command
      .add_option("--shard-bytes", options.shard_bytes, "A new file where one would pass so many bytes [5e9]")
      ->type_name("N")
      ->check(CLI::PositiveNumber);
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
