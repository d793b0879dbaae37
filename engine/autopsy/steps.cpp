// tqdm's bar, Megatron's "iteration", DeepSpeed's and others' "step", and the dict of the Hugging Face
// Trainer.
#include "log_parts.h"

#include <algorithm>
#include <cctype>
#include <charconv>

#include "line.h"
#include "ringside/base/text.h"

namespace ringside::inline logs {
namespace {

constexpr size_t kMostStreams = 4096;
constexpr size_t kMostText = 160;
constexpr int64_t kMostStep = int64_t{1} << 40;

// A whole number at the beginning, behind blanks; how many bytes it takes with them.
std::optional<std::pair<int64_t, size_t>> leading(std::string_view text) {
  size_t at = 0;
  while (at < text.size() && text[at] == ' ') ++at;
  int64_t value = 0;
  const auto [end, error] = std::from_chars(text.data() + at, text.data() + text.size(), value);
  if (error != std::errc() || value < 0 || value > kMostStep) return std::nullopt;
  return std::pair(value, size_t(end - text.data()));
}

// "118/1000", "1200/ 5000": `of` is 0 where only one number stands there.
std::optional<LoggedStep> fraction(std::string_view text, StepForm form) {
  const auto first = leading(text);
  if (!first) return std::nullopt;
  LoggedStep made{.form = form, .step = first->first};
  std::string_view rest = text.substr(first->second);
  while (rest.starts_with(' ')) rest.remove_prefix(1);
  if (!rest.starts_with('/')) return made;
  const auto second = leading(rest.substr(1));
  if (second && second->first >= made.step) made.of = second->first;
  return made;
}

// "  9%|#   | 118/1000 [29:55<4:48:08, 61.2s/it]"; with a name before it, it may be no bar of the training.
std::optional<LoggedStep> bar(std::string_view line) {
  if (!has_any(line, {"it/s", "s/it"})) return std::nullopt;
  const size_t percent = line.find("%|");
  const size_t end = line.rfind("| ");
  if (percent == std::string_view::npos || end == std::string_view::npos || end < percent)
    return std::nullopt;
  std::string_view name = line.substr(0, percent);
  while (!name.empty() && (name.back() == ' ' || std::isdigit(static_cast<unsigned char>(name.back()))))
    name.remove_suffix(1);
  const bool named = name.ends_with(':') && !name.ends_with("]:") && !name.ends_with(">:");
  if (named && !has_any(name, {"poch", "rain", "tep"})) return std::nullopt;
  std::optional<LoggedStep> made = fraction(line.substr(end + 2), StepForm::kBar);
  return made && made->of > 0 ? made : std::nullopt;
}

bool is_word(char c) { return std::isalnum(static_cast<unsigned char>(c)) || c == '_' || c == '/'; }

// "step 41", "global_step: 41/1000", "Step=41,"; not "warmup_steps: 5", "s/step: 3", "step 0.5".
std::optional<LoggedStep> named(std::string_view line) {
  for (size_t at = line.find("tep"); at != std::string_view::npos; at = line.find("tep", at + 1)) {
    if (at == 0 || (line[at - 1] != 's' && line[at - 1] != 'S')) continue;
    const std::string_view before = line.substr(0, at - 1);
    if (!before.empty() && is_word(before.back()) && !before.ends_with("global_")) continue;
    std::string_view rest = line.substr(at + 3);
    const size_t number = std::min(rest.find_first_not_of(" :=#[\"'"), rest.size());
    if (number == 0 || number > 4) continue;
    rest.remove_prefix(number);
    const auto value = leading(rest);
    if (!value || rest.starts_with('-')) continue;
    const std::string_view behind = rest.substr(value->second);
    const bool decimal =
        behind.size() > 1 && behind[0] == '.' && std::isdigit(static_cast<unsigned char>(behind[1]));
    if (decimal || (!behind.empty() && behind[0] != '/' && is_word(behind[0]))) continue;
    return fraction(rest, StepForm::kStep);
  }
  return std::nullopt;
}

std::optional<LoggedStep> epoch(std::string_view line) {
  const std::string_view text = behind(line, "'epoch': ");
  double value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc() || text.empty() || !has(line, "'loss'") || !(value >= 0 && value < 1e9))
    return std::nullopt;
  LoggedStep made{.form = StepForm::kEpoch};
  made.epoch = value;
  return made;
}

// form, step and of, where it is one.
std::optional<LoggedStep> step_in(std::string_view line) {
  std::optional<LoggedStep> made = bar(line);
  for (const std::string_view word : {"iteration ", "iteration: "})
    if (!made && has(line, word)) made = fraction(behind(line, word), StepForm::kIteration);
  if (!made) made = named(line);
  return made ? made : epoch(line);
}

}  // namespace

std::span<const std::string_view> words_of_step() {
  static constexpr std::string_view kWords[] = {
      "it/s", "s/it", "iteration ", "iteration: ", "step", "Step", "'epoch': "};
  return kWords;
}

void Steps::look(std::string_view line, int rank, int file, int64_t number) {
  std::optional<LoggedStep> made = step_in(line);
  if (!made) return;
  const int64_t stream = rank >= 0 ? rank : -1 - int64_t{file};
  const int64_t key = stream * 8 + int64_t(made->form);
  if (last_.size() >= kMostStreams && !last_.contains(key)) return;
  LoggedStep& last = last_[key];
  std::string text = std::move(last.text);
  last = *std::move(made);
  text.assign(line.substr(0, kMostText));
  last.text = std::move(text);
  last.rank = rank;
  last.file = file;
  last.line = number;
}

std::vector<LoggedStep> Steps::take() {
  std::vector<LoggedStep> all;
  for (auto& [key, step] : last_) {
    step.text = printable(step.text);
    all.push_back(std::move(step));
  }
  last_.clear();
  std::ranges::sort(all, {}, [](const LoggedStep& one) { return std::tuple(one.rank, one.file, one.form); });
  return all;
}

}  // namespace ringside::inline logs
