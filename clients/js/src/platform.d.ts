/* What of Node.js src/node.ts uses. */
declare module "node:net" {
    export interface Socket {
        readonly writable: boolean;
        write(data: string | Uint8Array): boolean;
        destroy(): void;
        destroySoon(): void;
        unshift(data: Uint8Array): void;
        setNoDelay(on: boolean): void;
        setKeepAlive(on: boolean, ms: number): void;
        on(event: string, callback: (...args: any[]) => void): void;
    }
    export function connect(options: { host: string; port: number; signal: AbortSignal }): Socket;
}
declare module "node:http" {
    export interface Incoming { statusCode: number; headers: Record<string, string | undefined>; resume(): void }
    export function get(address: string, options: object): { on(event: string, callback: (...args: any[]) => void): void };
}
declare module "node:https" {
    export { get } from "node:http";
}
declare module "node:crypto" {
    export function randomBytes(count: number): Buffer;
    export function createHash(name: string): { update(text: string): { digest(form: "base64"): string } };
}
declare module "node:fs/promises" {
    export function readFile(path: URL): Promise<Uint8Array>;
}
declare module "node:url" {
    export function pathToFileURL(path: string): URL;
}
declare module "node:worker_threads" {
    export class Worker {
        constructor(text: string, options: { eval: boolean });
        postMessage(message: unknown, transfer?: any[]): void;
        on(event: "message" | "error", callback: (value: any) => void): void;
        terminate(): Promise<number>;
    }
}
interface Buffer extends Uint8Array {
    toString(form?: string): string;
    readUInt16BE(at: number): number;
    readBigUInt64BE(at: number): bigint;
    writeUInt16BE(value: number, at: number): void;
    writeBigUInt64BE(value: bigint, at: number): void;
}
declare const Buffer: { alloc(size: number): Buffer; from(data: string | Uint8Array): Buffer; concat(pieces: Uint8Array[]): Buffer };
