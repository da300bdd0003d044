// A real drover-server with its page, and a client over TCP that watches the world from beside: written against protocol.md.

import { createConnection, createServer } from "node:net";
import { join } from "node:path";

import { check, endProgram, PATIENCE_MS, ROOT, skip, startProgram, until, within } from "./support.mjs";

// A port of 127.0.0.1 that is free now; for servers that come back to the same one.
export async function freePort() {
  const server = createServer();
  await new Promise((done) => server.listen(0, "127.0.0.1", done));
  const { port } = server.address();
  await new Promise((done) => server.close(done));
  return port;
}

export function programPath(variable, name) {
  return process.env[variable] ?? join(ROOT, "build/release/bin", name);
}

// A server with a page at `address` (http://...) and lines at `port`. words: more of its command line. web and port: those of
// a server before it.
export async function startServer(words = [], { web, port, folder } = {}) {
  const server = { web: web ?? (await freePort()), port: port ?? (await freePort()) };
  const program = programPath("DROVER_SERVER", "drover-server");
  server.words = ["--port", `${server.port}`, "--web", `127.0.0.1:${server.web}`, "--scenarios", join(ROOT, "scenarios"), ...words];
  server.started = startProgram(program, server.words, { cwd: folder ?? ROOT });
  server.address = `http://127.0.0.1:${server.web}`;
  await until(`the server listens: ${program} ${server.words.join(" ")}`, () => {
    check(!server.started.isOver, () => `the server ended: ${server.started.stderr}`);
    return /^drover-server listening on /m.test(server.started.stdout);
  });
  const answer = await fetch(`${server.address}/`);
  server.page = await answer.text();
  return server;
}

// The test is skipped when the server was built without the page.
export function needPage(server) {
  if (!server.page.includes("<canvas")) skip("this server was built without the page");
}

export async function stopServer(server) {
  await endProgram(server.started, PATIENCE_MS);
  const { code, signal } = await server.started.over;
  check(code === 0, () => `the server ended with ${code ?? signal}:\n${server.started.stderr}`);
}

// As kill -9: no goodbye to anybody.
export async function killServer(server) {
  process.kill(server.started.pid, "SIGKILL");
  await server.started.over;
  await endProgram(server.started);
}

export async function withServer(words, test) {
  const server = await startServer(words);
  try {
    const value = await test(server);
    await stopServer(server);
    return value;
  } catch (error) {
    await endProgram(server.started);
    console.log(`--- the server said:\n${server.started.stderr.slice(-3000)}---`);
    throw error;
  }
}

// A client over TCP. lines: every message that no request took; hello: the first.
export class Client {
  static async connect(port) {
    const client = new Client();
    client.socket = createConnection({ host: "127.0.0.1", port, noDelay: true });
    client.messages = [];
    client.next = 1;
    let rest = "";
    client.socket.setEncoding("utf8").on("data", (text) => {
      const lines = (rest + text).split("\n");
      rest = lines.pop();
      for (const line of lines) client.messages.push(JSON.parse(line));
    });
    client.socket.on("error", () => {});
    client.hello = await until("hello over TCP", () => client.messages.shift());
    return client;
  }

  close() {
    this.socket.destroy();
  }

  async request(op, fields = {}) {
    const id = this.next++;
    this.socket.write(`${JSON.stringify({ op, id, ...fields })}\n`);
    const isIt = (one) => (one.op === "reply" || one.op === "error") && one.id === id;
    return until(`a reply to ${op}`, () => {
      const at = this.messages.findIndex(isIt);
      return at >= 0 && this.messages.splice(at, 1)[0];
    }, PATIENCE_MS, 5);
  }

  // The next message of this op for which is(message); earlier ones are discarded.
  async take(op, is = () => true, limitMs = PATIENCE_MS) {
    return until(`${op} over TCP`, () => {
      while (this.messages.length > 0) {
        const message = this.messages.shift();
        if (message.op === op && is(message)) return message;
      }
      return null;
    }, limitMs, 5);
  }

  // The state of the world now.
  async snapshot() {
    await this.request("subscribe");
    const found = await this.take("snapshot");
    await this.request("unsubscribe");
    this.messages.length = 0;
    return found;
  }

  async target(name) {
    return (await this.request("list", { what: "targets" })).targets.find((one) => one.name === name);
  }

  stats() {
    return this.request("stats");
  }
}

export async function withClient(server, test) {
  const client = await within("a client over TCP", Client.connect(server.port));
  try {
    return await test(client);
  } finally {
    client.close();
  }
}
