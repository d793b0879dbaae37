// The command line, read once for both programs.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "autopsy_options.h"
#include "bench_options.h"
#include "convert_options.h"
#include "figure_options.h"
#include "gui_options.h"
#include "launch_options.h"
#include "plan_options.h"
#include "ps_options.h"
#include "review_options.h"
#include "train_options.h"

namespace ringside {

enum class Command {
  kHelp,
  kVersion,
  kList,
  kRun,
  kPlan,
  kFlight,
  kAutopsy,
  kOnCall,
  kBench,
  kSay,
  kReview,
  kMock,
  kDrill,
  kPath,
  kAsk,
  kLessonHelp,
  kGui,
  kPs,
  kEnv,
  kConvert,
  kTrain,
  kEvaluate,
  kPredict
};

struct Options {
  Command command = Command::kHelp;
  std::string help;                // kHelp: the text
  std::string lesson;              // kRun, kAsk, kSay, kLessonHelp
  std::vector<std::string> words;  // kRun, kAsk: "name=value"; kPlan of zero: likewise, made of its options
  std::string path;                // kFlight: a folder of dumps, or one
  std::string answer_file;         // kAsk: where the answer goes
  std::string trace_file;          // "" for none
  FigureOptions figures;           // kRun
  bool all = false;                // kRun: the whole page, not its first 60 lines
  bool questions = false;          // kList: those of the source documents
  bool json = false;
  bool quiet = false;
  bool no_color = false;
  std::optional<int> width;
  PlanOptions plan;    // kPlan
  BenchOptions bench;  // kBench
  GuiOptions gui;      // kGui
  PsOptions ps;        // kPs
  AutopsyCommand autopsy;
  OnCallOptions on_call;
  ConvertOptions convert;
  ReviewOptions review;    // kReview
  PathOptions study_path;  // kPath
  LaunchOptions launch;    // kRun, kEnv, kTrain, kEvaluate, kPredict
  TrainOptions train;      // kTrain, kEvaluate, kPredict
  MockOptions mock;        // kMock
  DrillOptions drill;      // kDrill
};

// UsageError for whatever cannot be read.
Options parse_options(int argc, char** argv);

}  // namespace ringside
