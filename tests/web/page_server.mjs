// A small HTTP server for test pages: files that a test names, and one place to which a page posts what it found.

import { readFile } from "node:fs/promises";
import { createServer } from "node:http";
import { connect } from "node:net";
import { extname } from "node:path";

const TYPES = {
  ".html": "text/html; charset=utf-8",
  ".js": "text/javascript; charset=utf-8",
  ".mjs": "text/javascript; charset=utf-8",
  ".json": "application/json",
  ".wasm": "application/wasm",
  ".css": "text/css; charset=utf-8",
  ".svg": "image/svg+xml",
  ".png": "image/png",
  ".txt": "text/plain; charset=utf-8",
};
// The policy of the viewer's own page: what passes here passes there.
const POLICY =
  "default-src 'none'; script-src 'self' 'wasm-unsafe-eval'; style-src 'self'; img-src 'self' data: blob:; " +
  "connect-src 'self'; worker-src 'self'; frame-ancestors 'none'; base-uri 'none'; form-action 'none'";
const LARGEST_POST = 64 << 20;

function answer(response, status, type, body, policy = POLICY) {
  response.writeHead(status, {
    "Content-Type": type,
    ...(policy === "" ? {} : { "Content-Security-Policy": policy }),
    "X-Content-Type-Options": "nosniff",
    "Cache-Control": "no-store",
  });
  response.end(body);
}

async function bodyOf(request) {
  const parts = [];
  let size = 0;
  for await (const part of request) {
    size += part.length;
    if (size > LARGEST_POST) throw new Error(`a page posted more than ${LARGEST_POST} bytes`);
    parts.push(part);
  }
  return JSON.parse(Buffer.concat(parts).toString("utf8"));
}

// files: the path in the address -> a file's path or a Buffer; a path that ends with "/" is a folder of files.
// onPost(message): for every JSON value that a page posts to /post. policy "": the documents have their own. socketsTo: a port of
// 127.0.0.1 that the page's WebSockets are passed on to.
export async function startPageServer(files, onPost, { policy, socketsTo } = {}) {
  const find = (path) => {
    if (files[path] !== undefined) return files[path];
    const folder = Object.keys(files).find((one) => one.endsWith("/") && path.startsWith(one));
    const rest = folder && path.slice(folder.length);
    return rest && /^[\w.-]+$/.test(rest) ? `${files[folder]}/${rest}` : undefined;
  };
  const server = createServer(async (request, response) => {
    try {
      const path = new URL(request.url, "http://localhost").pathname;
      if (request.method === "POST" && path === "/post") {
        onPost(await bodyOf(request));
        return answer(response, 204, TYPES[".txt"], "");
      }
      if (path === "/favicon.ico") return answer(response, 204, TYPES[".txt"], "");
      const file = find(path);
      if (file === undefined) return answer(response, 404, TYPES[".txt"], `no such file: ${path}`);
      const type = TYPES[extname(path)] ?? "application/octet-stream";
      return answer(response, 200, type, Buffer.isBuffer(file) ? file : await readFile(file), policy);
    } catch (error) {
      return answer(response, 500, TYPES[".txt"], String(error));
    }
  });
  server.on("upgrade", ({ method, url, rawHeaders }, socket, head) => {
    const to = connect(socketsTo, "127.0.0.1");
    const fields = rawHeaders.map((word, i) => (i % 2 === 0 ? `${word}: ` : `${word}\r\n`)).join("");
    to.write(`${method} ${url} HTTP/1.1\r\n${fields}\r\n`);
    to.write(head);
    to.pipe(socket).pipe(to);
    for (const end of [socket, to]) end.on("error", () => socket.destroy()).on("close", () => (socket.destroy(), to.destroy()));
  });
  await new Promise((done) => server.listen(0, "127.0.0.1", done));
  return {
    origin: `http://127.0.0.1:${server.address().port}`,
    close: () => {
      server.close();
      server.closeAllConnections?.();
    },
  };
}
