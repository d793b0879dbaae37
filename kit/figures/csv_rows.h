// A figure as rows of comma-separated fields.
#pragma once

#include <string>
#include <vector>

namespace ringside::figure {

// A field: with quotes where it needs them; "" for a number that is not finite.
std::string csv_field(const std::string& text);
std::string csv_field(const char* text);
std::string csv_field(double value);
std::string csv_field(size_t value);
std::string csv_field(bool value);

class CsvRows {
 public:
  template <typename... Fields>
  void add(const Fields&... fields) {
    add_fields({csv_field(fields)...});
  }
  void add_fields(const std::vector<std::string>& fields) {
    for (size_t i = 0; i < fields.size(); ++i) text_ += (i == 0 ? "" : ",") + fields[i];
    text_ += "\r\n";
  }
  const std::string& text() const { return text_; }

 private:
  std::string text_;
};

}  // namespace ringside::figure
