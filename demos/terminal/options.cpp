#include "options.h"

#include <fmt/format.h>

#include <map>

#include "option_checks.h"
#include "ringside/base/error.h"
#include "ringside/base/text.h"
#include "ringside/lesson/called.h"
#include "ringside/lesson/front_matter.h"
#include "ringside/lesson/suggest.h"

namespace ringside {
namespace {

constexpr const char* kFooter = R"(
A lesson's parameters are written name=value, and so is the scenario line that a run prints.
Examples
  ringside run zero                      the lesson as it is meant
  ringside run zero stage=3 ranks=3      one stage, on three ranks
  ringside run zero --figures            with every figure as text; --save FILE.svg writes one
  ringside run zero --all                every claim with all of its evidence
  ringside run zero --processes 4        each rank a process; also under torchrun, mpirun and srun
  ringside say zero                      the answer, said aloud and ticked
  ringside path --interview YYYY-MM-DD   where you are, what is due, what next; a plan until that day
  ringside review --minutes 10           cards that are due, then new ones
  ringside train data=reviews.csv        a classifier of your own texts; --print-config explains all settings
  ringside evaluate trained, ringside predict trained < texts
  ringside mock --level senior --topics zero        a mock interview, with a report
  ringside drill ring_all_reduce         a function to write, in C++ or Python, judged by the engine
  ringside bench step "zero stage=0" "zero stage=0 precision=fp32"
  ringside bench norms                   layer norm and RMS norm beside LibTorch's
  ringside bench optimizers adamw        its update's GB/s beside the machine's, and torch's loop
  ringside bench collectives             all-reduces between threads, over sockets and Gloo, and Gloo's own
  ringside bench server                  servers are killed while they train: what is lost, how long it takes
  ringside ps simulate                   a parameter server with up to 10,000 workers, on a virtual clock
  ringside plan mesh --config assets/models/llama_3_1_8b.json --gpu h100 --ranks 64
  ringside plan zero --parameters 7.5e9 --ranks 64
  ringside plan buckets --config assets/models/qwen2_5_vl_7b.json --classes 251 --head-bias
  ringside plan explain 467019003 --config assets/models/qwen2_5_vl_7b.json
  ringside autopsy logs/ dumps/          why a job stopped, with the line that says so
  ringside plan schedule 1f1b p=4 m=8    a pipeline's schedule: its picture, where it hangs, its bubble
  ringside plan steps 56731 --config assets/models/qwen2_5_vl_7b.json --classes 251 --head-bias
Exit codes
    0  ok                                   1  internal: a bug of ringside
    2  usage: the command line              3  input rejected: a file or data set
    4  a check failed: unexplained bytes, or bits that should agree and do not
    5  a peer or process was lost           6  a collective or a greeting timed out
    7  collectives or runs do not match     8  a checkpoint cannot be used
    9  a display, device, feature or free port is missing
  130  interrupted (Ctrl-C): ranks stop at a step and the partial result is printed,
       marked incomplete; a second Ctrl-C ends at once
NO_COLOR=1 or TERM=dumb: no colour. SIGQUIT (Ctrl-\) during a run: who waits where.
)";

constexpr const char* kHidden = "";  // group of commands that no help lists
constexpr const char *kRun = "run", *kAsk = "ask";
constexpr size_t kMostMessage = 160;  // of CLI11, which repeats what was typed; the range stands at its end

std::vector<std::string> lesson_ids() {
  std::vector<std::string> ids;
  for (const FrontMatter& lesson : lesson_catalogue()) ids.push_back(lesson.id);
  return ids;
}

// CLI11 calls an unknown command an argument that was not expected; this names what there is.
void check_command(const CLI::App& app, int argc, char** argv) {
  if (argc < 2 || argv[1][0] == '-') return;
  std::vector<std::string> commands;
  for (const CLI::App* command : app.get_subcommands({}))
    if (command->get_group() != kHidden) commands.push_back(command->get_name());
  const std::string typed = argv[1];
  if (typed == kAsk) return;
  if (std::ranges::find(commands, typed) != commands.end()) return;
  std::vector<std::string> known = commands;
  for (const std::string& id : lesson_ids()) {
    if (id == typed) throw UsageError("'" + id + "' is a lesson: ringside run " + id + " [name=value ...]");
    known.push_back(id);
  }
  throw UsageError("there is no command '" + as_typed(typed) + "'" + suggestion(typed, known) +
                   "; there are: " + join(commands) + "; 'list' names the lessons");
}

class CommandLine {
 public:
  CommandLine() : app_("Distributed training, watched from the ringside.", "ringside") {
    app_.set_help_flag("-h,--help", "Show this help");
    app_.set_version_flag(
        "--version", [] { return std::string(); }, "Versions of everything a run depends on");
    add_list();
    add_run();
    add_say();
    add_review();
    add_mock();
    add_drill();
    add_path();
    add_ask();
    add_bench();
    add_plan();
    CLI::App& flight = add_command(Command::kFlight, "flight",
                                   "Flight recorders' dumps merged: what hangs, and who is missing");
    add_value(flight, "path", options_.path, "A folder of dumps, one a rank, or a file", "", is_name())
        ->required();
    add_json(flight);
    CLI::App& autopsy = add_command(Command::kAutopsy, "autopsy",
                                    "Why a job stopped, from its logs and flight recorders' dumps");
    add_autopsy_options(autopsy, options_.autopsy);
    add_json(autopsy);
    add_width(autopsy);
    add_on_call_options(
        add_command(Command::kOnCall, "on_call", "Incidents to practise with: a log, and what stopped first"),
        options_.on_call);
    add_training();
    add_lesson(add_command(Command::kHelp, "help", "This help, or a lesson's text and parameters"));
    add_gui_options(add_command(Command::kGui, "gui", "The study room, in a window"), options_.gui);
    CLI::App& ps = add_command(Command::kPs, "ps",
                               "A parameter server: its nodes as processes, or thousands of them simulated");
    add_ps_options(ps, options_.ps);
    CLI::App& simulate = *ps.get_subcommand("simulate");
    add_json(simulate);
    add_width(simulate);
    add_convert_options(
        add_command(Command::kConvert, "convert",
                    "Weights: a checkpoint as transformers reads it, shards to one file, LoRA merged"),
        options_.convert);
    CLI::App& env =
        add_command(Command::kEnv, "env", "Which rank of which run a launcher makes of this process");
    add_launch_flags(env, options_.launch.flags);
    add_json(env);
    app_.footer(kFooter);  // last: a subcommand inherits what stands when it is added
  }

  Options parse(int argc, char** argv) {
    check_command(app_, argc, argv);
    options_.help = as_called(app_.help());  // of the program; of a command once that one is parsed
    std::string help = "--help";
    std::vector<char*> words(argv, argv + argc);
    if (argc == 3 && argv[1] == std::string_view("help") && is_command(argv[2]))
      words = {argv[0], argv[2], help.data()};
    try {
      app_.parse(int(words.size()), words.data());
    } catch (const CLI::CallForHelp&) {
      return called_for_help();
    } catch (const CLI::CallForVersion&) {
      options_.command = Command::kVersion;
      return options_;
    } catch (const CLI::RequiredError& error) {
      throw UsageError(as_typed(error.what(), kMostMessage) + example() + "; see " + program() + " --help");
    } catch (const CLI::ParseError& error) {
      throw UsageError(as_typed(error.what(), kMostMessage) + likely_word() + "; see " + program() +
                       " --help");
    }
    return chosen();
  }

 private:
  bool is_command(std::string_view word) const {
    return std::ranges::any_of(app_.get_subcommands([](const CLI::App*) { return true; }),
                               [&](const CLI::App* command) { return command->get_name() == word; });
  }

  // "ringside", or the command as far as it was read.
  const CLI::App& asked() const {
    const auto commands = app_.get_subcommands();
    return commands.empty() ? app_ : *commands.front();
  }

  std::string program() const {
    return &asked() == &app_ ? app_.get_name() : app_.get_name() + " " + asked().get_name();
  }

  // " (did you mean --hidden?)", where an option or the second word of a command is not known.
  std::string likely_word() const {
    const std::vector<std::string> unknown = app_.remaining(true);
    if (unknown.empty()) return "";
    std::vector<std::string> names;
    if (unknown.front().starts_with("--"))
      for (const CLI::Option* option : asked().get_options()) names.push_back(option->get_name());
    else
      for (const CLI::App* command : asked().get_subcommands([](const CLI::App*) { return true; }))
        names.push_back(command->get_name());
    const std::string likely = suggestion(unknown.front(), names);
    const bool in_dashes = asked().get_name() == kRun && unknown.front().starts_with("--");
    return likely + (in_dashes ? "; a lesson's parameters are written without dashes, name=value" : "");
  }

  // ", as in: ringside flight dumps/", of a command whose first word is missing.
  std::string example() const {
    static const std::map<std::string, std::string> examples = {{"evaluate", "trained"},
                                                                {"predict", "trained < texts"},
                                                                {"flight", "dumps/"},
                                                                {"autopsy", "train.log"},
                                                                {"convert", "RUN/checkpoints NEW"}};
    const auto found = examples.find(asked().get_name());
    return found == examples.end() ? "" : ", as in: " + program() + " " + found->second;
  }

  CLI::App& add_command(Command command, const char* name, const char* meaning) {
    CLI::App* added = app_.add_subcommand(name, meaning);
    added->callback([this, command] { options_.command = command; });
    return *added;
  }

  CLI::Option& add_lesson(CLI::App& command) {
    return *add_value(command, "lesson", options_.lesson, "A lesson of `ringside list`", "");
  }

  void add_list() {
    CLI::App& list = add_command(Command::kList, "list", "Lessons that can be run");
    list.add_flag("--questions", options_.questions,
                  "Questions of the source documents, and where each claim of their answers is judged");
    add_json(list);
  }

  void add_run() {
    CLI::App& run = add_command(Command::kRun, kRun, "Run a lesson");
    add_lesson(run);
    add_value(run, "parameters", options_.words, "name=value ...; see `ringside help LESSON`", "");
    add_json(run);
    add_trace(run);
    run.add_flag("--all", options_.all, "Every claim with its evidence, and every figure: more than a page");
    add_figure_options(run, options_.figures);
    add_quiet(run);
    add_looks(run);
    add_launch_options(run, options_.launch);
  }

  void add_trace(CLI::App& command) {
    add_value(command, "--trace", options_.trace_file,
              "Save every event: FILE.jsonl, .json or .chrome.json (Perfetto)", "FILE", is_name());
  }

  void add_training() {
    CLI::App& train = add_command(Command::kTrain, "train", "Train a classifier of your own texts");
    add_train_options(train, options_.train);
    add_trace(train);
    CLI::App& evaluate = add_command(Command::kEvaluate, "evaluate",
                                     "How often a trained classifier is right, class by class");
    add_evaluate_options(evaluate, options_.train);
    CLI::App& predict = add_command(Command::kPredict, "predict", "The class of each line that comes");
    add_predict_options(predict, options_.train);
    for (CLI::App* command : {&train, &evaluate, &predict}) {
      add_json(*command);
      command->add_flag("--quiet", options_.quiet, "No progress");
      add_width(*command);
      add_launch_options(*command, options_.launch);
    }
  }

  void add_say() {
    CLI::App& say = add_command(Command::kSay, "say",
                                "Say a lesson's answer aloud, tick its points, answer what is asked next");
    add_lesson(say);
    add_looks(say);
  }

  void add_review() {
    CLI::App& review = add_command(Command::kReview, "review",
                                   "Cards for an interview: what is due today, then what is new");
    add_review_options(review, options_.review);
    add_looks(review);
    add_json(review);
  }

  void add_mock() {
    CLI::App& mock = add_command(Command::kMock, "mock", "A mock interview, with a report");
    add_mock_options(mock, options_.mock);
    add_looks(mock);
  }

  void add_path() {
    CLI::App& path = add_command(Command::kPath, "path",
                                 "Topics, how strong you are in each, what is due, what next and why");
    add_path_options(path, options_.study_path);
    add_looks(path);
  }

  void add_drill() {
    CLI::App& drill =
        add_command(Command::kDrill, "drill", "Ten functions to write, judged against the engine");
    add_drill_options(drill, options_.drill);
    add_looks(drill);
  }

  // What ./run calls while it builds: one question, whose answer the run is then given (first_minute.h).
  void add_ask() {
    CLI::App& ask = add_command(Command::kAsk, kAsk, "A lesson's first question");
    ask.group(kHidden);
    ask.add_option("file", options_.answer_file, "Where the answer goes")->check(is_name())->required();
    add_lesson(ask).required();
    ask.add_option("parameters", options_.words, "name=value ...");
  }

  void add_quiet(CLI::App& command) {
    command.add_flag("--quiet", options_.quiet, "No progress and no question");
  }

  void add_looks(CLI::App& command) {
    command.add_flag("--no-color", options_.no_color, "No colour");
    add_width(command);
  }

  void add_json(CLI::App& command) {
    command.add_flag("--json", options_.json, "One JSON document on stdout");
  }

  void add_width(CLI::App& command) {
    add_value(command, "--width", options_.width, "Columns of the text, 40 to 400", "N", whole_in(40, 400));
  }

  void add_bench() {
    CLI::App& command =
        add_command(Command::kBench, "bench", "Compare two times, measured in turns, with an interval");
    add_bench_options(command, options_.bench);
    add_json(command);
    add_quiet(command);
    add_looks(command);
  }

  void add_plan() {
    CLI::App& plan =
        add_command(Command::kPlan, "plan", "Memory, traffic and buckets at any scale, without a run");
    add_plan_options(plan, options_.plan);
    add_json(plan);
    add_width(plan);
    plan_values_.resize(plan_valued_.size());
    for (size_t i = 0; i < plan_values_.size(); ++i) {
      const ParameterSpec& spec = plan_valued_[i];
      const std::string what = spec.meaning + "; " + allowed_values(spec) + "; default " + spec.default_value;
      add_value(plan, "--" + spec.name, plan_values_[i], what, "VALUE");
    }
  }

  Options called_for_help() {
    const bool of_lesson = app_.got_subcommand(kRun) && !options_.lesson.empty();
    options_.command = of_lesson ? Command::kLessonHelp : Command::kHelp;
    options_.help = as_called(app_.help());
    return options_;
  }

  Options chosen() {
    const Command command = options_.command;
    if ((command == Command::kRun || command == Command::kSay) && options_.lesson.empty())
      throw UsageError(fmt::format("{}: which lesson? There are: {}", command == Command::kRun ? kRun : "say",
                                   join(lesson_ids())));
    if (options_.all && options_.figures.ids.empty()) options_.figures.all = true;
    if (command == Command::kRun) finish_figure_options(options_.figures, options_.json);
    if (command == Command::kHelp && !options_.lesson.empty()) options_.command = Command::kLessonHelp;
    if (command == Command::kPlan) choose_plan();
    if (command == Command::kBench) finish_bench_options(*app_.get_subcommand("bench"), options_.bench);
    if (command == Command::kMock) finish_mock_options(options_.mock);
    if (command == Command::kOnCall) finish_on_call_options(options_.on_call);
    if (command == Command::kPath) finish_path_options(options_.study_path);
    if (command == Command::kReview) finish_review_options(options_.review);
    if (command == Command::kGui) finish_gui_options(options_.gui);
    if (command == Command::kPs) finish_ps_options(*app_.get_subcommand("ps"), options_.ps);
    return options_;
  }

  void choose_plan() {
    std::vector<std::string> given;
    for (size_t i = 0; i < plan_values_.size(); ++i) {
      if (!plan_values_[i]) continue;
      given.push_back(plan_valued_[i].name);
      options_.words.push_back(plan_valued_[i].name + "=" + *plan_values_[i]);
    }
    finish_plan_options(options_.plan, given);
  }

  Options options_;
  CLI::App app_;
  const std::vector<ParameterSpec> plan_valued_ = valued_plan_options();
  std::vector<std::optional<std::string>> plan_values_;
};

}  // namespace

Options parse_options(int argc, char** argv) { return CommandLine().parse(argc, argv); }

}  // namespace ringside
