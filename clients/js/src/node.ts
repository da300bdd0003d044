/* The package in Node.js: `tcp:` beside the others, and a WebSocket of its own, since Node.js has one from 22 on only. */
import { createHash, randomBytes } from "node:crypto";
import { get as httpGet, type Incoming } from "node:http";
import { get as httpsGet } from "node:https";
import { connect as connectTcp, type Socket } from "node:net";
import { readFile } from "node:fs/promises";
import { pathToFileURL } from "node:url";
import { Worker as Thread } from "node:worker_threads";
import { DroverError, nonsense } from "./errors.js";
import { useGallery as useGalleryWith, type ServerWorker } from "./gallery.js";
import { register, unreachable, type Dial, type Transport } from "./transport.js";

export * from "./index.js";

const KEEP_ALIVE_MS = 15000;
const TEXT = 1, CLOSE = 8, PING = 9, PONG = 10, FINAL = 0x80, MASKED = 0x80;
const GUID = "258EAFA5-E914-47DA-95CA-C5AB0DC85B11"; // RFC 6455

/* Bytes that come in pieces, taken from the front. Appending costs time proportional to the bytes. */
class Bytes {
    private pieces: Uint8Array[] = [];
    length = 0;

    push(piece: Uint8Array): void {
        if (piece.length > 0) {
            this.pieces.push(piece);
            this.length += piece.length;
        }
    }
    /** So many bytes from the front, which are there; they stay. */
    peek(count: number): Buffer {
        if (this.pieces.length > 1 && this.pieces[0].length < count) {
            this.pieces = [Buffer.concat(this.pieces)];
        }
        return Buffer.from((this.pieces[0] ?? new Uint8Array()).subarray(0, count));
    }
    take(count: number): Uint8Array {
        const all = this.pieces.length === 1 ? this.pieces[0] : Buffer.concat(this.pieces);
        this.pieces = count < all.length ? [all.subarray(count)] : [];
        this.length -= count;
        return all.subarray(0, count);
    }
}

function textOf(bytes: Uint8Array): string {
    try {
        return new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(bytes);
    } catch {
        throw nonsense("a line is not UTF-8");
    }
}

function tooLong(maxLine: number): DroverError {
    return nonsense(`a line is longer than ${maxLine} bytes`);
}

/* A transport over a socket. take: what bytes mean; it may throw. */
function overSocket(socket: Socket, send: (line: string) => void, goodbye: () => void): { transport: Transport; take(what: () => void): void } {
    let isOver = false;
    const end = (why?: string | DroverError): void => {
        if (!isOver) {
            isOver = true;
            goodbye();
            socket.destroySoon();
            if (why !== undefined) {
                transport.onclose(why);
            }
        }
    };
    const transport: Transport = { send: (line) => isOver || send(line), close: () => end(), onlines: () => {}, onclose: () => {} };
    socket.setNoDelay(true);
    socket.setKeepAlive(true, KEEP_ALIVE_MS);
    socket.on("error", (error: Error) => end(`the connection broke (${error.message})`));
    socket.on("close", () => end("the server closed the connection"));
    return {
        transport,
        take(what) {
            try {
                if (!isOver) {
                    what();
                }
            } catch (error) {
                end(error as DroverError);
            }
        },
    };
}

const overTcp: Dial = (address, { signal, maxLine }) => new Promise((done, fail) => {
    const { hostname, port } = new URL(address);
    const socket = connectTcp({ host: hostname.replace(/^\[|\]$/g, "") || "127.0.0.1", port: Number(port || 7717), signal });
    const refuse = (error: Error): void => fail(unreachable(address, error.message));
    socket.on("error", refuse);
    socket.on("connect", () => {
        const bytes = new Bytes();
        const { transport, take } = overSocket(socket, (line) => socket.write(`${line}\n`), () => {});
        socket.on("data", (data: Uint8Array) => take(() => {
            const end = data.lastIndexOf(10) + 1;
            bytes.push(data);
            if (end > 0) {
                const lines = textOf(bytes.take(bytes.length - data.length + end)).split("\n");
                transport.onlines(lines.filter((line) => line.trim() !== ""));
            }
            if (bytes.length > maxLine) {
                throw tooLong(maxLine);
            }
        }));
        done(transport);
    });
});

// --- WebSocket

/* A frame of a client, which is masked. */
function frameOf(opcode: number, payload: Uint8Array): Uint8Array {
    const size = payload.length, extra = size < 126 ? 0 : size < 65536 ? 2 : 8;
    const frame = Buffer.alloc(6 + extra + size), mask = randomBytes(4);
    frame[0] = FINAL | opcode;
    frame[1] = MASKED | (extra === 0 ? size : extra === 2 ? 126 : 127);
    if (extra === 2) {
        frame.writeUInt16BE(size, 2);
    } else if (extra === 8) {
        frame.writeBigUInt64BE(BigInt(size), 2);
    }
    frame.set(mask, 2 + extra);
    for (let i = 0; i < size; i++) {
        frame[6 + extra + i] = payload[i] ^ mask[i & 3];
    }
    return frame;
}

/* The next frame of a server that is there as a whole. */
function nextFrame(bytes: Bytes, maxLine: number): { opcode: number; isFinal: boolean; payload: Uint8Array } | undefined {
    const short = bytes.length < 2 ? 0 : bytes.peek(2)[1] & 127, headSize = short === 126 ? 4 : short === 127 ? 10 : 2;
    if (bytes.length < headSize) {
        return undefined;
    }
    const head = bytes.peek(headSize), isFinal = (head[0] & FINAL) !== 0;
    const size = short === 126 ? head.readUInt16BE(2) : short === 127 ? Number(head.readBigUInt64BE(2)) : short;
    if ((head[0] & 0x70) !== 0 || (head[1] & MASKED) !== 0 || (head[0] & CLOSE) !== 0 && (size > 125 || !isFinal)) {
        throw nonsense("a WebSocket frame breaks the rules");
    }
    if (size > maxLine) {
        throw tooLong(maxLine);
    }
    if (bytes.length < headSize + size) {
        return undefined;
    }
    bytes.take(headSize);
    return { opcode: head[0] & 15, isFinal, payload: bytes.take(size) };
}

/* Messages, put together from frames; answers to pings. */
function readFrames(socket: Socket, transport: Transport, maxLine: number): (data: Uint8Array) => void {
    const bytes = new Bytes();
    let message: Bytes | null = null;
    return (data) => {
        bytes.push(data);
        for (let frame = nextFrame(bytes, maxLine); frame !== undefined; frame = nextFrame(bytes, maxLine)) {
            const { opcode, isFinal, payload } = frame;
            if (opcode === PING) {
                socket.write(frameOf(PONG, payload));
            } else if (opcode === CLOSE) {
                throw new DroverError("lost", "the server closed the connection");
            } else if (opcode === (message === null ? TEXT : 0)) {
                message ??= new Bytes();
                message.push(payload);
                if (message.length > maxLine) {
                    throw tooLong(maxLine);
                }
                const text: string | null = isFinal ? textOf(message.take(message.length)) : null;
                message = isFinal ? null : message;
                transport.onlines(text ? [text] : []);
            } else if (opcode !== PONG) {
                throw nonsense("a WebSocket message is not text");
            }
        }
    };
}

const overWebSocket: Dial = (address, { signal, maxLine }) => new Promise((done, fail) => {
    const key = randomBytes(16).toString("base64"), accept = createHash("sha1").update(key + GUID).digest("base64");
    const headers = { Connection: "Upgrade", Upgrade: "websocket", "Sec-WebSocket-Version": "13", "Sec-WebSocket-Key": key, "Sec-WebSocket-Protocol": "drover.v1" };
    const request = (address.startsWith("wss:") ? httpsGet : httpGet)(address.replace(/^ws/, "http"), { headers, signal });
    request.on("error", (error: Error) => fail(unreachable(address, error.message)));
    request.on("response", (answer: Incoming) => {
        answer.resume();
        fail(unreachable(address, `the answer to the handshake is ${answer.statusCode}`));
    });
    request.on("upgrade", (answer: Incoming, socket: Socket, first: Uint8Array) => {
        if (answer.headers["sec-websocket-accept"] !== accept || answer.headers["sec-websocket-protocol"] !== "drover.v1") {
            socket.destroy();
            fail(unreachable(address, "the handshake of the WebSocket has not the answer that it needs"));
            return;
        }
        const send = (opcode: number, text: string | Uint8Array): unknown => socket.write(frameOf(opcode, Buffer.from(text as string)));
        const { transport, take } = overSocket(socket, (line) => send(TEXT, line), () => socket.writable && send(CLOSE, Uint8Array.of(3, 232)));
        const read = readFrames(socket, transport, maxLine);
        socket.unshift(first);
        done(transport);
        setTimeout(() => socket.on("data", (data: Uint8Array) => take(() => read(data))), 0); // when the client has set onlines
    });
});

// --- a server of one's own

/* What the script of a Worker has in browsers; the server's log stays in the Worker. */
const AS_IN_BROWSERS = `const { parentPort } = require("node:worker_threads");
globalThis.self = globalThis;
console.debug = () => {};
globalThis.postMessage = (message) => parentPort.postMessage(message);
parentPort.onmessage = (event) => globalThis.onmessage(event);
`;
const TYPE_OF_WASM = { headers: { "Content-Type": "application/wasm" } };

const access = {
    read: async (file: URL): Promise<Response> => file.protocol === "file:" ? new Response(await readFile(file), TYPE_OF_WASM) : fetch(file),
    async start(script: URL): Promise<ServerWorker> {
        const thread = new Thread(AS_IN_BROWSERS + await (await access.read(script)).text(), { eval: true });
        const worker: ServerWorker = {
            onmessage: null,
            postMessage: (message, transfer) => thread.postMessage(message, transfer),
            terminate: () => void thread.terminate(),
        };
        thread.on("message", (data) => worker.onmessage?.({ data }));
        thread.on("error", (error: Error) => worker.onmessage?.({ data: { type: "failure", words: error.message } }));
        return worker;
    },
};

/** As in browsers; folder may be a path, too. */
export function useGallery(folder: string | URL): void {
    useGalleryWith(/^[a-z]{2,}:/i.test(String(folder)) ? folder : pathToFileURL(String(folder)), access);
}

register("tcp", overTcp);
register("ws", overWebSocket);
register("wss", overWebSocket);
