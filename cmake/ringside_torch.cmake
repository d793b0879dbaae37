# Finds LibTorch and makes two targets: ringside::torch (headers and libraries)
# and ringside_torch_pch (the one precompiled header that every torch file of
# the tree reuses, tests too: ATen and autograd, 300 MB and 14 s, against 5 s a file).
# What sees LibTorch is compiled quickly: the work is done in LibTorch, and in layers that do not see it.
set(CMAKE_FIND_PACKAGE_TARGETS_GLOBAL TRUE)  # lessons, demos and tests link them too
find_package(Torch REQUIRED)
unset(CMAKE_FIND_PACKAGE_TARGETS_GLOBAL)

add_library(ringside_torch INTERFACE)
add_library(ringside::torch ALIAS ringside_torch)
target_link_libraries(ringside_torch INTERFACE ${TORCH_LIBRARIES} ${CMAKE_DL_LIBS})
ringside_quick_compile()
separate_arguments(ringside_torch_flags UNIX_COMMAND "${TORCH_CXX_FLAGS}")
# g++'s own default; on the command line it keeps ringside_std_pch from being used.
list(REMOVE_ITEM ringside_torch_flags -D_GLIBCXX_USE_CXX11_ABI=1)
set_property(TARGET torch PROPERTY INTERFACE_COMPILE_OPTIONS "")  # the same flags once more
target_compile_options(ringside_torch INTERFACE ${ringside_torch_flags})
target_include_directories(ringside_torch SYSTEM INTERFACE ${TORCH_INCLUDE_DIRS})

add_library(ringside_torch_pch STATIC ${RINGSIDE_PCH_SOURCE})
target_link_libraries(ringside_torch_pch PUBLIC ringside_torch PRIVATE ringside_options Threads::Threads)
target_precompile_headers(ringside_torch_pch PRIVATE
  <ATen/ATen.h> <ATen/Parallel.h>
  <torch/csrc/autograd/variable.h> <torch/csrc/autograd/autograd.h>
  <memory> <string> <vector>)
