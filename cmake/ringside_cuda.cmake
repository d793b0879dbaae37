# CUDA kernels as plain functions, compiled by nvcc itself: CMake's own support would probe that compiler for seconds in every
# first configuration.
#   RINGSIDE_CUDA               AUTO: where nvcc and the runtime are found; ON: they must be; OFF
#   RINGSIDE_CUDA_ARCHITECTURE  of the GPU: sm_90, native
#   ringside_cuda_library(TARGET KERNEL...)   of this folder's KERNEL.cu, with the headers of the layer beside it
set(RINGSIDE_CUDA_ARCHITECTURE sm_90 CACHE STRING "What nvcc compiles for, beside PTX of it for later GPUs")
set(RINGSIDE_CUDA AUTO CACHE STRING "CUDA kernels and their tests: AUTO where nvcc is found, ON, OFF")

# C++20 asks for CUDA 12.
function(ringside_is_new_nvcc result program)
  execute_process(COMMAND ${program} --version OUTPUT_VARIABLE text ERROR_QUIET)
  if(NOT text MATCHES "release ([0-9]+)" OR CMAKE_MATCH_1 LESS 12)
    set(${result} FALSE PARENT_SCOPE)
  endif()
endfunction()

set(RINGSIDE_HAS_CUDA FALSE)
if(NOT RINGSIDE_CUDA STREQUAL "OFF")
  find_program(RINGSIDE_NVCC nvcc HINTS $ENV{CUDA_HOME}/bin /usr/local/cuda/bin VALIDATOR ringside_is_new_nvcc)
  get_filename_component(RINGSIDE_CUDA_ROOT "${RINGSIDE_NVCC}" REALPATH)
  get_filename_component(RINGSIDE_CUDA_ROOT "${RINGSIDE_CUDA_ROOT}/../.." ABSOLUTE)
  find_library(RINGSIDE_CUDART cudart_static HINTS ${RINGSIDE_CUDA_ROOT}/lib64 ${RINGSIDE_CUDA_ROOT}/lib)
  if(RINGSIDE_NVCC AND RINGSIDE_CUDART)
    set(RINGSIDE_HAS_CUDA TRUE)
  elseif(RINGSIDE_CUDA STREQUAL "ON")
    message(FATAL_ERROR "RINGSIDE_CUDA=ON, and there is no nvcc of CUDA 12 with its libcudart_static.a: set RINGSIDE_NVCC and RINGSIDE_CUDART")
  endif()
endif()

function(ringside_cuda_library target)
  if(NOT RINGSIDE_HAS_CUDA)
    return()
  endif()
  set(includes -I${CMAKE_CURRENT_SOURCE_DIR}/include)
  foreach(one base trace optim norms)
    list(APPEND includes -I${PROJECT_SOURCE_DIR}/engine/${one}/include)
  endforeach()
  set(objects "")
  foreach(kernel ${ARGN})
    set(object ${CMAKE_CURRENT_BINARY_DIR}/${kernel}.cu.o)
    # --fmad=false: contracting a*b+c would part a kernel from its twin on the CPU.
    add_custom_command(OUTPUT ${object}
      COMMAND ${RINGSIDE_NVCC} -std=c++20 -O3 --fmad=false --expt-relaxed-constexpr --extended-lambda -arch=${RINGSIDE_CUDA_ARCHITECTURE}
              -ccbin ${CMAKE_CXX_COMPILER} -Xcompiler -fPIC ${includes} -MD -MF ${object}.d
              -c ${CMAKE_CURRENT_SOURCE_DIR}/${kernel}.cu -o ${object}
      DEPENDS ${kernel}.cu DEPFILE ${object}.d VERBATIM)
    list(APPEND objects ${object})
  endforeach()
  add_library(${target} STATIC EXCLUDE_FROM_ALL ${objects})
  set_target_properties(${target} PROPERTIES LINKER_LANGUAGE CXX)
  target_include_directories(${target} PUBLIC ${CMAKE_CURRENT_SOURCE_DIR}/include)
  target_link_libraries(${target} PUBLIC ringside::optim ringside::norms ${RINGSIDE_CUDART} ${CMAKE_DL_LIBS} rt Threads::Threads)
endfunction()
