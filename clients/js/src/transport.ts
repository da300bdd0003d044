/* Transports: what carries lines between a client and a server. */
import { DroverError, nonsense } from "./errors.js";

/** A connection. Lines have no end-of-line character. `onlines` and `onclose` are set by the client as soon as it has the transport; `onclose` is
 *  called once, when the connection is gone, and not after `close()`. */
export interface Transport {
    send(line: string): void;
    close(): void;
    onlines: (lines: string[]) => void;
    onclose: (why: string | DroverError) => void;
}

/** Opens a connection. signal: the attempt was given up; maxLine: the longest line to be kept, in bytes. */
export type Dial = (address: string, options: { signal: AbortSignal; maxLine: number }) => Transport | Promise<Transport>;

/** What a MessagePort is, or a Worker, or anything alike: a message is a line, several of them with "\n" between, or an array of lines. */
export interface Port {
    postMessage(line: string): void;
    onmessage: ((event: any) => void) | null;
    close?(): void;
    addEventListener?(type: "close", callback: () => void): void;
}

/** What of a WebSocket is used; something of one's own may have its manner. */
export interface SocketLike {
    onopen: ((event: any) => void) | null;
    onmessage: ((event: any) => void) | null;
    onclose: ((event: any) => void) | null;
    send(line: string): void;
    close(code?: number): void;
}

const dialWebSocket: Dial = (address, { signal }) => {
    const socket = new WebSocket(address, ["drover.v1"]);
    signal.addEventListener("abort", () => socket.close(), { once: true });
    return overSocket(socket, address);
};
const dials: Record<string, Dial> = { ws: dialWebSocket, wss: dialWebSocket };

/** Makes addresses that begin with `scheme:` known: `register("wasm", (address) => overPort(startMyWorker(address)))`. */
export function register(scheme: string, dial: Dial): void {
    dials[scheme] = dial;
}

export function dialOf(address: string): Dial {
    const scheme = /^([a-z][a-z0-9+.-]*):/.exec(address)?.[1] ?? "";
    if (!Object.hasOwn(dials, scheme)) {
        throw new DroverError("unreachable", `no transport for the address "${address}"; known: ` +
            `${Object.keys(dials).map((one) => `${one}:`).join(", ")}; register(scheme, dial) adds one`);
    }
    return dials[scheme];
}

export function unreachable(address: string, why: string): DroverError {
    return new DroverError("unreachable", `no server at ${address} (${why})`);
}

/** A transport over a port: of a Worker that runs a server, for example. */
export function overPort(port: Port): Transport {
    const transport: Transport = {
        send: (line) => port.postMessage(line),
        close() {
            port.onmessage = null;
            transport.onclose = () => {};
            port.close?.();
        },
        onlines: () => {},
        onclose: () => {},
    };
    port.addEventListener?.("close", () => transport.onclose("the port was closed"));
    port.onmessage = ({ data }) => {
        const lines: unknown[] = Array.isArray(data) ? data : String(data).split("\n");
        transport.onlines(lines.map(String).filter((line) => line.trim() !== ""));
    };
    return transport;
}

/** A transport over a WebSocket that opens, or over what has its manner: a message is a line. address: for words. */
export function overSocket(socket: SocketLike, address = "the socket"): Promise<Transport> {
    return new Promise((done, fail) => {
        const transport: Transport = {
            send: (line) => socket.send(line),
            close() {
                socket.onmessage = socket.onclose = null;
                socket.close(1000);
            },
            onlines: () => {},
            onclose: () => {},
        };
        socket.onopen = () => done(transport);
        socket.onmessage = ({ data }) => {
            if (typeof data === "string") {
                transport.onlines(data === "" ? [] : [data]);
            } else {
                transport.close();
                transport.onclose(nonsense("a message is not text"));
            }
        };
        socket.onclose = ({ code, reason }) => {
            const why = `${code}${reason && `, ${reason}`}`;
            fail(unreachable(address, `the WebSocket closed with ${why}`));
            transport.onclose(`the connection was closed (${why})`);
        };
    });
}
