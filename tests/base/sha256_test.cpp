#include "ringside/base/sha256.h"

#include "catch.h"
#include "ringside/base/error.h"

using namespace ringside;

namespace {
std::string sha256(std::string_view text) {
  Sha256 hash;
  hash.update(text);
  return hash.hex();
}
}  // namespace

// FIPS 180-4's examples.
TEST_CASE("SHA-256 of known texts") {
  CHECK(Sha256().hex() == "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855");
  CHECK(sha256("abc") == "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad");
  CHECK(sha256("abcdbcdecdefdefgefghfghighijhijkijkljklmklmnlmnomnopnopq") ==
        "248d6a61d20638b8e5c026930c3e6039a33ce45964ff2167f6ecedd419db06c1");
  CHECK(sha256(std::string(1'000'000, 'a')) ==
        "cdc76e5c9914fb9281a1c7e284d73e67f1809a48a497200e046d39ccc7112cd0");
}

TEST_CASE("SHA-256 does not depend on how the text is cut") {
  const std::string text(1000, 'x');
  Sha256 pieces;
  for (size_t at = 0, length = 1; at < text.size(); at += length, length = length % 97 + 1)
    pieces.update(std::string_view(text).substr(at, length));
  CHECK(pieces.hex() == sha256(text));
}

TEST_CASE("a finished hash takes nothing more") {
  Sha256 hash;
  hash.hex();
  CHECK_THROWS_AS(hash.update("a"), InvariantError);
  CHECK_THROWS_AS(hash.hex(), InvariantError);
}
