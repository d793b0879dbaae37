#include "library.h"

#include <dlfcn.h>
#include <fmt/format.h>

#include <cstdlib>

#include "ringside/base/error.h"
#include "ringside/base/text.h"

namespace ringside::inline nccl {
namespace {

constexpr int kOldest = 21400;  // communicators that do not block

std::string version_text(int version) {
  return fmt::format("{}.{}.{}", version / 10000, version / 100 % 100, version % 100);
}

[[noreturn]] void fail(const std::string& what, const std::string& variable, const std::string& package) {
  throw MissingError("NCCL cannot be used: {}. Install {}, or name the file in {}.", what, package, variable);
}

// The variable's file, else the first of these that there is; its handle stays open.
void* open_first(const char* variable, std::vector<std::string> names, const std::string& package) {
  const char* own = std::getenv(variable);
  if (own != nullptr && *own != '\0') names = {own};
  for (const std::string& name : names)
    if (void* handle = ::dlopen(name.c_str(), RTLD_NOW | RTLD_LOCAL)) return handle;
  fail(fmt::format("there is no {}", as_typed(names.front())), variable, package);
}

template <typename F>
void find(void* handle, const char* name, F*& function, const std::string& variable,
          const std::string& package) {
  function = reinterpret_cast<F*>(::dlsym(handle, name));
  if (function == nullptr) fail(fmt::format("{} is not in the library", name), variable, package);
}

}  // namespace

NcclLibrary::NcclLibrary() {
  const std::string nccl = "libnccl2 (pip: nvidia-nccl-cu13)",
                    cuda = "the CUDA runtime (pip: nvidia-cuda-runtime)";
  void* const library = open_first("RINGSIDE_NCCL", {"libnccl.so.2", "libnccl.so"}, nccl);
#define RINGSIDE_FIND(name, ...) find(library, #name, name, "RINGSIDE_NCCL", nccl);
  RINGSIDE_NCCL_FUNCTIONS(RINGSIDE_FIND)
#undef RINGSIDE_FIND
  if (ncclGetVersion(&version) != nccl::kSuccess || version < kOldest)
    fail(fmt::format("version {} is older than {}", version_text(version), version_text(kOldest)),
         "RINGSIDE_NCCL", nccl);
  void* runtime = ::dlsym(library, "cudaEventQuery") != nullptr ? library : nullptr;
  if (runtime == nullptr)
    runtime = open_first("RINGSIDE_CUDART", {"libcudart.so.13", "libcudart.so.12", "libcudart.so"}, cuda);
#define RINGSIDE_FIND(name, ...) find(runtime, #name, name, "RINGSIDE_CUDART", cuda);
  RINGSIDE_CUDART_FUNCTIONS(RINGSIDE_FIND)
#undef RINGSIDE_FIND
}

std::shared_ptr<const NcclLibrary> load_nccl() { return std::make_shared<const NcclLibrary>(); }
std::string nccl_version(const NcclLibrary& library) { return version_text(library.version); }

}  // namespace ringside::inline nccl
