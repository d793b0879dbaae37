// `ringside evaluate`: how often a trained classifier is right.

#include <iostream>

#include "class_table.h"
#include "commands.h"
#include "own_rank.h"
#include "ringside/base/text.h"
#include "terminal.h"
#include "train_data.h"
#include "trained.h"

namespace ringside {
namespace {

ExitCode evaluate(OwnRank& own, const Options& options, std::ostream& out) {
  const RunFolder folder{options.train.folder};
  const TrainedRun trained(folder);
  const Dataset data = options.train.data.empty()
                           ? load_data(trained.config(), trained.tokenizer())
                           : load_other_data(options.train.data, trained.config(), trained.tokenizer(),
                                             trained.learned().classes);
  const bool changed = options.train.data.empty() && data.sha256 != trained.learned().data_sha256;
  if (changed && own.speaks())
    std::cerr << "ringside: the data is not what it was: some of these samples may have been trained on\n";
  const std::shared_ptr<JoinedRanks> process = own.join();
  const int ranks = process ? process->size() : int(trained.config().integer("ranks"));
  const Classified found = classify(trained.classifier(), data, ranks,
                                    trained.config().integer("evaluation_rows"), {.process = process});
  if (!own.speaks()) return ExitCode::kOk;
  if (options.json) {
    out << metrics_json(found.counts, found.loss, data.classes).dump(2) << '\n' << std::flush;
    return ExitCode::kOk;
  }
  const int width = page_width(options);
  out << class_table(found.counts, data.classes, width);
  if (const std::string matrix = confusion_table(found.counts, data.classes, width); !matrix.empty())
    out << '\n' << matrix;
  out << '\n' << data.description << '\n' << verdict_text(found.counts, found.loss) << '\n' << std::flush;
  return ExitCode::kOk;
}

}  // namespace

ExitCode evaluate_classifier(const Options& options, std::ostream& out) {
  OwnRank own(options);
  try {
    return evaluate(own, options, out);
  } catch (const std::exception& error) {
    own.tell(error);
    throw;
  }
}

}  // namespace ringside
