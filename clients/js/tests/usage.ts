// A script that uses the types; each mistake in it must be found.
import { connect, DroverError, overPort, register, type Events, type Replies } from "@drover/client";

async function requests(): Promise<void> {
    const world = await connect("tcp://127.0.0.1:7717", { name: "Ann", timeoutMs: 500, signal: new AbortController().signal });
    const first: number = (await world.spawn("boid", { count: 3, x: 1.5, y: 2 }, { timeoutMs: Infinity })).first_id;
    const all: Replies["spawn"] = await world.spawn({ kind: "boid" });
    const { tick, hash } = await world.step(60);
    const { frame } = await world.step(1, { return: "packed" });
    const unit: string = (await world.params("boid")).max_speed.unit;
    const mass: number = (await world.params()).boid.mass.value;
    await world.set_param("boid", "max_speed", first + tick + all.last_id + mass + frame.n);
    await world.batch([{ op: "spawn", kind: "boid" }, { op: "set_target", agent: 1, x: 1, y: 2 }]);
    await world.drive({ agents: Uint32Array.of(1, 2), vx: new Float32Array(2), vy: [0, 0] });
    await world.mouse(1, 2, {}, { reply: false });
    await world.remove([1, 2]);
    await world.ask("later_op", { any: "member" });
    console.log(unit, hash?.length, (await world.ask("ping")).clock.toFixed(1));
    // @ts-expect-error: a member of another name
    await world.spawn("boid", { cuont: 3 });
    // @ts-expect-error: a text for a number
    await world.spawn("boid", { count: "three" });
    // @ts-expect-error: the kind is missing
    await world.spawn();
    // @ts-expect-error: no such member of the reply
    (await world.spawn("boid")).frist_id;
    // @ts-expect-error: no such request
    await world.pasue();
    // @ts-expect-error: not awaited
    world.pause().tick;
    // @ts-expect-error: a layout that is none
    world.watch({ layout: "pakced" });
    // @ts-expect-error: a batch has no batch in it
    await world.batch([{ op: "batch", requests: [] }]);
    // @ts-expect-error: an option of another name
    await connect("ws://127.0.0.1:7718/ws", { timeout: 5 });
    // @ts-expect-error: no address
    await connect(7717);
}

async function frames(): Promise<void> {
    const world = await connect(new MessageChannel().port1);
    for await (const frame of world.watch({ hz: 20, fields: ["pos", "state"] })) {
        const x: Int32Array = frame.x, px: Float64Array = frame.px.steering, kind: string = frame.kind.at(0);
        console.log(x[0], px[0], kind, frame.missed, frame.targets.mouse.x);
        // @ts-expect-error: a column that no frame has
        console.log(frame.color);
        // @ts-expect-error: a column cannot be replaced
        frame.x = x;
    }
    for await (const cells of world.watch({ layout: "density", grid: [4, 4] })) {
        console.log(cells.count.length, cells.by_kind?.prey[0]);
        // @ts-expect-error: cells have no places
        console.log(cells.x);
    }
    const agents = (await world.snapshot({ layout: "objects" })).agents, columns = (await world.snapshot()).id;
    console.log(agents.length, columns.length);
}

async function events(): Promise<void> {
    register("wasm", () => overPort(new Worker("server.js")));
    const world = await connect("wasm:boids");
    const end: () => void = world.on("caught", (event: Events["caught"]) => console.log(event.agent + event.quarry));
    world.on("link", (link) => console.log(link.up ? link.again : link.reason));
    world.on("error", (error: DroverError) => console.log(error.code, error.field));
    for await (const event of world.events(["spawned", "removed"])) {
        console.log(event.count, event.event === "spawned" ? event.first_id : event.kind);
        // @ts-expect-error: only one of the two has it
        console.log(event.first_id);
    }
    // @ts-expect-error: no such event
    world.on("cauhgt", end);
    // @ts-expect-error: no such event
    world.events("cauhgt");
    await world[Symbol.asyncDispose]();
}

void [requests, frames, events];
