// The commands, one a file. Each writes to `out`, what stdout stands for; whoever
// calls it maps exceptions to exit codes (program.h).
#pragma once

#include <iosfwd>

#include "options.h"
#include "ringside/base/error.h"

namespace ringside {

// Without LibTorch.
ExitCode list_lessons(const Options& options, std::ostream& out);
ExitCode plan_zero(const Options& options, std::ostream& out);
ExitCode plan_mesh(const Options& options, std::ostream& out);
ExitCode plan_reducer(const Options& options, std::ostream& out);
ExitCode merge_flight(const Options& options, std::ostream& out);
ExitCode show_autopsy(const Options& options, std::ostream& out);
ExitCode practise_on_call(const Options& options, std::ostream& out);
ExitCode plan_explain(const Options& options, std::ostream& out);
ExitCode plan_schedule(const Options& options, std::ostream& out);
ExitCode plan_steps(const Options& options, std::ostream& out);
ExitCode ps_simulate(const Options& options, std::ostream& out);
ExitCode show_environment(const Options& options, std::ostream& out);
ExitCode convert(const Options& options, std::ostream& out);  // of ringside-convert
ExitCode print_train_config(const Options& options, std::ostream& out);
void check_train_words(const Options& options);  // those of kTrain; UsageError
ExitCode say_lesson(const Options& options, std::ostream& out);
ExitCode review_cards(const Options& options, std::ostream& out);
ExitCode show_path(const Options& options, std::ostream& out);
ExitCode mock_interview(const Options& options, std::ostream& out);
ExitCode drill_code(const Options& options, std::ostream& out);

// With the lessons, and so with all that they link.
ExitCode run_lesson(const Options& options, std::ostream& out);
ExitCode ask_lesson(const Options& options, std::ostream& out);  // for ./run, while it builds
ExitCode bench(const Options& options, std::ostream& out);
ExitCode help_lesson(const Options& options, std::ostream& out);
ExitCode show_version(const Options& options, std::ostream& out);

// Of ringside-learn.
ExitCode train_classifier(const Options& options, std::ostream& out);
ExitCode evaluate_classifier(const Options& options, std::ostream& out);
ExitCode predict_classes(const Options& options, std::ostream& out);

ExitCode ps_node(const Options& options, std::ostream& out);  // of ringside-ps

}  // namespace ringside
