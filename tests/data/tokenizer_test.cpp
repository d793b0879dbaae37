#include "ringside/data/dataset.h"

#include <string>

#include "catch.h"

namespace ringside {

TEST_CASE("tokenize ends every sequence and cuts at max_tokens", "[data]") {
  CHECK(tokenize("", 4) == std::vector<int32_t>{kEndToken});
  CHECK(tokenize("ab", 4) == std::vector<int32_t>{'a', 'b', kEndToken});
  CHECK(tokenize("abc", 4) == std::vector<int32_t>{'a', 'b', 'c', kEndToken});
  CHECK(tokenize("abcd", 4) == std::vector<int32_t>{'a', 'b', 'c', kEndToken});
  CHECK(tokenize("abcd", 1) == std::vector<int32_t>{kEndToken});
}

TEST_CASE("tokenize takes any byte", "[data]") {
  std::string bytes;
  for (int byte = 0; byte < 256; ++byte) bytes.push_back(static_cast<char>(byte));
  const std::vector<int32_t> tokens = tokenize(bytes, 1000);
  REQUIRE(tokens.size() == 257);
  for (int32_t byte = 0; byte < 256; ++byte) CHECK(tokens[static_cast<size_t>(byte)] == byte);
}

}  // namespace ringside
