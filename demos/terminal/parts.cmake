# What both programs are made of, as libraries.
set(generated ${CMAKE_CURRENT_BINARY_DIR}/generated)
add_custom_target(ringside_commit BYPRODUCTS ${generated}/ringside_commit.h COMMENT ""
  COMMAND ${CMAKE_COMMAND} -DSOURCE=${PROJECT_SOURCE_DIR} -DHEADER=${generated}/ringside_commit.h
          -P ${CMAKE_CURRENT_SOURCE_DIR}/write_commit.cmake)

string(TOUPPER "${CMAKE_BUILD_TYPE}" type)
string(JOIN " " flags ${CMAKE_CXX_FLAGS} ${CMAKE_CXX_FLAGS_${type}})
if(RINGSIDE_SANITIZE)
  string(APPEND flags " -fsanitize=${RINGSIDE_SANITIZE}")
endif()

# Files that include CLI11, and those that include JSON, stand side by side: they are compiled as one.
add_library(ringside_terminal_front STATIC
  figure_options.cpp gui_options.cpp options.cpp plan_options.cpp plan_parameters.cpp program.cpp ps_options.cpp
  ps_simulate_options.cpp
  json_text.cpp list_command.cpp plan_buckets.cpp plan_command.cpp plan_explain.cpp plan_steps.cpp plan_update.cpp
  plan_words.cpp
  flight_command.cpp interrupt.cpp prompt_line.cpp ps_simulate.cpp say_command.cpp spoken_text.cpp table_text.cpp terminal.cpp)
target_link_libraries(ringside_terminal_front
  PUBLIC ringside_study ringside::lesson ringside::figures ringside::planner ringside::flight
  PRIVATE ringside::parameter_server CLI11::CLI11 nlohmann_json::nlohmann_json fmt::fmt ringside_options)
target_precompile_headers(ringside_terminal_front REUSE_FROM ringside_std_pch)

add_library(ringside_terminal_runner STATIC
  bench_command.cpp bench_norms.cpp bench_optimizers.cpp bench_run.cpp bench_step.cpp build_info.cpp figures.cpp first_minute.cpp help_command.cpp memory_passes.cpp
  plain_summary.cpp progress_line.cpp run_command.cpp run_json.cpp series.cpp version_command.cpp)
# The triad is a loop that wants vectors.
set_source_files_properties(memory_passes.cpp PROPERTIES COMPILE_OPTIONS -O3 SKIP_PRECOMPILE_HEADERS ON)
# A test, and ringside-ps, link these without the rest.
set_source_files_properties(bench_run.cpp memory_passes.cpp progress_line.cpp series.cpp PROPERTIES SKIP_UNITY_BUILD_INCLUSION ON)
set_property(SOURCE build_info.cpp PROPERTY COMPILE_DEFINITIONS
  RINGSIDE_VERSION="${PROJECT_VERSION}" RINGSIDE_FLAGS="${flags}"
  RINGSIDE_COMPILER="${CMAKE_CXX_COMPILER_ID} ${CMAKE_CXX_COMPILER_VERSION}")
target_include_directories(ringside_terminal_runner PRIVATE ${generated})
add_dependencies(ringside_terminal_runner ringside_commit)
target_link_libraries(ringside_terminal_runner
  PUBLIC ringside_terminal_front ringside::session ringside::figures ringside::optim
  PRIVATE nlohmann_json::nlohmann_json fmt::fmt ringside_options)
target_precompile_headers(ringside_terminal_runner REUSE_FROM ringside_std_pch)
