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

/* Browsers do not tell a page why a socket does not open: whether the server still answers tells whether it refuses the page. */
async function whyClosed(page: string): Promise<string> {
    try {
        const answer = await fetch("/", { method: "HEAD", cache: "no-store" });
        return !answer.ok ? "" : `the server is there, but opens no connection for pages of ${page}. If it stays so: start it with ` +
            `--web-origin ${page}, and let a proxy pass WebSockets on`;
    } catch {
        return "";
    }
}

/** What a link needs of a WebSocket. */
export interface Socket {
    readonly readyState: number;
    onopen: ((event: Event) => void) | null;
    onmessage: ((event: MessageEvent) => void) | null;
    onclose: ((event: CloseEvent) => void) | null;
    send(line: string): void;
    close(code?: number): void;
}

export class Link {
    private socket: Socket | null = null;
    private tries = 0;
    private wasEverOpen = false;

    /** page: the origin of the page, to be named. */
    constructor(private readonly make: () => Socket, private readonly page: string, private readonly user: LinkUser) {}

    /** Opens a socket; one that is open already is given up. */
    open(): void {
        this.close();
        let socket: Socket;
        try {
            socket = this.make();
        } catch (error) {
            this.user.onEvent(LinkEvent.Failed, 0, String(error));
            return;
        }
        let wasOpen = false;
        this.socket = socket;
        socket.onopen = () => {
            wasOpen = this.wasEverOpen = true;
            this.user.onEvent(LinkEvent.Opened, 0, "");
        };
        socket.onmessage = (event: MessageEvent) => {
            if (typeof event.data === "string") {
                this.user.onMessage(event.data);
            }
        };
        socket.onclose = (event: CloseEvent) => {
            this.socket = null;
            if (this.wasEverOpen) {
                this.user.onEvent(wasOpen ? LinkEvent.Closed : LinkEvent.Failed, event.code, event.reason);
            } else {
                void this.explain(event.code, this.tries);
            }
        };
    }

    private async explain(code: number, tried: number): Promise<void> {
        const reason = await whyClosed(this.page);
        if (tried === this.tries) { // no other socket was wanted meanwhile
            this.user.onEvent(LinkEvent.Failed, code, reason);
        }
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
        this.tries++;
        const socket = this.socket;
        if (socket !== null) {
            this.socket = null;
            socket.onopen = socket.onmessage = socket.onclose = null;
            socket.close(1000);
        }
    }
}
