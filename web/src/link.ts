/* The WebSocket to the server that the page came from. When to connect, and what to say, the viewer decides. */

/** The close codes and states of a link; web/page.h. */
export const enum LinkEvent { Opened, Closed, Failed }

export interface LinkUser {
    onEvent(event: LinkEvent, code: number, reason: string): void;
    onMessage(text: string): void;
}

/** The socket's address beside that of the page: wss for https, the same host always. */
export function socketUrl(page: { protocol: string; host: string }): string {
    return (page.protocol === "https:" ? "wss:" : "ws:") + "//" + page.host + "/ws";
}

export class Link {
    private socket: WebSocket | null = null;

    constructor(private readonly url: string, private readonly user: LinkUser) {}

    /** Opens a socket; one that is open already is given up. */
    open(): void {
        this.close();
        let socket: WebSocket;
        try {
            socket = new WebSocket(this.url, ["drover.v1"]);
        } catch (error) {
            this.user.onEvent(LinkEvent.Failed, 0, String(error));
            return;
        }
        let wasOpen = false;
        this.socket = socket;
        socket.onopen = () => {
            wasOpen = true;
            this.user.onEvent(LinkEvent.Opened, 0, "");
        };
        socket.onmessage = (event: MessageEvent) => {
            if (typeof event.data === "string") {
                this.user.onMessage(event.data);
            }
        };
        socket.onclose = (event: CloseEvent) => {
            this.socket = null;
            this.user.onEvent(wasOpen ? LinkEvent.Closed : LinkEvent.Failed, event.code, event.reason);
        };
    }

    get isOpen(): boolean {
        return this.socket !== null && this.socket.readyState === WebSocket.OPEN;
    }

    /** Sends one line, without its end. */
    send(line: string): void {
        if (this.isOpen) {
            this.socket!.send(line);
        }
    }

    /** Closes without a further event. */
    close(): void {
        const socket = this.socket;
        if (socket !== null) {
            this.socket = null;
            socket.onopen = socket.onmessage = socket.onclose = null;
            socket.close(1000);
        }
    }
}
