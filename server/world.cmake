# drover_world: a simulation without a program around it. Scenario texts, requests and ticks go in; replies, events, packed
# frames and hashes come out. No libuv, threads, sockets, files or clock: tests/checks/layers.py and world_symbols.py hold that.
# The server is its first user. Included by server/CMakeLists.txt and by tests/cross.
set(DROVER_WORLD_SOURCES
  commands/apply_context.c
  commands/command_agents.c
  commands/command_apply.c
  commands/command_edit.c
  commands/command_targets.c
  commands/command_time.c
  commands/command_query.c
  commands/simulation_state.c
  frames/frame_form.c
  frames/nearest_rows.c
  frames/rays.c
  frames/snapshot_gather.c
  frames/world_snapshot.c
  recording/replay.c
  recording/checkpoint.c
  recording/checkpoint_part.c
  recording/checkpoint_read.c
  recording/core_changes.c
  recording/recording_line.c
  scenario/scenario.c
  scenario/scenario_geometry.c
  scenario/scenario_kind.c
  scenario/scenario_now.c
  scenario/scenario_schema.c
  scenario/scenario_text.c
  scenario/scenario_world.c)
list(TRANSFORM DROVER_WORLD_SOURCES PREPEND ${CMAKE_CURRENT_LIST_DIR}/)
drover_library(drover_world ${DROVER_WORLD_SOURCES})
if(CMAKE_SYSTEM_NAME STREQUAL "WASI")
  set_source_files_properties(${CMAKE_CURRENT_LIST_DIR}/recording/recording_line.c PROPERTIES COMPILE_DEFINITIONS DROVER_SUM_SLICES=1)
endif()
target_link_libraries(drover_world PUBLIC drover_sim drover_common)
set_target_properties(drover_world PROPERTIES POSITION_INDEPENDENT_CODE ON C_VISIBILITY_PRESET hidden) # for libdrover-sim
