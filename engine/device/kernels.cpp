#include "ringside/device/kernels.h"

#include <dlfcn.h>
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <atomic>
#include <filesystem>

#include "ringside/base/error.h"

namespace ringside::inline device {
namespace {

constexpr char kHowToInstall[] =
    "install pip's torch and the CUDA Toolkit, and configure with "
    "-DCMAKE_PREFIX_PATH=$(python3 -c 'import torch; print(torch.utils.cmake_prefix_path)')";

// Beside this one.
std::filesystem::path library_of_device() {
  Dl_info own{};
  ::dladdr(reinterpret_cast<const void*>(&library_of_device), &own);
  return std::filesystem::path(own.dli_fname).replace_filename("libringside_cuda.so");
}

const DeviceKernels* load() {
  const std::filesystem::path path = library_of_device();
  if (!std::filesystem::exists(path))
    throw MissingError("device=cuda: this build is for the CPU alone; {}", kHowToInstall);
  void* const library = ::dlopen(path.c_str(), RTLD_NOW | RTLD_GLOBAL);
  if (library == nullptr) throw MissingError("device=cuda: {}; {}", ::dlerror(), kHowToInstall);
  using Function = const DeviceKernels*();
  return reinterpret_cast<Function*>(::dlsym(library, "ringside_cuda_kernels"))();
}

std::atomic<const DeviceKernels*> in_place = nullptr;

struct OnDevice {
  static constexpr bool kRounds = true;
  std::string name;
  void operator()(const Elements& elements, const Values& values, const UpdateOptions& options) const {
    device_kernels().update(name, elements, values, options);
  }
};

}  // namespace

void set_device_kernels(const DeviceKernels* kernels) {
  in_place = kernels;
  set_device_memory(kernels);
}

const DeviceKernels& device_kernels() {
  if (in_place == nullptr) {
    static const DeviceKernels* const loaded = load();  // tried again where it throws
    set_device_kernels(loaded);
  }
  return *in_place;
}

Optimizer make_optimizer(const OptimizerConfig& config, Device device) {
  if (device == Device::kCpu) return make_optimizer(config);
  OptimizerSpec spec = find_optimizer(config.name);
  const std::vector<std::string> those = device_kernels().optimizers();
  if (std::ranges::count(those, spec.name) == 0)
    throw UsageError("optimizer={}: it has no kernel for device=cuda; there are those of {}", spec.name,
                     fmt::join(those, ", "));
  spec.update = OnDevice{spec.name};
  return {std::move(spec), config};
}

}  // namespace ringside::inline device
