/* A moving picture of what is shown, written by ffmpeg, which must be installed: MP4, or GIF by the file's
 * ending.
 *
 * Owns the process, the pipe, and a thread that writes, for which the drawing does not wait. Frames are given as they are
 * drawn; ffmpeg gets CLIP_FPS of them a second. While it is behind, the picture before stays as long in the clip. One that
 * takes nothing for 5 s, or does not end within 30 s, is killed: the clip has failed. A frame whose size changed in between
 * ends the clip.
 */
#ifndef DROVER_VIEWER_PLATFORM_CLIP_H
#define DROVER_VIEWER_PLATFORM_CLIP_H

#include <stdbool.h>

#include "common/base/failure.h"
#include "viewer/draw/raster.h"

enum { CLIP_FPS = 30 };

struct clip;

/** Starts ffmpeg. NULL with *failure: "ffmpeg is not installed ...", or what the system says. waits: the pictures are
 * drawn for the clip, and clip_add waits for an ffmpeg that is behind. */
NODISCARD struct clip *clip_start(const char *path, int32_t width, int32_t height, bool waits,
                                  struct failure *failure);
/** Whether a frame is due at this time (ms). */
bool clip_wants_frame(const struct clip *clip, double now_ms);
/** Adds the picture, as often as time asks for. -1 when ffmpeg ended or the size differs: then stop. */
NODISCARD int clip_add(struct clip *clip, const struct raster *raster, double now_ms);
/** No more frames come: the file ends in its own time. */
void clip_end(struct clip *clip);
/** Whether clip_stop will not have to wait. */
bool clip_has_ended(struct clip *clip);
/** Ends the file and waits for ffmpeg. -1 with *failure when it did not end well. NULL is fine. */
NODISCARD int clip_stop(struct clip *clip, struct failure *failure);

#endif
