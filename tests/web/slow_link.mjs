// A narrow link to a server: a TCP proxy that passes so many bytes a second on and, as a reverse proxy does, takes what comes as long as
// it has room: what waits lies here and in the kernel, where the server does not see it.
//
//     node slow_link.mjs PORT BYTES_PER_S [LISTEN_PORT]      by hand: prints its own port

import { connect, createServer } from "node:net";

const SLICE_MS = 50;
const HELD_BYTES = 64 * 1024;

export async function startSlowLink(port, bytesPerSecond, listenPort = 0) {
  const sockets = new Set();
  const link = { bytesPerSecond };
  const server = createServer((visitor) => {
    const there = connect(port, "127.0.0.1");
    let held = [], heldBytes = 0;
    for (const socket of [visitor, there]) {
      sockets.add(socket);
      socket.setNoDelay(true);
      socket.on("error", () => {});
    }
    visitor.on("data", (bytes) => there.write(bytes));
    there.on("data", (bytes) => {
      held.push(bytes);
      heldBytes += bytes.length;
      if (heldBytes >= HELD_BYTES) there.pause();
    });
    const timer = setInterval(() => {
      let room = Math.max(1, Math.round((link.bytesPerSecond * SLICE_MS) / 1000));
      while (room > 0 && held.length > 0) {
        const part = held[0].subarray(0, room);
        held[0] = held[0].subarray(part.length);
        if (held[0].length === 0) held.shift();
        room -= part.length;
        heldBytes -= part.length;
        visitor.write(part);
      }
      if (heldBytes < HELD_BYTES) there.resume();
    }, SLICE_MS);
    const end = () => {
      clearInterval(timer);
      visitor.destroy();
      there.destroy();
    };
    visitor.on("close", end);
    there.on("close", () => (heldBytes === 0 ? end() : setTimeout(end, 60_000).unref()));
  });
  await new Promise((done) => server.listen(listenPort, "127.0.0.1", done));
  link.port = server.address().port;
  link.stop = async () => {
    for (const socket of sockets) socket.destroy();
    await new Promise((done) => server.close(done));
  };
  return link;
}

if (process.argv[1] === new URL(import.meta.url).pathname) {
  const [port, bytesPerSecond, listenPort] = process.argv.slice(2).map(Number);
  console.log((await startSlowLink(port, bytesPerSecond, listenPort || 0)).port);
}
