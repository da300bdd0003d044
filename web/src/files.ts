/* What a C library without an operating system asks for, the preview 1 of WASI: clocks, and files that lie in memory. One folder, /,
 * with all below it. There is room for so many bytes of what the module writes; then a write fails as on a full disk. */

const enum Errno { Ok = 0, BadFile = 8, Exists = 20, Invalid = 28, IsFolder = 31, NoEntry = 44, NoFolder = 54, NotEmpty = 55, NoSystem = 52, NoSpace = 51 }
const enum Type { Device = 2, Folder = 3, File = 4 }
const enum Open { Create = 1, Folder = 2, Exclusive = 4, Truncate = 8 }
const APPENDS = 1, ROOT = 3, DIRENT_BYTES = 24, ROOM_BYTES = 256 << 20;

interface Entry { bytes: Uint8Array | null; length: number; number: bigint; changedMs: number } // bytes null: a folder
interface OpenFile { path: string; entry: Entry; at: number; appends: boolean }

export type WasiFunction = (...args: never[]) => number | void;

/** "/a/b" of what lies below a folder; "" for what lies above the root. */
function within(folder: string, path: string): string {
    const parts: string[] = [];
    for (const part of (path.startsWith("/") ? path : `${folder}/${path}`).split("/")) {
        if (part === "..") {
            parts.pop();
        } else if (part !== "" && part !== ".") {
            parts.push(part);
        }
    }
    return "/" + parts.join("/");
}

export class Files {
    private readonly entries = new Map<string, Entry>();
    private readonly open = new Map<number, OpenFile>();
    private lastNumber = 0n;
    private readonly encoder = new TextEncoder();
    private readonly decoder = new TextDecoder();

    /** memory: of the module, asked for at each call, since it may have grown. log: gets what is written to stderr and stdout. */
    constructor(private readonly memory: () => ArrayBufferLike, private readonly log: (words: string) => void,
                private readonly nowMs: () => number, private readonly room = ROOM_BYTES) {
        this.open.set(ROOT, { path: "/", entry: this.add("/", null), at: 0, appends: false });
    }

    private add(path: string, bytes: Uint8Array | null): Entry {
        const entry = { bytes, length: bytes?.length ?? 0, number: ++this.lastNumber, changedMs: Date.now() };
        this.entries.set(path, entry);
        return entry;
    }

    /** Puts a file there, and the folders above it. */
    put(path: string, content: Uint8Array | string): void {
        for (let slash = path.indexOf("/", 1); slash > 0; slash = path.indexOf("/", slash + 1)) {
            this.folder(path.slice(0, slash));
        }
        this.add(path, typeof content === "string" ? this.encoder.encode(content) : content.slice());
    }

    folder(path: string): void {
        if (!this.entries.has(path)) {
            this.add(path, null);
        }
    }

    remove(path: string): void {
        this.entries.delete(path);
    }

    /** A copy of a file; null for none. */
    get(path: string): Uint8Array | null {
        const entry = this.entries.get(path);
        return entry?.bytes?.slice(0, entry.length) ?? null;
    }

    private view(): DataView {
        return new DataView(this.memory());
    }
    private bytes(at: number, length: number): Uint8Array {
        return new Uint8Array(this.memory(), at, length);
    }
    private path(folder: number, at: number, length: number): string {
        return within(this.open.get(folder)?.path ?? "/", this.decoder.decode(this.bytes(at, length)));
    }

    private read(entry: Entry, from: number, into: Uint8Array): number {
        const count = Math.max(0, Math.min(into.length, entry.length - from));
        into.set(entry.bytes!.subarray(from, from + count));
        return count;
    }

    /** False where there is no room. */
    private resize(entry: Entry, length: number): boolean {
        if (length > entry.bytes!.length) {
            const others = [...this.entries.values()].reduce((sum, one) => one === entry ? sum : sum + (one.bytes?.length ?? 0), 0);
            if (others + length > this.room) {
                return false;
            }
            const grown = new Uint8Array(Math.min(Math.max(length, 2 * entry.bytes!.length), this.room - others));
            grown.set(entry.bytes!.subarray(0, entry.length));
            entry.bytes = grown;
        }
        entry.bytes!.fill(0, Math.min(entry.length, length), length);
        entry.length = length;
        entry.changedMs = Date.now();
        return true;
    }

    /** How many bytes were written: all, or none where there is no room. */
    private write(entry: Entry, from: number, bytes: Uint8Array): number {
        if (from + bytes.length > entry.length && !this.resize(entry, from + bytes.length)) {
            return 0;
        }
        entry.bytes!.set(bytes, from);
        return bytes.length;
    }

    /* Calls `take` with each piece of a list of pieces of memory, until it takes less than the piece; the sum goes to `total`. */
    private pieces(list: number, count: number, total: number, take: (bytes: Uint8Array) => number): number {
        let sum = 0;
        for (let i = 0; i < count; i++) {
            const at = this.view().getUint32(list + 8 * i, true), length = this.view().getUint32(list + 8 * i + 4, true);
            const taken = take(this.bytes(at, length));
            sum += taken;
            if (taken < length) {
                break;
            }
        }
        this.view().setUint32(total, sum, true);
        return Errno.Ok;
    }

    private describe(at: number, entry: Entry): number {
        const view = this.view(), ns = BigInt(entry.changedMs) * 1000000n;
        this.bytes(at, 64).fill(0);
        view.setBigUint64(at, 1n, true);
        view.setBigUint64(at + 8, entry.number, true);
        view.setUint8(at + 16, entry.bytes === null ? Type.Folder : Type.File);
        view.setBigUint64(at + 24, 1n, true);
        view.setBigUint64(at + 32, BigInt(entry.length), true);
        for (const place of [40, 48, 56]) {
            view.setBigUint64(at + place, ns, true);
        }
        return Errno.Ok;
    }

    private openPath(path: string, how: number, appends: boolean, out: number): number {
        let entry = this.entries.get(path);
        if (entry === undefined) {
            const above = this.entries.get(within(path, ".."));
            if ((how & Open.Create) === 0 || above?.bytes !== null) {
                return Errno.NoEntry;
            }
            entry = this.add(path, new Uint8Array());
        } else if ((how & Open.Exclusive) !== 0) {
            return Errno.Exists;
        } else if ((how & Open.Folder) !== 0 && entry.bytes !== null) {
            return Errno.NoFolder;
        } else if ((how & Open.Truncate) !== 0 && entry.bytes !== null) {
            entry.length = 0;
        }
        let descriptor = ROOT + 1;
        while (this.open.has(descriptor)) {
            descriptor++;
        }
        this.open.set(descriptor, { path, entry, at: 0, appends });
        this.view().setUint32(out, descriptor, true);
        return Errno.Ok;
    }

    private list(folder: string, at: number, room: number, cookie: number, used: number): number {
        const prefix = folder === "/" ? "/" : `${folder}/`;
        const names = [...this.entries.keys()].filter((path) => path !== "/" && path.startsWith(prefix) && !path.slice(prefix.length).includes("/"));
        let place = 0;
        for (let i = cookie; i < names.length && place < room; i++) {
            const name = this.encoder.encode(names[i].slice(prefix.length)), entry = this.entries.get(names[i])!;
            const head = new Uint8Array(DIRENT_BYTES + name.length), view = new DataView(head.buffer);
            view.setBigUint64(0, BigInt(i + 1), true);
            view.setBigUint64(8, entry.number, true);
            view.setUint32(16, name.length, true);
            view.setUint8(20, entry.bytes === null ? Type.Folder : Type.File);
            head.set(name, DIRENT_BYTES);
            const length = Math.min(head.length, room - place);
            this.bytes(at + place, length).set(head.subarray(0, length));
            place += length;
        }
        this.view().setUint32(used, place, true);
        return Errno.Ok;
    }

    private unlink(path: string): number {
        const entry = this.entries.get(path);
        if (entry === undefined) {
            return Errno.NoEntry;
        }
        return entry.bytes === null ? Errno.IsFolder : (this.entries.delete(path), Errno.Ok);
    }

    private rename(from: string, to: string): number {
        const entry = this.entries.get(from);
        if (entry === undefined) {
            return Errno.NoEntry;
        }
        for (const [path, moved] of [...this.entries]) {
            if (path === from || path.startsWith(`${from}/`)) {
                this.entries.delete(path);
                this.entries.set(to + path.slice(from.length), moved);
            }
        }
        return Errno.Ok;
    }

    /** The functions of WASI, by name. Those that are not here fail. */
    functions(): Record<string, WasiFunction> {
        const file = (descriptor: number, act: (file: OpenFile) => number): number => {
            const found = this.open.get(descriptor);
            return found === undefined ? Errno.BadFile : act(found);
        };
        const content = (descriptor: number, act: (file: OpenFile) => number): number =>
            file(descriptor, (found) => found.entry.bytes === null ? Errno.IsFolder : act(found));
        const count = (at: number) => this.view().setUint32(at, 0, true);
        return {
            clock_time_get: (clock: number, _precision: bigint, at: number) => {
                this.view().setBigUint64(at, BigInt(Math.round((clock === 0 ? Date.now() : this.nowMs()) * 1e6)), true);
                return Errno.Ok;
            },
            environ_sizes_get: (variables: number, bytes: number) => (count(variables), count(bytes), Errno.Ok),
            environ_get: () => Errno.Ok,
            proc_exit: (code: number) => {
                throw new Error(`the program ended with code ${code}`);
            },
            fd_prestat_get: (descriptor: number, at: number) => {
                if (descriptor !== ROOT) {
                    return Errno.BadFile;
                }
                this.view().setUint32(at, 0, true);
                this.view().setUint32(at + 4, 1, true);
                return Errno.Ok;
            },
            fd_prestat_dir_name: (_descriptor: number, at: number) => (this.bytes(at, 1).set([0x2f]), Errno.Ok),
            fd_fdstat_get: (descriptor: number, at: number) => {
                const found = this.open.get(descriptor);
                if (found === undefined && descriptor > 2) {
                    return Errno.BadFile;
                }
                this.bytes(at, 24).fill(0);
                this.view().setUint8(at, found === undefined ? Type.Device : found.entry.bytes === null ? Type.Folder : Type.File);
                this.view().setUint16(at + 2, found?.appends === true ? APPENDS : 0, true);
                this.view().setBigUint64(at + 8, 0x1fffffffn, true);
                this.view().setBigUint64(at + 16, 0x1fffffffn, true);
                return Errno.Ok;
            },
            fd_fdstat_set_flags: () => Errno.Ok,
            fd_sync: () => Errno.Ok,
            fd_datasync: () => Errno.Ok,
            fd_close: (descriptor: number) => this.open.delete(descriptor) ? Errno.Ok : Errno.BadFile,
            fd_read: (descriptor: number, list: number, pieces: number, total: number) => content(descriptor, (found) =>
                this.pieces(list, pieces, total, (bytes) => {
                    const done = this.read(found.entry, found.at, bytes);
                    found.at += done;
                    return done;
                })),
            fd_pread: (descriptor: number, list: number, pieces: number, from: bigint, total: number) => content(descriptor, (found) => {
                let at = Number(from);
                return this.pieces(list, pieces, total, (bytes) => {
                    const done = this.read(found.entry, at, bytes);
                    at += done;
                    return done;
                });
            }),
            fd_write: (descriptor: number, list: number, pieces: number, total: number) => {
                if (descriptor === 1 || descriptor === 2) {
                    let words = "";
                    const result = this.pieces(list, pieces, total, (bytes) => {
                        words += this.decoder.decode(bytes);
                        return bytes.length;
                    });
                    this.log(words.trimEnd());
                    return result;
                }
                return content(descriptor, (found) => {
                    let isFull = false;
                    const result = this.pieces(list, pieces, total, (bytes) => {
                        found.at = found.appends ? found.entry.length : found.at;
                        const done = this.write(found.entry, found.at, bytes);
                        isFull = done < bytes.length;
                        found.at += done;
                        return done;
                    });
                    return isFull && this.view().getUint32(total, true) === 0 ? Errno.NoSpace : result;
                });
            },
            fd_seek: (descriptor: number, offset: bigint, whence: number, out: number) => content(descriptor, (found) => {
                const at = (whence === 0 ? 0 : whence === 1 ? found.at : found.entry.length) + Number(offset);
                if (at < 0) {
                    return Errno.Invalid;
                }
                found.at = at;
                this.view().setBigUint64(out, BigInt(at), true);
                return Errno.Ok;
            }),
            fd_filestat_get: (descriptor: number, at: number) => file(descriptor, (found) => this.describe(at, found.entry)),
            fd_filestat_set_size: (descriptor: number, size: bigint) => content(descriptor, (found) => {
                return this.resize(found.entry, Number(size)) ? Errno.Ok : Errno.NoSpace;
            }),
            fd_readdir: (descriptor: number, at: number, room: number, cookie: bigint, used: number) => file(descriptor, (found) =>
                found.entry.bytes !== null ? Errno.NoFolder : this.list(found.path, at, room, Number(cookie), used)),
            path_open: (folder: number, _follow: number, at: number, length: number, how: number, _base: bigint, _inherited: bigint,
                        flags: number, out: number) => this.openPath(this.path(folder, at, length), how, (flags & APPENDS) !== 0, out),
            path_filestat_get: (folder: number, _follow: number, at: number, length: number, out: number) => {
                const entry = this.entries.get(this.path(folder, at, length));
                return entry === undefined ? Errno.NoEntry : this.describe(out, entry);
            },
            path_create_directory: (folder: number, at: number, length: number) => {
                const path = this.path(folder, at, length);
                return this.entries.has(path) ? Errno.Exists : (this.folder(path), Errno.Ok);
            },
            path_unlink_file: (folder: number, at: number, length: number) => this.unlink(this.path(folder, at, length)),
            path_rename: (folder: number, at: number, length: number, other: number, otherAt: number, otherLength: number) =>
                this.rename(this.path(folder, at, length), this.path(other, otherAt, otherLength)),
        };
    }
}

/** The imports of a module: those of "drover" that are given, and of WASI what there is; the rest fails as a call of a system that has
 * it not. */
export function importsOf(compiled: WebAssembly.Module, drover: Record<string, WasiFunction>, wasi: Record<string, WasiFunction>): WebAssembly.Imports {
    const imports: Record<string, Record<string, WasiFunction>> = {};
    for (const { module, name } of WebAssembly.Module.imports(compiled)) {
        (imports[module] ??= {})[name] = (module === "drover" ? drover : wasi)[name] ?? (() => Errno.NoSystem);
    }
    return imports as WebAssembly.Imports;
}
