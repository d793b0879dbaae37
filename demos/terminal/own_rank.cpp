#include "own_rank.h"

#include <fmt/format.h>

#include <chrono>
#include <filesystem>
#include <iostream>
#include <thread>

#include "ringside/base/text.h"
#include "ringside/comm/errors.h"
#include "ringside/lesson/suggest.h"

namespace ringside {
namespace {

// Writes to two places.
class Both final : public std::streambuf {
 public:
  Both(std::streambuf* one, std::streambuf* other) : one_(one), other_(other) {}

 protected:
  int overflow(int letter) override {
    if (letter == EOF) return 0;
    other_->sputc(char(letter));
    return one_->sputc(char(letter));
  }
  std::streamsize xsputn(const char* text, std::streamsize count) override {
    other_->sputn(text, count);
    return one_->sputn(text, count);
  }
  int sync() override {
    other_->pubsync();
    return one_->pubsync();
  }

 private:
  std::streambuf *const one_, *const other_;
};

// The rank that an error blames, or -1.
int blamed_by(const std::exception& error) {
  if (const auto* call = dynamic_cast<const CollectiveError*>(&error))
    return call->ranks().empty() ? -1 : call->ranks().front();
  const auto* lost = dynamic_cast<const StoreLostError*>(&error);
  return lost == nullptr ? -1 : std::max(lost->rank, 0);
}

}  // namespace

OwnRank::OwnRank(const Options& options, const Lesson* lesson)
    : launch_(resolve(own_environment(), options.launch.flags)) {
  if (alone()) return;
  if (!options.launch.log_folder.empty()) keep_log(options.launch.log_folder);
  if (lesson != nullptr && !lesson->as_processes)
    throw UsageError(
        fmt::format("lesson {} has no ranks that could be processes: ringside run {} runs it in this one, "
                    "without a launcher",
                    lesson->id, lesson->id));
}

OwnRank::~OwnRank() {
  if (out_ != nullptr) std::cout.rdbuf(out_);
  if (talk_ != nullptr) std::cerr.rdbuf(talk_);
}

void OwnRank::keep_log(const std::string& folder) {
  const std::filesystem::path file =
      std::filesystem::path(folder) / fmt::format("rank_{}.log", launch_.rank.value);
  std::error_code none;
  std::filesystem::create_directories(folder, none);
  log_.open(file);
  if (!log_) throw InputError(typed_path(file) + ": cannot be written");
  both_.push_back(std::make_unique<Both>(std::cout.rdbuf(), log_.rdbuf()));
  both_.push_back(std::make_unique<Both>(std::cerr.rdbuf(), log_.rdbuf()));
  out_ = std::cout.rdbuf(both_[0].get());
  talk_ = std::cerr.rdbuf(both_[1].get());
}

std::vector<std::string> OwnRank::words(std::vector<std::string> typed) const {
  if (alone()) return typed;
  const std::string ranks = fmt::format("ranks={}", launch_.size.value);
  for (const std::string& word : typed) {
    if (!word.starts_with("ranks=")) continue;
    if (word != ranks)
      throw UsageError(
          fmt::format("{}: there are {} processes, and each is a rank", as_typed(word), launch_.size.value));
    return typed;
  }
  typed.push_back(ranks);
  return typed;
}

std::shared_ptr<JoinedRanks> OwnRank::join() { return ringside::join(launch_); }

void OwnRank::tell(const std::exception& error) {
  if (log_.is_open()) log_ << "ringside: " << error.what() << std::endl;
  const int blamed = blamed_by(error);
  const std::string text = error.what();
  write_error_file(launch_, text.substr(0, text.find('\n')), blamed);
  // torchrun looks every 0.1 s, and ends those that are left: so it sees first who was first.
  constexpr std::chrono::milliseconds kLinger{500};
  if (!launch_.error_file.value.empty() && blamed >= 0 && blamed != launch_.rank.value)
    std::this_thread::sleep_for(kLinger);
}

}  // namespace ringside
