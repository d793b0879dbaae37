# Finds LibTorch and makes two targets: ringside::torch (headers and libraries)
# and ringside_torch_pch (the one precompiled header that every torch file of
# the tree reuses, tests too: ATen and autograd, 300 MB and 14 s, against 5 s a file).
# What sees LibTorch is compiled quickly: the work is done in LibTorch, and in layers that do not see it.
#
# pip's torch (CMAKE_PREFIX_PATH to its share/cmake) comes with or without CUDA. Where it has it, its CMake files ask for a whole
# CUDA Toolkit; nothing but two of its libraries is linked here, so they are named. The libraries of CUDA are loaded by who asks
# for device=cuda (engine/cuda), so that no program names them.
#   RINGSIDE_TORCH_LIB          the folder of a LibTorch with CUDA; "": this one has none
set(RINGSIDE_TORCH_LIB "")
find_file(RINGSIDE_TORCH_CONFIG TorchConfig.cmake PATH_SUFFIXES Torch share/cmake/Torch lib/cmake/Torch NO_CMAKE_SYSTEM_PATH)
get_filename_component(torch_root "${RINGSIDE_TORCH_CONFIG}/../../../.." ABSOLUTE)
if(DEFINED ENV{RINGSIDE_TORCH_LATER})  # what sees it is not built yet: cmake/early.sh
  set(TORCH_LIBRARIES "")
elseif(RINGSIDE_TORCH_CONFIG AND EXISTS ${torch_root}/lib/libc10_cuda.so)
  set(RINGSIDE_TORCH_LIB ${torch_root}/lib)
  set(TORCH_LIBRARIES ${torch_root}/lib/libtorch_cpu.so ${torch_root}/lib/libc10.so)
  set(TORCH_INCLUDE_DIRS ${torch_root}/include ${torch_root}/include/torch/csrc/api/include)
  set(TORCH_CXX_FLAGS "")
  # It has fmt's headers as well, of another version than the library that is linked.
  find_path(RINGSIDE_FMT_HEADERS fmt/core.h REQUIRED)
  file(MAKE_DIRECTORY ${CMAKE_BINARY_DIR}/own_fmt)
  file(CREATE_LINK ${RINGSIDE_FMT_HEADERS}/fmt ${CMAKE_BINARY_DIR}/own_fmt/fmt SYMBOLIC)
  list(PREPEND TORCH_INCLUDE_DIRS ${CMAKE_BINARY_DIR}/own_fmt)
else()
  set(CMAKE_FIND_PACKAGE_TARGETS_GLOBAL TRUE)  # lessons, demos and tests link them too
  find_package(Torch REQUIRED)
  unset(CMAKE_FIND_PACKAGE_TARGETS_GLOBAL)
  set_property(TARGET torch PROPERTY INTERFACE_COMPILE_OPTIONS "")  # the same flags once more
endif()

add_library(ringside_torch INTERFACE)
add_library(ringside::torch ALIAS ringside_torch)
target_link_libraries(ringside_torch INTERFACE ${TORCH_LIBRARIES} ${CMAKE_DL_LIBS})
ringside_quick_compile()
separate_arguments(ringside_torch_flags UNIX_COMMAND "${TORCH_CXX_FLAGS}")
# g++'s own default; on the command line it keeps ringside_std_pch from being used.
list(REMOVE_ITEM ringside_torch_flags -D_GLIBCXX_USE_CXX11_ABI=1)
target_compile_options(ringside_torch INTERFACE ${ringside_torch_flags})
target_include_directories(ringside_torch SYSTEM INTERFACE ${TORCH_INCLUDE_DIRS})

add_library(ringside_torch_pch STATIC ${RINGSIDE_PCH_SOURCE})
target_link_libraries(ringside_torch_pch PUBLIC ringside_torch PRIVATE ringside_options Threads::Threads)
target_precompile_headers(ringside_torch_pch PRIVATE
  <ATen/ATen.h> <ATen/Parallel.h>
  <torch/csrc/autograd/variable.h> <torch/csrc/autograd/autograd.h>
  <memory> <string> <vector> ${RINGSIDE_TEXT_HEADERS})
