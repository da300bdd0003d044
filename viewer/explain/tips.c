/* See tips.h. */
#include "viewer/explain/tips.h"

#include <stddef.h>
#include <string.h>

static const struct {
    const char *name, *words;
} tips[] = {
    /* the selected agent */
    {"state", "What the agent is doing now. Its kind's rules decide when it changes."},
    {"position", "Where its center is, in px of the world: x to the right, y down."},
    {"speed", "How fast it goes, in px/s, and the most that its kind allows."},
    {"heading", "Where it looks, in degrees: 0 is to the right, 90 is down."},
    {"steering force",
     "The force that is left of what all behaviors want (mass × px/s²), and the most that its kind allows."},
    {"stamina", "How long it can still hurry. At 0 it is exhausted until stamina is full again."},
    {"mass", "What a force must push: acceleration is force / mass."},
    /* the overlays, by the names of the settings */
    {"velocity", "Where the agent goes, and how fast (px/s)."},
    {"desired", "The velocity that its behaviors would like to have (px/s)."},
    {"steering", "The force that turns the velocity into the desired one (mass × px/s²)."},
    {"behaviors", "One arrow for the force of each behavior (mass × px/s²), in the behavior's color."},
    {"radii", "How far the selected agent sees, and the circles its behaviors use (px)."},
    {"neighbors", "Lines from the selected agent to the agents that count for its behaviors."},
    {"places",
     "The points that its behaviors aim at: predicted places, the wander goal, the next path point."},
    {"trails", "Where agents came from, fading with time."},
    {"grid", "A line every 100 px."},
    {"palette", "safe: colors that color-blind people can tell apart. classic: the colors of the tutorials."},
    {"heat", "Draws crowds as heat. auto: where agents would cover each other."},
    {"color", "What the color of an agent says: its state, kind, heading, speed ..."},
    {"theme", "A dark ground, or a light one for projectors."},
    {"panels_in", "Which saved files show bar and panels: pictures (F12), all (clips too), or none."},
    {"agent_size", "How many times larger agents are drawn than they are."},
    {"onion", "The selected agent as it was each 0.25 s of the last 2 s."},
    {"predicted", "Where the selected agent will be in the next 2 s if it goes on turning as now."},
    {"strongest force", "The behavior with the largest force on the agent in this tick."},
    /* the plots */
    {"mean speed", "The speed of all agents, on average, in px/s."},
    {"order", "How well headings agree: 0 when they cancel out, 1 when all agents go the same way."},
    {"states", "How many agents are in each state."},
    /* the ranks of a cluster */
    {"ranks",
     "How many programs share the world, and how: stripes have a part of the agents each, copies all of "
     "them."},
    {"longest rank", "The rank with the most work in a tick: the others wait for it."},
    {"balance", "The mean work of all ranks, divided by that of the longest: 100 % when all have the same."},
    {"ghosts", "Agents of other ranks that a rank sees, added up over all ranks."},
    {"migrants", "Agents that go over to another rank, each second."},
    {"work and wait", "Of each rank: what a tick takes, and how long it waits for the others."},
    /* the network */
    {"ping", "The time of a question to the server and its answer, in ms."},
    {"snapshots", "How many pictures of the world come from the server each second."},
    {"received", "How much the server sends, in kilobytes per second."},
    {"pictures", "How many pictures this viewer draws each second; fewer while nothing moves."},
    {"a picture takes", "The time that the drawing thread works on a picture, in ms."},
    {"- its moment", "Where the agents are at the picture's moment, and their colors."},
    {"- world", "Drawing the world."},
    {"- panels", "The words and the panels."},
    {"- show", "Handing the picture to the screen."},
    {"a tick takes", "The median time of a tick of the server, in ms."},
    {"- commands", "The requests served at the boundary of a tick."},
    {"- step", "The tick itself: the agents sense, steer and move."},
    {"- copy", "Copying the world for the frames."},
    {"- broadcast", "Encoding the frames and handing them to the clients."},
    {"interpolation delay", "How far the picture is behind the newest snapshot, in ms, so that motion "
                            "between two of them is smooth."},
    {"mouse to echo", "The time from a motion of the mouse to the first snapshot that knows of it, in ms."},
    {"skipped snapshots", "Snapshots of the last seconds that came too late to be drawn. A few do no harm."},
};

const char *tips_find(const char *name) {
    for (size_t i = 0; i < sizeof tips / sizeof tips[0]; i++) {
        if (strcmp(tips[i].name, name) == 0) {
            return tips[i].words;
        }
    }
    return "";
}
