#include "ringside/base/sha256.h"

#include <array>

#include <fmt/format.h>
#include <openssl/evp.h>

#include "ringside/base/check.h"

namespace ringside::inline base {

Sha256::Sha256() : context_(EVP_MD_CTX_new(), &EVP_MD_CTX_free) {
  RINGSIDE_CHECK(context_, "OpenSSL gave no digest context");
  RINGSIDE_CHECK_EQ(EVP_DigestInit_ex(context_.get(), EVP_sha256(), nullptr), 1);
}

void Sha256::update(const void* data, size_t bytes) {
  RINGSIDE_CHECK(context_, "update() after hex()");
  RINGSIDE_CHECK_EQ(EVP_DigestUpdate(context_.get(), data, bytes), 1);
}

std::string Sha256::hex() {
  RINGSIDE_CHECK(context_, "hex() called twice");
  std::array<unsigned char, 32> digest{};
  RINGSIDE_CHECK_EQ(EVP_DigestFinal_ex(context_.get(), digest.data(), nullptr), 1);
  context_.reset();
  return fmt::format("{:02x}", fmt::join(digest, ""));
}

}  // namespace ringside::inline base
