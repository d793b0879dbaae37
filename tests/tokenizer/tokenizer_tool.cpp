// tokenizer_tool FILE: of each line of its input, a text as hexadecimal digits, the ids.
#include <cstdint>
#include <iostream>
#include <string>

#include "ringside/tokenizer/tokenizer_json.h"

int main(int argc, char** argv) {
  if (argc != 2) return 2;
  const auto tokenizer = ringside::read_tokenizer(argv[1]);
  for (std::string line; std::getline(std::cin, line);) {
    std::string text;
    for (size_t i = 0; i + 1 < line.size(); i += 2)
      text += static_cast<char>(std::stoi(line.substr(i, 2), nullptr, 16));
    for (const int32_t id : tokenizer->encode(text, INT32_MAX)) std::cout << id << " ";
    std::cout << "\n";
  }
  std::cout << tokenizer->vocabulary() << "\n";
}
