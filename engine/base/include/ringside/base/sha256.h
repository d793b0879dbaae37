// SHA-256, incrementally (OpenSSL's libcrypto). Used for hashes of data sets
// and of final parameters, so that two runs can be compared by one line.
#pragma once

#include <cstddef>
#include <memory>
#include <string>
#include <string_view>

struct evp_md_ctx_st;  // OpenSSL's

namespace ringside::inline base {

class Sha256 {
 public:
  Sha256();
  void update(const void* data, size_t bytes);
  void update(std::string_view text) { update(text.data(), text.size()); }
  std::string hex();  // ends the hash; 64 characters

 private:
  std::unique_ptr<evp_md_ctx_st, void (*)(evp_md_ctx_st*)> context_;
};

}  // namespace ringside::inline base
