#include "judge.h"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <csignal>
#include <cstdlib>
#include <cstring>
#include <fstream>

#include "limited_run.h"
#include "ringside/base/error.h"
#include "ringside/base/own_folder.h"
#include "ringside/base/read_file.h"
#include "ringside/base/source_tree.h"
#include "ringside/base/text.h"
#include "ringside/child/python.h"

namespace ringside::coding {
namespace {

namespace fs = std::filesystem;

constexpr size_t kMostText = 64 << 10, kMostErrors = 5, kMostError = 300;
constexpr RunLimits kCompiler{
    .cpu_seconds = 60, .memory_kib = 4 << 20, .deadline_seconds = 120, .lines = 200};
constexpr RunLimits kCode{};
// The first of these that there is.
constexpr char kCompile[] =
    R"(for c in c++ g++ clang++; do command -v $c >/dev/null && exec $c "$@" 2>&1; done; exit 127)";

fs::path write(const fs::path& path, const std::string& text) {
  std::ofstream(path) << text;
  if (fs::file_size(path) != text.size()) throw InputError(path.string() + ": cannot be written");
  return path;
}

// Messages of compiler and Python have the person's own name of it, where that is a plain one.
std::string shown_name(const CodingDrill& drill, const Code& code) {
  const std::string name = code.file.filename().string();
  const bool plain = !name.starts_with('.') && std::ranges::all_of(name, [](char c) {
    return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_' || c == '.' || c == '-';
  });
  return plain ? name : drill.id + ending_of(code.language);
}

fs::path drill_assets() { return assets() / "drills"; }

std::string without(std::string text, const std::string& part) {
  for (size_t at; (at = text.find(part)) != text.npos;) text.erase(at, part.size());
  return text;
}

// Those lines of the compiler that are errors, in the person's file or because of it.
std::string build_errors(const std::vector<std::string>& lines, const std::string& folder) {
  std::string errors, first;
  size_t count = 0;
  bool own = false;
  for (const std::string& line : lines) {
    const std::string shown = printable(without(line, folder));
    if (first.empty()) first = shown;
    if (line.find("error:") == line.npos || ++count > kMostErrors) continue;
    own = own || shown != line;
    errors += "\n" + shown;
  }
  if (count > kMostErrors) errors += fmt::format("\nand {} more", count - kMostErrors);
  if (errors.empty()) errors = "\n" + first;
  return errors.substr(1) +
         (own ? "" : "\nThe function is called as it is declared in the file that was written first.");
}

// What runs it; "" and the problem where it cannot be built.
std::vector<std::string> built(const CodingDrill& drill, const Code& code, const OwnFolder& folder,
                               const fs::path& file, const fs::path& cases,
                               const std::function<bool()>& cancelled, Verdict& verdict) {
  const std::string ranks = std::to_string(int(drill.ranks));
  if (code.language == Language::kPython)
    return {python_path(), "-I",           "-B",     "-X", "utf8", (drill_assets() / "harness.py").string(),
            file.string(), cases.string(), drill.id, ranks};
  const std::string program = (folder.path / ".program").string();
  std::vector<std::string> command = {"/bin/sh",
                                      "-c",
                                      kCompile,
                                      "sh",
                                      "-std=c++20",
                                      "-O0",
                                      "-Werror=return-type",
                                      "-fno-diagnostics-show-caret",
                                      "-D_GLIBCXX_ASSERTIONS",
                                      "-DDRILL=" + drill.id,
                                      "-DTHEIRS=\"" + file.string() + "\"",
                                      "-iquote",
                                      fs::absolute(code.file).parent_path().string(),
                                      (drill_assets() / "harness.cpp").string(),
                                      "-o",
                                      program};
  if (drill.ranks != Ranks::kNone) command.push_back("-DRANKS=" + ranks);
  const LimitedRun compiled = run_limited(command, kCompiler, cancelled);
  if (compiled.code == 127)
    throw MissingError("no C++ compiler (c++, g++, clang++) is in PATH: install g++, or use --python");
  if (compiled.code == 0) return {program, cases.string()};
  verdict.built = false;
  verdict.problem = build_errors(compiled.lines, folder.path.string() + "/");
  return {};
}

std::string how_it_ended(const LimitedRun& run) {
  const std::string limit =
      fmt::format("it had used {} s of processor time, which is the limit", kCode.cpu_seconds);
  if (run.late) return fmt::format("It was not done after {} s.", kCode.deadline_seconds);
  if (run.many) return fmt::format("Ended: it had more than {} processes at once.", kCode.processes);
  if (run.code == 128 + SIGXCPU || run.code == 128 + SIGKILL) return "Ended: " + limit + ". Does a loop end?";
  if (run.code <= 128) return fmt::format("It ended by itself, with exit code {}.", run.code);
  const char* name = ::sigabbrev_np(run.code - 128);
  return fmt::format("It crashed: SIG{} ({}).", name == nullptr ? "?" : name, ::strsignal(run.code - 128));
}

std::string in_words(const std::string& error) {
  const bool memory = error.find("bad_alloc") != error.npos || error.find("MemoryError") != error.npos;
  return "It threw: " + error + (memory ? fmt::format(" (it may have {} MiB)", kCode.memory_kib >> 10) : "") +
         ".";
}

// A line of the harness: the outputs; or an error, as a problem.
std::optional<Json> read_answer(const CodingDrill& drill, const std::string& line, std::string& problem) {
  try {
    const Json answer = parse_json(line, {kMostText, 8, 10'000});
    if (answer.is_object() && answer.contains("hang")) return answer;
    if (answer.is_object()) {
      problem = in_words(as_typed(json_text(answer.at("error"), "error"), kMostError));
      return std::nullopt;
    }
    Json outputs = Json::array();
    for (const Output& output : drill.outputs) outputs.push_back(answer.at(output.place));
    return outputs;
  } catch (const std::exception&) {
  } catch (const JsonRejected&) {
  }
  problem = "What it returned cannot be read: too much, or another type than was asked for.";
  return std::nullopt;
}

// The named mistake that gives the same in case `at`; of several, in most of the others too.
const Mistake* mistake_of(const CodingDrill& drill, size_t at, const std::vector<Json>& answers) {
  const Mistake* best = nullptr;
  size_t most = 0;
  for (const Mistake& mistake : drill.mistakes) {
    if (!same(mistake.result(drill.cases[at]), answers[at])) continue;
    size_t count = 0;
    for (size_t i = 0; i < answers.size(); ++i) count += same(mistake.result(drill.cases[i]), answers[i]);
    if (count > most) best = &mistake;
    most = std::max(most, count);
  }
  return best;
}

// Up to the first that is none.
std::vector<Json> read_answers(const CodingDrill& drill, const LimitedRun& run, std::string& problem) {
  std::vector<Json> answers;
  while (answers.size() < drill.cases.size() && problem.empty()) {
    if (answers.size() == run.lines.size())
      problem = how_it_ended(run);
    else if (std::optional<Json> answer = read_answer(drill, run.lines[answers.size()], problem))
      answers.push_back(std::move(*answer));
  }
  return answers;
}

}  // namespace

std::string text_of(const CodingDrill& drill, const std::string& name, Language language) {
  return read_file(drill_assets() / drill.id / (name + ending_of(language)), kMostText);
}

Verdict judge(const CodingDrill& drill, const Code& code, const std::function<bool()>& cancelled) {
  const OwnFolder folder("ringside-drill");
  Verdict verdict{.cases = drill.cases.size()};
  std::string lines;
  for (const Json& one : drill.cases) lines += one.dump() + "\n";
  const fs::path file = write(folder.path / shown_name(drill, code), code.text),
                 cases = write(folder.path / ".cases", lines);
  const std::vector<std::string> command = built(drill, code, folder, file, cases, cancelled, verdict);
  if (!verdict.built) return verdict;
  const LimitedRun run = run_limited(command, kCode, cancelled);
  if (run.code == 127 && code.language == Language::kPython)
    throw MissingError(command.at(0) + " is not there: install python3, or leave out --python");
  verdict.printed = without(run.words, folder.path.string() + "/");
  std::string problem;
  const std::vector<Json> answers = read_answers(drill, run, problem);
  const auto is_right = [&](size_t i) { return same(drill.right(drill.cases[i]), answers[i]); };
  while (verdict.right < answers.size() && is_right(verdict.right)) ++verdict.right;
  if (verdict.right == answers.size()) {
    verdict.problem = problem;
    return verdict;
  }
  verdict.got = answers[verdict.right];
  verdict.mistake = mistake_of(drill, verdict.right, answers);
  return verdict;
}

}  // namespace ringside::coding
