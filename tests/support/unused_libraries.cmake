# Debian's libtorch_cpu names OpenCV and FFmpeg as libraries that it needs, and uses no symbol of theirs. With all that those
# need they are two thirds of the 311 libraries of a process with LibTorch, and 0.15 s of the 0.4 s that its start takes. The
# tests start hundreds: ctest puts an empty library in front of each. The test `installed` runs with the real ones.
find_library(RINGSIDE_TORCH_CPU torch_cpu)
find_program(RINGSIDE_READELF readelf)
if(NOT RINGSIDE_TORCH_CPU OR NOT RINGSIDE_READELF)
  return()
endif()
execute_process(COMMAND ${RINGSIDE_READELF} -dW ${RINGSIDE_TORCH_CPU} OUTPUT_VARIABLE needed)
string(REGEX MATCHALL "lib(opencv_|av|sw)[a-z0-9_]+\\.so\\.[0-9]+" unused "${needed}")
if(NOT unused)
  return()
endif()
set(folder ${CMAKE_CURRENT_BINARY_DIR}/unused_libraries)
file(MAKE_DIRECTORY ${folder})
if(NOT EXISTS ${folder}/empty.so)
  execute_process(COMMAND ${CMAKE_CXX_COMPILER} -shared -nostdlib -x c++ /dev/null -o ${folder}/empty.so COMMAND_ERROR_IS_FATAL ANY)
endif()
foreach(library ${unused})
  file(CREATE_LINK empty.so ${folder}/${library} SYMBOLIC)
endforeach()
# A LibTorch that does use them would lack symbols: then the tests start with the real ones.
execute_process(COMMAND ${CMAKE_COMMAND} -E env LD_LIBRARY_PATH=${folder} ldd -r ${RINGSIDE_TORCH_CPU}
                OUTPUT_VARIABLE said ERROR_VARIABLE said)
if(NOT said MATCHES "undefined symbol|no version information")
  file(WRITE ${folder}/environment.cmake "string(JOIN : path \"${folder}\" \$ENV{LD_LIBRARY_PATH})\nset(ENV{LD_LIBRARY_PATH} \${path})\n")
  set_property(DIRECTORY APPEND PROPERTY TEST_INCLUDE_FILES ${folder}/environment.cmake)
endif()
