/* page.wasm: its memory, its texts, and what it asks of the browser. The functions are those of web/page.h. */
import { FRAME_WORDS, ROW_BYTES } from "./crowd";
import { importsOf as wasmImports, type WasiFunction } from "./files";
import type { Crowd, Mesh, Pixels, Texture } from "./messages";

export const enum Wish {
    Mesh = 1,
    Pixels = 2,
    Panels = 4,
    Output = 8,
    WantsSocket = 16,
    ClosesSocket = 32,
    IsStill = 64,
    HasEnded = 128,
}

/** What the viewer asks for; web/page_host.h. */
export interface Host {
    log(line: string, level: number): void;
    copy(words: string): void;
    title(words: string): void;
    cursor(shape: number): void;
    fullScreen(): void;
    keep(text: string): void;
    save(name: string, text: string): void;
    savePicture(name: string, pixels: Pixels): void;
    /** Fetches a file of static seconds, for Core.fetched. */
    fetchFile(url: string, isFresh: boolean): void;
    /** Draws the mesh and reads its pixels into the words. */
    read(into: Uint32Array, width: number, height: number): boolean;
}

type Exports = Record<string, (...args: number[]) => number>;

export class Core {
    private readonly memory: WebAssembly.Memory;
    readonly call: Exports;
    private readonly encoder = new TextEncoder();
    private readonly decoder = new TextDecoder();

    static async create(compiled: WebAssembly.Module, host: Host): Promise<Core> {
        let core: Core | null = null;
        const instance = await WebAssembly.instantiate(compiled, importsOf(compiled, host, () => core!));
        core = new Core(instance);
        core.call._initialize?.();
        return core;
    }

    private constructor(instance: WebAssembly.Instance) {
        this.memory = instance.exports.memory as WebAssembly.Memory;
        this.call = instance.exports as unknown as Exports;
    }

    /* Views are made for each use: the memory may have grown. */
    bytes(at: number, length: number): Uint8Array {
        return new Uint8Array(this.memory.buffer, at, length);
    }
    words(at: number, length: number): Uint32Array {
        return new Uint32Array(this.memory.buffer, at, length);
    }
    text(at: number, length: number): string {
        return this.decoder.decode(this.bytes(at, length));
    }

    /** Writes a text where the next function expects it; returns its length. */
    private put(text: string): number {
        const room = Math.max(3 * text.length, 1), at = this.call.page_text(room);
        return at === 0 ? 0 : this.encoder.encodeInto(text, this.bytes(at, room)).written!;
    }

    /** Calls a function that takes the length of a text as its last argument. */
    take(name: string, text: string, ...before: number[]): number {
        const length = this.put(text);
        return this.call[name](...before, length);
    }

    /** Calls a function that gives an address, and the length through a pointer. */
    give(name: string): string {
        const at = this.call.page_text(8);
        if (at === 0) {
            return "";
        }
        const words = this.call[name](at), length = this.words(at, 1)[0];
        return words === 0 ? "" : this.text(words, length);
    }

    /** One message of the socket. One that there is no room for ends the connection. */
    receive(text: string): void {
        let room = text.length + 1; // enough for ASCII, which almost all is
        let at = this.call.page_reserve(room);
        if (at === 0) {
            return;
        }
        let done = this.encoder.encodeInto(text, this.bytes(at, room));
        if (done.read! < text.length) {
            room = done.written! + 3 * (text.length - done.read!) + 1;
            at = this.call.page_reserve(room);
            if (at === 0) {
                return;
            }
            done = this.encoder.encodeInto(text, this.bytes(at, room));
        }
        this.call.page_commit(done.written!);
    }

    /** A file that the viewer wanted; problem: "", or why it did not come. */
    fetched(bytes: Uint8Array, problem: string): void {
        const at = this.call.page_reserve(bytes.length + 1);
        if (at !== 0) {
            this.bytes(at, bytes.length).set(bytes);
        }
        this.call.page_fetched(at === 0 ? 0 : bytes.length, problem === "" ? 0 : this.put(problem));
    }

    /** The newest mesh, as views. */
    mesh(): Mesh | null {
        const at = this.call.page_mesh();
        if (at === 0) {
            return null;
        }
        const [vertices, vertexCount, indices, indexCount, batches, batchCount, width, height] = this.words(at, 8);
        const buffer = this.memory.buffer;
        return {
            width,
            height,
            vertices: new Uint8Array(buffer, vertices, vertexCount * 20),
            indices: new Int32Array(buffer, indices, indexCount),
            batches: new Int32Array(buffer, batches, batchCount * 9),
            crowd: this.crowd(),
        };
    }

    private crowd(): Crowd | null {
        const at = this.call.page_crowd();
        if (at === 0) {
            return null;
        }
        const [rows, count, version, frame, batch] = this.words(at, 5);
        const buffer = this.memory.buffer;
        return {
            batch,
            version,
            count,
            rows: this.bytes(rows, count * ROW_BYTES),
            frame: new Float32Array(buffer, frame, FRAME_WORDS),
            numbers: new Int32Array(buffer, frame, FRAME_WORDS),
        };
    }

    /** The texture of a slot and its version; null for none yet. The texels are a copy. */
    texture(slot: number, known: number): (Texture & { version: number }) | null {
        const at = this.call.page_texture(slot);
        if (at === 0) {
            return null;
        }
        const [texels, width, height, isSmooth, version] = this.words(at, 5);
        if (texels === 0 || version === known) {
            return null;
        }
        return { width, height, texels: this.bytes(texels, width * height * 4).slice(), isSmooth: isSmooth !== 0, version };
    }

    /** The newest picture of the raster, as a view. */
    pixels(): Pixels | null {
        const at = this.call.page_pixels();
        if (at === 0) {
            return null;
        }
        const [pixels, width, height] = this.words(at, 3);
        return { width, height, pixels: this.words(pixels, width * height) };
    }
}

/** Fetches a module, and compiles it while the bytes come; onBytes gets how many have. */
export async function moduleFrom(url: string, onBytes: (done: number) => void): Promise<WebAssembly.Module> {
    const response = await fetch(url, { credentials: "same-origin" }); // as index.html preloads it
    if (!response.ok) {
        throw new Error(`the server sends no ${url}: ${response.status} ${response.statusText}`);
    }
    return WebAssembly.compileStreaming(counted(response, onBytes));
}

/* The same response, whose bytes are counted on their way. */
function counted(response: Response, onBytes: (done: number) => void): Response {
    let done = 0;
    const counter = new TransformStream<Uint8Array, Uint8Array>({
        transform(chunk, out) {
            done += chunk.length;
            onBytes(done);
            out.enqueue(chunk);
        },
    });
    return response.body === null ? response : new Response(response.body.pipeThrough(counter), { headers: { "Content-Type": "application/wasm" } });
}

/* What the module imports: the functions of page_host.h. */
function importsOf(compiled: WebAssembly.Module, host: Host, core: () => Core): WebAssembly.Imports {
    const text = (at: number, length: number) => core().text(at, length);
    const drover: Record<string, WasiFunction> = {
        page_host_now_ms: () => performance.now(),
        page_host_wall_ms: () => Date.now(),
        page_host_log: (at: number, length: number, level: number) => host.log(text(at, length), level),
        page_host_copy: (at: number, length: number) => {
            host.copy(text(at, length));
            return 1;
        },
        page_host_title: (at: number, length: number) => host.title(text(at, length)),
        page_host_fetch: (at: number, length: number, isFresh: number) => host.fetchFile(text(at, length), isFresh !== 0),
        page_host_cursor: (shape: number) => host.cursor(shape),
        page_host_full_screen: () => host.fullScreen(),
        page_host_keep: (at: number, length: number) => host.keep(text(at, length)),
        page_host_save: (name: number, nameLength: number, at: number, length: number) =>
            host.save(text(name, nameLength), text(at, length)),
        page_host_save_picture: (name: number, length: number, at: number, width: number, height: number) =>
            host.savePicture(text(name, length), { width, height, pixels: core().words(at, width * height).slice() }),
        page_host_read: (at: number, width: number, height: number) =>
            host.read(core().words(at, width * height), width, height) ? 1 : 0,
    };
    return wasmImports(compiled, drover, {});
}
