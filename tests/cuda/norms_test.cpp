// Layer norm and RMS norm on the GPU beside their CPU twins: every bit.
#include "ringside/cuda/norms.h"

#include <cuda_runtime.h>

#include <cstring>
#include <memory>

#include "catch.h"
#include "ringside/base/random.h"
#include "ringside/cuda/adamw.h"  // has_gpu

using namespace ringside;

namespace norms_on_gpu {

// The same numbers on the CPU and on the GPU.
template <typename T>
class Twin {
 public:
  explicit Twin(int64_t count, uint64_t seed = 0) : cpu(static_cast<size_t>(count)) {
    RandomStream stream(seed, "norms on the GPU");
    for (T& value : cpu) value = seed == 0 ? T{0} : static_cast<T>(3 * stream.normal() + 5);
    REQUIRE(cudaMalloc(&gpu_, bytes() + 1) == cudaSuccess);
    REQUIRE(cudaMemcpy(gpu_, cpu.data(), bytes(), cudaMemcpyHostToDevice) == cudaSuccess);
  }
  ~Twin() { cudaFree(gpu_); }
  Twin(const Twin&) = delete;
  Twin& operator=(const Twin&) = delete;
  T* gpu() const { return static_cast<T*>(gpu_); }
  bool agrees() const {
    std::vector<T> values(cpu.size());
    REQUIRE(cudaMemcpy(values.data(), gpu_, bytes(), cudaMemcpyDeviceToHost) == cudaSuccess);
    return std::memcmp(values.data(), cpu.data(), bytes()) == 0;
  }
  std::vector<T> cpu;

 private:
  size_t bytes() const { return cpu.size() * sizeof(T); }
  void* gpu_ = nullptr;
};

void compare(norms::Rows rows) {
  const int64_t cells = rows.count * rows.width, H = rows.width;
  Twin<float> x(cells, 1), dy(cells, 2), w(H, 3), b(H, 4), y(cells), dx(cells), dw(H), db(H);
  Twin<double> mean(rows.count), scale(rows.count);
  INFO(rows.count << " x " << rows.width);
  norms::run(norms::LayerNormForward<float>{rows, 1e-5, x.cpu.data(), w.cpu.data(), b.cpu.data(),
                                            y.cpu.data(), mean.cpu.data(), scale.cpu.data()});
  norms::run(norms::LayerNormBackward<float>{rows, x.cpu.data(), w.cpu.data(), mean.cpu.data(),
                                             scale.cpu.data(), dy.cpu.data(), dx.cpu.data(), dw.cpu.data(),
                                             db.cpu.data()});
  cuda::run(norms::LayerNormForward<float>{rows, 1e-5, x.gpu(), w.gpu(), b.gpu(), y.gpu(), mean.gpu(),
                                           scale.gpu()});
  cuda::run(norms::LayerNormBackward<float>{rows, x.gpu(), w.gpu(), mean.gpu(), scale.gpu(), dy.gpu(),
                                            dx.gpu(), dw.gpu(), db.gpu()});
  REQUIRE(cudaDeviceSynchronize() == cudaSuccess);
  CHECK((y.agrees() && mean.agrees() && scale.agrees() && dx.agrees() && dw.agrees() && db.agrees()));
  norms::run(
      norms::RmsNormForward<float>{rows, 1e-5, x.cpu.data(), w.cpu.data(), y.cpu.data(), scale.cpu.data()});
  norms::run(norms::RmsNormBackward<float>{rows, x.cpu.data(), w.cpu.data(), scale.cpu.data(), dy.cpu.data(),
                                           dx.cpu.data(), dw.cpu.data()});
  cuda::run(norms::RmsNormForward<float>{rows, 1e-5, x.gpu(), w.gpu(), y.gpu(), scale.gpu()});
  cuda::run(norms::RmsNormBackward<float>{rows, x.gpu(), w.gpu(), scale.gpu(), dy.gpu(), dx.gpu(), dw.gpu()});
  REQUIRE(cudaDeviceSynchronize() == cudaSuccess);
  CHECK((y.agrees() && scale.agrees() && dx.agrees() && dw.agrees()));
}

}  // namespace norms_on_gpu

TEST_CASE("layer norm and RMS norm have the same bits on the GPU as on the CPU") {
  if (!cuda::has_gpu()) {
    WARN("not run: there is no GPU here, the kernels are only compiled");
    return;
  }
  for (const norms::Rows rows : {norms::Rows{1, 1}, {3, 7}, {257, 63}, {256, 64}, {1030, 260}, {517, 1024}})
    norms_on_gpu::compare(rows);
}
