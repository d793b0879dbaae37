// A JSON file of the learner's that several programs may write at once: read and written whole,
// under a lock, atomically. What cannot be read is moved aside, never overwritten.
#pragma once

#include <filesystem>
#include <functional>
#include <nlohmann/json_fwd.hpp>
#include <string>
#include <string_view>

namespace ringside::inline kit {

// Valid UTF-8 without control characters, at most `most` bytes, cut between letters. Whatever comes
// from a file passes through here before it is drawn or kept.
std::string clean_text(std::string_view text, size_t most);

class KeptFile {
 public:
  static constexpr size_t kMostBytes = size_t{16} << 20;

  // `kind` stands in the file ("ringside progress"), so that another program's is not taken for it.
  // An empty folder: nothing is kept, and nothing is said about it.
  KeptFile(std::filesystem::path folder, std::string name, std::string kind, int version);

  // What is there: an object, or null where there is no file. A file that is damaged, too large or
  // of another kind is moved aside to NAME.damaged-N. False: it stays where it is and is not going to
  // be written (a newer version of Ringside's, not readable, or not movable); message() says why.
  bool read(nlohmann::json& document);

  // Locks, reads, lets `merge` look at what is there (null: nothing) and writes what it returns.
  // False: not written, message() says why; what the caller has in memory is then all there is.
  bool update(const std::function<nlohmann::json(const nlohmann::json&)>& merge);

  // Keeps a copy aside of a file that was read but of which a part was of no use.
  void keep_copy(const std::string& why);

  bool kept() const { return !file_.empty(); }
  const std::filesystem::path& file() const { return file_; }
  const std::string& message() const { return message_; }  // "": all is well; for the learner to read

 private:
  bool read_locked(nlohmann::json& document, bool locked);
  bool parse(const std::string& text, nlohmann::json& document, std::string& fault) const;
  bool set_aside(const std::string& why, bool locked);
  bool refuse(const std::string& message);
  std::filesystem::path lock_file() const;

  std::filesystem::path file_;
  std::string kind_;
  int version_;
  std::string message_, aside_;  // aside_: said until the program ends, whatever else happens
};

}  // namespace ringside::inline kit
