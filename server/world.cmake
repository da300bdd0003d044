# drover_world: a simulation without a program around it. Scenario texts, requests and ticks go in; replies, events, packed
# frames and hashes come out. No libuv, threads, sockets, files or clock: tests/checks/layers.py and world_symbols.py hold that.
# The server is its first user. Included by server/CMakeLists.txt and by tests/cross.
set(DROVER_WORLD_SOURCES
  commands/apply_context.c
  commands/command_agents.c
  commands/command_apply.c
  commands/command_batch.c
  commands/command_cursors.c
  commands/command_drive.c
  commands/command_find.c
  commands/command_frame.c
  commands/command_inspect.c
  commands/command_keep.c
  commands/command_obstacles.c
  commands/command_place.c
  commands/command_query.c
  commands/command_table.c
  commands/command_targets.c
  commands/command_time.c
  commands/command_until.c
  commands/event_log.c
  commands/simulation_state.c
  commands/state_batch.c
  commands/state_gather.c
  commands/state_ranks.c
  frames/frame_form.c
  frames/nearest_rows.c
  frames/snapshot_extract.c
  frames/snapshot_gather.c
  frames/snapshot_parcel.c
  frames/snapshot_schedule.c
  frames/world_snapshot.c
  recording/agent_difference.c
  recording/checkpoint.c
  recording/checkpoint_part.c
  recording/checkpoint_part_read.c
  recording/checkpoint_read.c
  recording/checkpoint_read_agents.c
  recording/checkpoint_reading.c
  recording/core_changes.c
  recording/line_sum.c
  recording/recorder.c
  recording/recording_line.c
  recording/recording_scenario.c
  recording/replay.c
  recording/saved_world.c
  scenario/built_world.c
  scenario/scenario.c
  scenario/scenario_geometry.c
  scenario/scenario_kind.c
  scenario/scenario_mistakes.c
  scenario/scenario_text.c
  scenario/scenario_view.c
  scenario/scenario_world.c)
list(TRANSFORM DROVER_WORLD_SOURCES PREPEND ${CMAKE_CURRENT_LIST_DIR}/)
drover_library(drover_world ${DROVER_WORLD_SOURCES})
target_link_libraries(drover_world PUBLIC drover_sim drover_common)
set_target_properties(drover_world PROPERTIES POSITION_INDEPENDENT_CODE ON C_VISIBILITY_PRESET hidden) # for libdrover-sim
