#!/usr/bin/env python3
"""A stand-in for drover-server that speaks protocol.md: for looking at the viewer without a simulation.

Agents circle around the middle of the world, one state each; the target "mouse" goes where `mouse` and `set_target` put it.
Every request of the viewer gets a reply. Standard library only.

    fake_server.py [--port N] [--agents N] [--stall-after S]
"""
import argparse
import json
import math
import socket
import threading
import time

STATES = ["wander", "seek", "pursue", "evade", "arrive", "flee", "orbit"]
SCENARIOS = [("arrive", "Arrive"), ("fake", "Fake world"), ("seek", "Seek")]
SIZE = (800, 600)
TICK_HZ = 60


class World:
    def __init__(self, agents):
        self.lock = threading.Lock()
        self.agents = agents
        self.tick = 0
        self.paused = False
        self.name = "fake"
        self.mouse = [400.0, 300.0]
        self.sessions = []

    def scenario(self):
        kinds = [{"name": "small", "radius": 5, "max_speed": 240, "max_force": 360, "count": self.agents},
                 {"name": "large", "radius": 14, "max_speed": 240, "max_force": 360, "count": self.agents}]
        return {"name": self.name, "title": dict(SCENARIOS)[self.name], "description": "made up", "size": list(SIZE),
                "edge": "wrap", "seed": 1, "tick_hz": TICK_HZ, "kinds": kinds, "targets": ["mouse", "center"]}

    def snapshot(self, forces):
        agents = []
        for i in range(self.agents):
            angle = 0.01 * self.tick + 2 * math.pi * i / self.agents
            radius = 60 + 220 * ((i * 7919) % 97) / 97
            speed = radius * 0.01 * TICK_HZ
            x, y = 400 + radius * math.cos(angle), 300 + radius * math.sin(angle)
            vx, vy = -speed * math.sin(angle), speed * math.cos(angle)
            agent = {"id": i + 1, "kind": "large" if i % 5 == 0 else "small", "state": STATES[i % len(STATES)],
                     "x": round(x, 2), "y": round(y, 2), "vx": round(vx, 2), "vy": round(vy, 2),
                     "heading": round(math.degrees(math.atan2(vy, vx)) % 360, 2) % 360}
            if forces:
                agent["desired"] = [round(vx * 1.3, 2), round(vy * 1.3, 2)]
                agent["steering"] = [round((400 - x), 2), round((300 - y), 2)]
                agent["forces"] = {"seek": agent["steering"]}
            agents.append(agent)
        targets = [{"name": "mouse", "x": self.mouse[0], "y": self.mouse[1]}, {"name": "center", "x": 400.0, "y": 300.0}]
        return {"op": "snapshot", "tick": self.tick, "time": self.tick / TICK_HZ, "agents": agents,
                "targets": targets, "clock": time.monotonic() * 1000}


class Session(threading.Thread):
    def __init__(self, world, connection, number):
        super().__init__(daemon=True)
        self.world, self.connection, self.number = world, connection, number
        self.forces = None  # not subscribed

    def send(self, message):
        try:
            self.connection.sendall((json.dumps(message, separators=(",", ":")) + "\n").encode())
        except OSError:
            pass

    def run(self):
        self.send({"op": "hello", "protocol": 1, "server": "fake 0", "session": self.number, "tick": self.world.tick,
                   "time": self.world.tick / TICK_HZ, "paused": self.world.paused, "scenario": self.world.scenario()})
        try:
            for line in self.connection.makefile("rb"):
                with self.world.lock:
                    self.answer(json.loads(line))
        except OSError:
            pass
        with self.world.lock:
            self.world.sessions.remove(self)

    def broadcast(self, message):
        for session in self.world.sessions:
            if session.forces is not None:
                session.send(message)

    def answer(self, request):
        world, op = self.world, request["op"]
        reply = {"op": "reply", "to": op, "tick": world.tick}
        if "id" in request:
            reply["id"] = request["id"]
        if op == "subscribe":
            self.forces = request.get("forces", False)
            self.send(reply | {"layout": "objects", "hz": 30, "every": 2, "forces": self.forces})
            self.send(world.snapshot(self.forces))
        elif op == "ping":
            self.send(reply | {"t0": request["t0"], "clock": time.monotonic() * 1000})
        elif op == "list":
            self.send(reply | {"scenarios": [{"name": n, "title": t, "description": ""} for n, t in SCENARIOS]})
        elif op == "load":
            if request["scenario"] == "seek":
                self.send({"op": "error", "line": 1, "code": "bad_scenario", "field": "scenario",
                           "message": "scenarios/seek.json: kinds.seeker.max_speed: expected a number, found \"fast\""})
                return
            world.name, world.tick = request["scenario"], 0
            self.send(reply | {"scenario": world.name, "hash": "0" * 16})
            self.broadcast({"op": "scenario"} | world.scenario())
        elif op in ("pause", "resume"):
            world.paused = op == "pause"
            self.broadcast({"op": "event", "event": op + "d", "tick": world.tick, "by": self.number})
        elif op == "step":
            world.tick += request.get("count", 1)
            self.send(reply | {"tick": world.tick, "hash": "0" * 16})
            for session in world.sessions:
                if session.forces is not None:
                    session.send(world.snapshot(session.forces))
        elif op == "mouse":
            world.mouse = [request["x"], request["y"]]


def serve(options):
    world = World(options.agents)
    listener = socket.create_server(("127.0.0.1", options.port))
    print("fake_server listening on 127.0.0.1:%d" % listener.getsockname()[1], flush=True)

    def accept():
        number = 0
        while True:
            connection, _ = listener.accept()
            connection.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
            number += 1
            session = Session(world, connection, number)
            with world.lock:
                world.sessions.append(session)
            session.start()

    threading.Thread(target=accept, daemon=True).start()
    begin = time.monotonic()
    due = begin
    while True:
        due += 1 / 30
        time.sleep(max(0, due - time.monotonic()))
        stalls = options.stall_after and time.monotonic() - begin > options.stall_after
        with world.lock:
            if world.paused or stalls:
                continue
            world.tick += 2
            for session in world.sessions:
                if session.forces is not None:
                    session.send(world.snapshot(session.forces))


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--port", type=int, default=0)
    parser.add_argument("--agents", type=int, default=60)
    parser.add_argument("--stall-after", type=float, default=0, help="send no more snapshots after so many seconds")
    serve(parser.parse_args())
