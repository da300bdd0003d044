#!/usr/bin/env python3
"""Looking back: the minute is simulated time, a held moment stays, and the past is marked as the past.

    viewer_past.py DROVER_SERVER DROVER_VIEWER
"""

import math
import time

from drover_client import PATIENCE_S, Server
import viewer_support as support
from viewer_support import check, step, wait_until

VIEWER = support.viewer_program(__doc__)
SIZE = (1000, 520)
LIVE = (704, SIZE[1] - 19, 14)  # where the word is on the timeline
GREEN, AMBER, LIT = (0x3F, 0xB9, 0x50), (0xE3, 0xB3, 0x41), (0x2F, 0x6D, 0xB5)
KEPT = (0x4C, 0x57, 0x66)  # the line where the server keeps the past
TIMELINE = (228, 598, SIZE[1] - 19)  # its left and right end, and how far down it is
JUMP = 60  # ticks: Shift with Left and Right goes a second of the world's time


def is_live(picture):
    return picture.count(GREEN, *LIVE) > 20 and not is_past(picture)


def is_past(picture):
    """The amber frame, whose left edge is at the picture's."""
    return all(picture.pixel(1, y) == AMBER for y in (200, 300, 400))


def world_tick(asker):
    return asker.snapshot()["tick"]


def run_for(client, ticks):
    """Lets the world run for this many ticks and pauses it; returns all snapshots by tick."""
    client.request("subscribe", hz=60)
    client.request("resume")
    seen = {}
    first = None
    while first is None or max(seen) < first + ticks:
        snapshot = client.receive_op("snapshot")
        first = snapshot["tick"] if first is None else first
        seen[snapshot["tick"]] = snapshot
    client.request("pause")
    client.request("unsubscribe")
    return seen


def runs_on(asker, what="the world runs on"):
    """Waits for a second of the world."""
    before = world_tick(asker)
    wait_until(lambda: world_tick(asker), lambda tick: tick > before + JUMP, what)


def talk(viewer, times):
    """A second client points at the paused world; each time the snapshot is sent again."""
    for _ in range(times):
        viewer.move(320, 300)
        viewer.move(350, 280)
        viewer.frames(1)


def shown(viewer, is_right=lambda picture: True, what="anything"):
    return viewer.picture(is_right, what)


def nothing_yet(viewer, client):
    step("a world that was started paused has no past: nothing is recorded while it stands")
    talk(viewer, 8)
    shown(viewer, is_live, "it is live")
    viewer.key("Left")
    picture = shown(viewer)
    check(is_live(picture) and picture.tick == 0, f"Left finds nothing: tick {picture.tick}")
    step("its steps are recorded, one by one")
    for tick in (1, 2, 3):
        client.request("step")
        shown(viewer, lambda p, tick=tick: p.tick == tick, f"tick {tick} is done")  # what is never shown is not recorded
    for key, tick in (("comma", 2), ("comma", 1), ("comma", 0), ("period", 1), ("period", 2), ("period", 3)):
        viewer.key(key)
        shown(viewer, lambda p, tick=tick: p.tick == tick, f", and . go through the steps: {key} to {tick}")
    shown(viewer, is_live, "after the newest it is live")


def looks_back_in_a_pause(viewer, client, asker, camera):
    step("a pause eats nothing: every second back shows its own tick and its own positions")
    for speed in (1.0, 1.0, 0.5, 0.25, 0.1):  # a busy machine leaves frames out: then it is done again, with a slower world
        client.request("speed", factor=speed)
        seen = run_for(client, 5 * JUMP)
        end = world_tick(asker)
        talk(viewer, 16)
        shown(viewer, lambda p, end=end: is_live(p) and p.tick == end, f"tick {end} is shown live")
        ticks, checked = goes_back(viewer, camera, seen, end)
        if is_regular(ticks) and checked > 0:
            break
        viewer.key("End")
    client.request("speed", factor=1.0)
    check(is_regular(ticks), f"Shift+Left goes {JUMP} ticks back: {ticks}")
    check(checked > 0, "no agent was in the open")
    viewer.key("shift+Right")
    right = shown(viewer).tick
    off = max(abs(later - earlier - JUMP) for later, earlier in zip(ticks, ticks[1:]))  # 0 unless a busy machine left frames out
    check(abs(right - ticks[-2]) <= 2 * off, f"Shift+Right goes back to tick {ticks[-2]}, not {right}; {ticks}")
    viewer.key("End")
    shown(viewer, lambda p: is_live(p) and p.tick == end, "End is live")


def is_regular(ticks):
    return all(abs(later - earlier - JUMP) <= 4 for later, earlier in zip(ticks, ticks[1:]))


def goes_back(viewer, camera, seen, end):
    """Shift+Left, four times; the ticks that were shown, and how many agents are where they were."""
    ticks, checked = [end], 0
    for _ in range(4):
        viewer.key("shift+Left")
        picture = shown(viewer, is_past, "the past has its frame")
        ticks.append(picture.tick)
        if picture.tick in seen:
            agents = in_the_open(camera, seen[picture.tick]["agents"])
            wrong = [a["id"] for a in agents if not is_there(picture, camera, a)]
            check(not wrong, f"at tick {picture.tick} agents {wrong} of {len(agents)} are not where they were")
            checked += len(agents)
    return ticks, checked


def in_the_open(camera, agents):
    """The agents that nothing else is drawn over."""
    places = {a["id"]: camera.to_window(a["x"], a["y"]) for a in agents}
    return [a for a in agents
            if 220 < places[a["id"]][0] < 680 and 180 < places[a["id"]][1] < 440 and a["state"] in support.STATE_COLORS and
            all(math.dist(places[a["id"]], place) > 14 for other, place in places.items() if other != a["id"])]


def is_there(picture, camera, agent):
    return picture.count(support.STATE_COLORS[agent["state"]], *camera.to_window(agent["x"], agent["y"]), 4) > 5


def holds(viewer, client, asker):
    step("a moment that is held stays while the world runs on; so does the handle under a mouse that rests")
    client.request("resume")
    viewer.key("Left")
    first = shown(viewer, is_past, "the past").tick
    runs_on(asker)
    check(shown(viewer).tick == first, f"tick {first} is held")
    viewer.key("End")
    shown(viewer, is_live, "End is live")
    drags(viewer, asker)


def drags(viewer, asker):
    """The handle goes as far back as the mouse does: 20 px at a time, of a timeline of a minute."""
    left, right, y = TIMELINE
    step_ticks = 20 * 60.0 * JUMP / (right - left)
    for _ in range(5):  # a busy machine leaves frames out: then it is done again, elsewhere in the past
        shown(viewer, lambda p: is_live(p) and p.tick > 4 * step_ticks, "there is enough of the past")
        viewer.move(right, y)
        viewer.press()
        viewer.move(right - 20, y)
        viewer.move(right - 40, y)
        shown(viewer)  # the effect of the handle shows a frame later
        first = shown(viewer, is_past, "dragging the handle looks back").tick
        runs_on(asker)
        check(shown(viewer).tick == first, f"tick {first} is held under the mouse")
        viewer.move(right - 60, y)
        earlier = shown(viewer, lambda p, first=first: p.tick < first, "farther back").tick
        viewer.release()
        runs_on(asker)
        check(shown(viewer).tick == earlier, "and when it was let go")
        if abs(first - earlier - step_ticks) < 20:
            return
        viewer.key("End")
    check(False, f"20 px are {step_ticks:.0f} ticks: {first} to {earlier}")


def plays(viewer, asker):
    step("Space plays the past on and holds it; the world is not paused by it")
    first = shown(viewer, is_past, "the past").tick
    viewer.key("space")
    later = shown(viewer, lambda p: p.tick > first + 20, "the past plays on")
    check(is_past(later), "it is still the past")
    viewer.key("space")
    held = shown(viewer).tick
    runs_on(asker, "the world was never paused")
    check(shown(viewer).tick == held, "Space holds it again")


def changes_nothing(viewer, asker, camera):
    step("what would change the present does nothing in the past")
    asker.request("set_target", name="mouse", x=50, y=50)  # a target that was just set does not stroll
    before = asker.snapshot()
    shown(viewer, is_past, "the past")
    viewer.move(400, 300)
    for key in ("a", "x"):
        viewer.key(key)
        viewer.click()
    viewer.frames()
    after = asker.snapshot()
    check([a["id"] for a in before["agents"]] == [a["id"] for a in after["agents"]], "agents came or went")
    x, y = camera.to_world(400.5, 300.5)
    check(all(math.dist((t["x"], t["y"]), (x, y)) > 5 for t in after["targets"]), f"a target followed: {after['targets']}")
    step("back in the present it works")
    viewer.key("End")
    viewer.key("a")
    viewer.click()
    deadline = time.monotonic() + PATIENCE_S
    while len(asker.snapshot()["agents"]) == len(before["agents"]):
        check(time.monotonic() < deadline, "a click adds an agent again")
    viewer.key("Escape")


def begins_afresh(viewer, asker):
    step("a load starts the past afresh")
    viewer.key("Left")
    shown(viewer, is_past, "the past")
    check(asker.request("load", scenario="seek")["op"] == "reply", "seek is loaded")
    shown(viewer, is_live, "the new world is live")
    viewer.key("Left")
    viewer.key("Left")
    picture = shown(viewer)
    check(picture.tick <= asker.snapshot()["tick"], f"tick {picture.tick} is of the new world")


def goes_on(viewer, client):
    step("10 s back by the handle, on from there: a branch; a click on the other one goes back to it")

    def branch():
        return next(row["name"] for row in client.request("list", what="branches")["branches"] if row["current"])

    left, right, y = TIMELINE
    viewer.key("End")
    end = shown(viewer, is_live, "now").tick
    viewer.move(right, y)
    viewer.press()
    viewer.move(right - 20, y)
    viewer.drop(right - (right - left) // 6, y)
    earlier = shown(viewer, lambda p: is_past(p) and p.tick < end - 5 * JUMP, "the past").tick
    viewer.key("ctrl+t")
    wait_until(branch, lambda name: name == "b2", "the world goes on in a branch")
    shown(viewer, lambda p: is_live(p) and p.tick == earlier, f"from tick {earlier} on")
    viewer.move(right - 6, SIZE[1] - 9)
    viewer.frames(2)
    viewer.click()
    wait_until(branch, lambda name: name == "b1", "it is where it was")
    shown(viewer, lambda p: is_live(p) and p.tick >= end, "at its end")
    viewer.key("ctrl+m")
    wait_until(lambda: client.request("list", what="branches")["marks"], lambda marks: [mark["name"] for mark in marks] == ["m1"], "a mark")
    client.request("resume")
    shown(viewer, lambda p: is_live(p) and p.tick > end + 3 * JUMP, "it runs: Left goes back by a second, of those that were seen here")


def drags_back(viewer, pixels):
    """The handle, so many px back from the end of the line, as soon as it is known what the server keeps."""
    _, right, y = TIMELINE
    shown(viewer, lambda p: p.count(KEPT, right - 14, y, 3) > 8, "the line is light where the server keeps the past")
    viewer.move(right, y)
    viewer.press()
    viewer.move(right - 20, y)
    viewer.move(right - pixels, y)


def now_tick(client):
    return client.request("ping")["tick"]


def agents_then(looker, tick):
    check(looker.request("look", tick=tick)["op"] == "reply", f"tick {tick} can be looked at")
    return looker.request("get")["frame"]["agents"]


def looks_farther(viewer, client, looker, camera):
    step("what this window has not seen the server shows: under the handle, by keys, and playing on; nothing of it for others")
    end = now_tick(client)
    shown(viewer, lambda p: is_live(p) and p.tick == end, "now")
    drags_back(viewer, 40)
    earlier = shown(viewer, lambda p: is_past(p) and p.tick < end - 5 * JUMP, "the moment below the mouse is the past").tick
    viewer.move(TIMELINE[1] - 30, TIMELINE[2])
    picture = shown(viewer, lambda p: is_past(p) and earlier < p.tick < end, "nearer")
    agents = in_the_open(camera, agents_then(looker, picture.tick))
    wrong = [a["id"] for a in agents if not is_there(picture, camera, a)]
    check(agents and not wrong, f"at tick {picture.tick} agents {wrong} of {len(agents)} are not where they were")
    viewer.release()
    viewer.move(400, 300)
    for key, by in (("comma", -1), ("comma", -2), ("Left", -3), ("period", -2), ("Right", -1)):
        viewer.key(key)
        shown(viewer, lambda p, tick=picture.tick + by: is_past(p) and p.tick == tick, f"{key}: {by} ticks")
    viewer.key("space")
    shown(viewer, lambda p: is_past(p) and p.tick > picture.tick + 10, "Space plays it on while the world stands")
    viewer.key("space")
    held, before = viewer.frames().tick, None
    while held != before:  # what was on its way when it was held comes still
        held, before = viewer.frames().tick, held
    client.request("mark", name="there")  # an event for all
    check(shown(viewer).tick == held and now_tick(client) == end, "it is held; the world is where it was")
    viewer.key("End")
    shown(viewer, lambda p: is_live(p) and p.tick == end, "End is now")


def looks_while_it_runs(viewer, client):
    step("it stays while the world runs; from there the world goes on")
    client.request("resume")
    begin = now_tick(client)
    drags_back(viewer, 80)
    picture = shown(viewer, lambda p: is_past(p) and p.tick < begin - 5 * JUMP, "the past")
    begin = now_tick(client)
    wait_until(lambda: now_tick(client), lambda tick: tick > begin + JUMP, "the world runs on")
    check(shown(viewer).tick == picture.tick, "the moment stays below the mouse")
    viewer.release()
    viewer.key("End")
    now = now_tick(client)
    shown(viewer, lambda p: is_live(p) and p.tick >= now, "End is now, and it runs")
    viewer.key("shift+Left")
    earlier = shown(viewer, is_past, "a second ago").tick
    for _ in range(3):
        viewer.key("shift+Left")
        earlier = shown(viewer, lambda p, tick=earlier: is_past(p) and p.tick < tick - JUMP // 2, "a second before").tick
    viewer.key("ctrl+t")
    wait_until(lambda: now_tick(client), lambda tick: tick == earlier, "the world is there")
    shown(viewer, lambda p: is_live(p) and p.tick == earlier, "and so is the window")


def asks_what_if():
    step("a button beside the timeline gives the world a twin, and takes it away")
    size = (1270, 520)  # narrow windows have the key alone
    what_if = (773, size[1] - 19)

    def is_lit(picture):
        return picture.count(LIT, *what_if, 20) > 200

    with support.Display() as display, Server("hunters_and_prey", "--paused") as server, server.connect() as client, \
            support.Viewer(VIEWER, display, server.port, "--size", "%dx%d" % size) as viewer:
        client.request("step", count=300)
        shown(viewer, lambda p: p.count(KEPT, 695, size[1] - 19, 3) > 8 and not is_lit(p), "the server keeps the past; no twin runs")
        for is_right, what in ((is_lit, "a twin runs"), (lambda p: not is_lit(p), "none does")):
            viewer.move(*what_if)
            viewer.frames(2)
            viewer.click()
            viewer.move(500, 250)  # below the pointer it glows
            shown(viewer, is_right, what)


def is_not_shown():
    step("a server that shows no other time: the picture stays that of now, and a notice says why")
    with support.Display() as display, Server("hunters_and_prey", "--paused", "--looks", "0") as server, server.connect() as client:
        client.request("step", count=300)
        with support.Viewer(VIEWER, display, server.port, "--size", "%dx%d" % SIZE) as viewer:
            shown(viewer, lambda p: is_live(p) and p.tick == 300, "now")
            drags_back(viewer, 20)
            viewer.release()
            shown(viewer, lambda p: not is_live(p) and not is_past(p) and p.tick == 300, "the picture is of now")
            viewer.key("ctrl+t")
            wait_until(lambda: now_tick(client), lambda tick: tick < 300, "the world goes there all the same")


def main():
    is_not_shown()
    asks_what_if()
    with support.Display() as display, Server("hunters_and_prey", "--paused") as server, server.connect() as client, \
            server.connect() as asker:
        camera = support.Camera(client.hello["scenario"]["size"], SIZE, panel=True)
        with support.Viewer(VIEWER, display, server.port, "--size", "%dx%d" % SIZE) as viewer:
            nothing_yet(viewer, client)
            looks_back_in_a_pause(viewer, client, asker, camera)
            holds(viewer, client, asker)
            plays(viewer, asker)
            changes_nothing(viewer, asker, camera)
            goes_on(viewer, asker)
            begins_afresh(viewer, asker)
        client.request("pause")
        client.request("load", scenario="hunters_and_prey")
        client.request("step", count=900)
        with support.Viewer(VIEWER, display, server.port, "--size", "%dx%d" % SIZE) as viewer, server.connect() as looker:
            looks_farther(viewer, client, looker, camera)
            looks_while_it_runs(viewer, client)
    print("ok")


if __name__ == "__main__":
    main()
