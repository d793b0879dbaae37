#include "ringside/base/sha256.h"

#include <array>

#include <fmt/format.h>
#include <openssl/evp.h>

#include "ringside/base/check.h"

namespace ringside {

struct Sha256::State {
  std::unique_ptr<EVP_MD_CTX, decltype(&EVP_MD_CTX_free)> context{EVP_MD_CTX_new(), &EVP_MD_CTX_free};
};

Sha256::Sha256() : state_(std::make_unique<State>()) {
  RINGSIDE_CHECK(state_->context, "OpenSSL gave no digest context");
  RINGSIDE_CHECK_EQ(EVP_DigestInit_ex(state_->context.get(), EVP_sha256(), nullptr), 1);
}

Sha256::~Sha256() = default;

void Sha256::update(const void* data, size_t bytes) {
  RINGSIDE_CHECK(state_, "update() after hex()");
  RINGSIDE_CHECK_EQ(EVP_DigestUpdate(state_->context.get(), data, bytes), 1);
}

std::string Sha256::hex() {
  RINGSIDE_CHECK(state_, "hex() called twice");
  std::array<unsigned char, 32> digest{};
  RINGSIDE_CHECK_EQ(EVP_DigestFinal_ex(state_->context.get(), digest.data(), nullptr), 1);
  state_.reset();
  std::string text;
  for (const unsigned char byte : digest) text += fmt::format("{:02x}", byte);
  return text;
}

}  // namespace ringside
