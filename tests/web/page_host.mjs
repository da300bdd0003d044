// page.wasm in node, without a browser: its imports, its texts, and a TCP connection to a server in place of the WebSocket.

import { readFileSync } from "node:fs";
import { createConnection } from "node:net";

export const WISH = { MESH: 1, PIXELS: 2, PANELS: 4, OUTPUT: 8, WANTS_SOCKET: 16, CLOSES_SOCKET: 32, STILL: 64, ENDED: 128 };
export const POINTER = { MOVE: 0, DOWN: 1, UP: 2, LEAVE: 3, CANCEL: 4 };
export const HAS_CARD = 1, TAKES_CROWD = 4;
const VERTEX_BYTES = 20;
const [OPENED, CLOSED, FAILED] = [0, 1, 2];

export class Page {
  // options: of drover-viewer. flags: 0 draws pixels, HAS_CARD a mesh. now: the clock, ms.
  constructor(file, { options = [], width = 1280, height = 800, ratio = 1, flags = 0, settings = "", now = () => performance.now() } = {}) {
    this.now = now;
    this.log = [];
    this.kept = [];
    this.saved = []; // {name, text} or {name, width, height, pixels}
    this.title = "";
    this.sections = {}; // of the panels, the newest of each
    this.sent = []; // lines
    this.closures = 0;
    const instance = new WebAssembly.Instance(new WebAssembly.Module(readFileSync(file)), { drover: this.#host() });
    this.exports = instance.exports;
    this.exports._initialize();
    if (settings !== "") this.exports.page_settings(this.#put(settings));
    for (const option of options) {
      if (this.exports.page_option(this.#put(option)) === 0) throw new Error(`no room for ${option}`);
    }
    if (this.exports.page_create(width, height, ratio, flags) === 0) throw new Error(this.failure());
  }

  #host() {
    return {
      page_host_now_ms: () => this.now(),
      page_host_wall_ms: () => Date.now(),
      page_host_log: (at, length) => this.log.push(this.text(at, length)),
      page_host_copy: (at, length) => ((this.copied = this.text(at, length)), 1),
      page_host_title: (at, length) => (this.title = this.text(at, length)),
      page_host_fetch: (at, length) => this.wanted.push(this.text(at, length)),
      page_host_cursor: (shape) => (this.cursor = shape),
      page_host_full_screen: () => (this.isFullScreen = !this.isFullScreen),
      page_host_keep: (at, length) => this.kept.push(this.text(at, length)),
      page_host_save: (name, nameLength, at, length) => this.saved.push({ name: this.text(name, nameLength), text: this.text(at, length) }),
      page_host_save_picture: (name, length, at, width, height) =>
        this.saved.push({ name: this.text(name, length), width, height, pixels: this.words(at, width * height).slice() }),
      page_host_read: () => 0,
    };
  }

  // ---- memory

  bytes(at, length) {
    return new Uint8Array(this.exports.memory.buffer, at, length);
  }
  words(at, count) {
    return new Uint32Array(this.exports.memory.buffer, at, count);
  }
  text(at, length) {
    return Buffer.from(this.bytes(at, length)).toString("utf8");
  }
  #put(text) {
    const bytes = Buffer.from(text, "utf8");
    this.bytes(this.exports.page_text(bytes.length), bytes.length).set(bytes);
    return bytes.length;
  }
  #give(name) {
    const at = this.exports.page_text(8), words = this.exports[name](at);
    return this.text(words, this.words(at, 1)[0]);
  }

  // ---- what the Worker does

  failure() {
    return this.#give("page_failure");
  }
  shortcuts() {
    return JSON.parse(this.#give("page_shortcuts"));
  }
  panels(message) {
    return this.exports.page_panels_take(this.#put(JSON.stringify(message)));
  }
  type(text) {
    this.exports.page_typed(this.#put(text));
  }
  key(code, modifiers = 0) {
    const known = this.exports.page_key(code, 1, 0, modifiers);
    this.exports.page_key(code, 0, 0, modifiers);
    return known;
  }
  click(x, y, clicks = 1) {
    this.exports.page_pointer(POINTER.MOVE, 0, x, y, 0, 0, 0);
    this.exports.page_pointer(POINTER.DOWN, 0, x, y, 1, clicks, 0);
    this.exports.page_pointer(POINTER.UP, 0, x, y, 1, clicks, 0);
  }
  line(bytes) {
    const at = this.exports.page_reserve(bytes.length);
    if (at === 0) throw new Error("no memory for a line");
    this.bytes(at, bytes.length).set(bytes);
    this.exports.page_commit(bytes.length);
  }
  mesh() {
    const at = this.exports.page_mesh();
    if (at === 0) return null;
    const [vertices, vertexCount, indices, indexCount, batches, batchCount, width, height] = this.words(at, 8);
    return { width, height, vertices: this.bytes(vertices, vertexCount * VERTEX_BYTES), vertexCount, indexCount, batchCount,
             indices: this.words(indices, indexCount), batches: this.words(batches, batchCount * 9) };
  }
  pixels() {
    const at = this.exports.page_pixels();
    if (at === 0) return null;
    const [pixels, width, height] = this.words(at, 3);
    return { width, height, pixels: this.words(pixels, width * height) };
  }

  // ---- the socket

  // port: of a server on this machine, over TCP: a line there is a message here.
  #open(port) {
    const socket = createConnection({ host: "127.0.0.1", port, noDelay: true });
    let rest = Buffer.alloc(0), isOpen = false;
    this.socket = socket;
    const isCurrent = () => this.socket === socket;
    socket.on("connect", () => isCurrent() && ((isOpen = true), this.exports.page_link(OPENED, 0, 0)));
    socket.on("data", (bytes) => {
      rest = rest.length > 0 ? Buffer.concat([rest, bytes]) : bytes;
      for (let end = rest.indexOf(10); end >= 0 && isCurrent(); end = rest.indexOf(10)) {
        this.line(rest.subarray(0, end));
        rest = rest.subarray(end + 1);
      }
    });
    socket.on("error", () => {});
    socket.on("close", () => {
      if (isCurrent()) {
        this.socket = null;
        this.exports.page_link(isOpen ? CLOSED : FAILED, 0, 0);
      }
    });
  }
  close() {
    const socket = this.socket;
    this.socket = null;
    this.closures++;
    socket?.destroy();
  }

  // One frame, and what it asks for. Returns its wishes.
  frame(port) {
    const wish = this.exports.page_frame();
    if ((wish & WISH.CLOSES_SOCKET) !== 0) this.close();
    if ((wish & WISH.WANTS_SOCKET) !== 0) this.#open(port);
    if ((wish & WISH.OUTPUT) !== 0) {
      const lines = this.#give("page_take_output");
      this.sent.push(...lines.split("\n").filter((line) => line !== ""));
      this.socket?.write(lines);
    }
    if ((wish & WISH.PANELS) !== 0) Object.assign(this.sections, JSON.parse(this.#give("page_panels")));
    return wish;
  }
}
