// Common to the tests of @drover/client: the package, a server with a script of answers, checks.

import { createHash } from "node:crypto";
import { createServer as createHttpServer } from "node:http";
import { createServer } from "node:net";
import { resolve } from "node:path";
import { pathToFileURL } from "node:url";

import { check, ROOT } from "../../../tests/web/support.mjs";

export * from "../../../tests/web/support.mjs";
export { freePort, killServer, startServer, stopServer, withServer } from "../../../tests/web/drover.mjs";

export const PACKAGE = resolve(process.env.DROVER_JS_PACKAGE ?? `${ROOT}/clients/js`);
// index.js: what browsers have, in a Node.js with a WebSocket of its own.
export const ENTRY = process.env.DROVER_JS_ENTRY ?? "node.js";
export const drover = await import(pathToFileURL(`${PACKAGE}/dist/${ENTRY}`));

export function same(found, wanted, words = "") {
  const [a, b] = [JSON.stringify(found), JSON.stringify(wanted)];
  check(a === b, () => `${words}: ${a} is not ${b}`);
}

// The DroverError (or other error) that a promise fails with.
export async function failure(promise, words = "") {
  try {
    await promise;
  } catch (error) {
    return error;
  }
  throw new Error(`no error came: ${words}`);
}

export async function fails(code, promise) {
  const error = await failure(promise);
  check(error instanceof drover.DroverError && error.code === code, () => `"${code}" was expected, and came: ${error.stack}`);
  return error;
}

// Numbers from 0 to 1, the same each time.
export function randomOf(seed) {
  let state = seed >>> 0;
  return () => {
    state = (Math.imul(state, 1664525) + 1013904223) >>> 0;
    return state / 2 ** 32;
  };
}

export const HELLO = {
  op: "hello", protocol: 1, server: "fake", session: 1, tick: 0, time: 0, paused: true, role: "admin",
  scenario: { name: "fake", title: "", description: "", size: [1, 1], edge: "open", seed: 1, tick_hz: 60, kinds: [], targets: [] },
};
export const lineOf = (line) => `${JSON.stringify(line)}\n`;
export const replyTo = (line, members = {}) => {
  const { op, id } = JSON.parse(line);
  return lineOf({ op: "reply", to: op, ...(id === undefined ? {} : { id }), tick: 0, ...members });
};

// A server for what a real one never does. greet(connection) and answer(connection, line) give what is sent: text, bytes, null to hang up, or
// [bytes, null] to send and hang up. lines: [connection, line] of all that came. over: "tcp" or "ws".
export async function fakeServer({ answer = (_, line) => replyTo(line), greet = () => lineOf(HELLO), over = "tcp" } = {}) {
  const fake = { lines: [], connections: 0, open: new Set() };
  const say = (socket, said) => {
    const [bytes, ends] = Array.isArray(said) ? [said[0], true] : [said, said === null];
    if (bytes !== null) socket.write(over === "tcp" || typeof bytes !== "string" ? bytes : framesOf(bytes));
    if (ends) socket.destroy();
  };
  const begin = (socket) => {
    const number = ++fake.connections;
    const read = over === "tcp" ? linesOf() : messagesOf();
    fake.open.add(socket);
    socket.on("error", () => {}).on("end", () => socket.end()).on("close", () => fake.open.delete(socket));
    say(socket, greet(number));
    socket.on("data", (data) => {
      for (const line of read(data)) {
        fake.lines.push([number, line]);
        if (!socket.destroyed) say(socket, answer(number, line, socket));
      }
    });
  };
  const server = over === "tcp" ? createServer(begin) : createHttpServer();
  server.on("upgrade", ({ headers }, socket) => {
    const accept = createHash("sha1").update(`${headers["sec-websocket-key"]}258EAFA5-E914-47DA-95CA-C5AB0DC85B11`).digest("base64");
    socket.write(`HTTP/1.1 101 Switching Protocols\r\nUpgrade: websocket\r\nConnection: Upgrade\r\nSec-WebSocket-Accept: ${accept}\r\n` +
      "Sec-WebSocket-Protocol: drover.v1\r\n\r\n");
    begin(socket);
  });
  await new Promise((done) => server.listen(0, "127.0.0.1", done));
  const { port } = server.address();
  fake.address = over === "tcp" ? `tcp://127.0.0.1:${port}` : `ws://127.0.0.1:${port}/ws`;
  fake.hangUp = () => fake.open.forEach((socket) => socket.destroy());
  fake.close = () => {
    fake.hangUp();
    return new Promise((done) => server.close(done));
  };
  return fake;
}

function linesOf() {
  let rest = "";
  return (data) => {
    const lines = (rest + data).split("\n");
    rest = lines.pop();
    return lines;
  };
}

// A frame of a WebSocket server. head: its first byte.
export function frameOf(payload, head = 0x81) {
  const bytes = Buffer.from(payload), size = bytes.length;
  const start = Buffer.alloc(size < 126 ? 2 : size < 65536 ? 4 : 10);
  start[0] = head;
  start[1] = size < 126 ? size : size < 65536 ? 126 : 127;
  if (size >= 65536) start.writeBigUInt64BE(BigInt(size), 2);
  else if (size >= 126) start.writeUInt16BE(size, 2);
  return Buffer.concat([start, bytes]);
}
const framesOf = (text) => Buffer.concat(text.split("\n").filter((line) => line !== "").map((line) => frameOf(line)));

// The text messages of a WebSocket client.
function messagesOf() {
  let bytes = Buffer.alloc(0);
  return (data) => {
    bytes = Buffer.concat([bytes, data]);
    const found = [];
    for (;;) {
      if (bytes.length < 6) return found;
      const short = bytes[1] & 127, at = short === 126 ? 4 : short === 127 ? 10 : 2;
      const size = short === 126 ? bytes.readUInt16BE(2) : short === 127 ? Number(bytes.readBigUInt64BE(2)) : short;
      check((bytes[1] & 0x80) !== 0, "a client's frame has no mask");
      if (bytes.length < at + 4 + size) return found;
      const payload = bytes.subarray(at + 4, at + 4 + size).map((byte, i) => byte ^ bytes[at + (i & 3)]);
      if ((bytes[0] & 15) === 1) found.push(Buffer.from(payload).toString());
      bytes = bytes.subarray(at + 4 + size);
    }
  };
}
