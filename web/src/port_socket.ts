/* A WebSocket's manner for a server in the same page: lines go through a port. What is received is acknowledged, so the server knows
 * who is slow. */
import type { FromServer, ToServer } from "./server_messages";

export class PortSocket {
    onopen: ((event: Event) => void) | null = null;
    onmessage: ((event: MessageEvent) => void) | null = null;
    onclose: ((event: CloseEvent) => void) | null = null;
    readyState: number = WebSocket.CONNECTING;
    private readonly port: MessagePort;

    /** server: the port of the Worker that has the server. */
    constructor(server: MessagePort) {
        const channel = new MessageChannel();
        this.port = channel.port1;
        this.port.onmessage = ({ data }: MessageEvent<FromServer>) => this.take(data);
        const connect: ToServer = { type: "connect" };
        server.postMessage(connect, [channel.port2]);
    }

    private take(data: FromServer): void {
        if (typeof data === "string") {
            for (const line of data.split("\n")) {
                if (line !== "") {
                    this.onmessage?.(new MessageEvent("message", { data: line }));
                }
            }
            this.port.postMessage(data.length);
        } else if (data.isOpen) {
            this.readyState = WebSocket.OPEN;
            this.onopen?.(new Event("open"));
        } else {
            this.readyState = WebSocket.CLOSED;
            this.onclose?.(new CloseEvent("close", { code: 1000, reason: data.reason }));
        }
    }

    send(line: string): void {
        this.port.postMessage(line);
    }

    close(): void {
        this.readyState = WebSocket.CLOSED;
        this.port.postMessage(null);
        this.port.close();
    }
}
