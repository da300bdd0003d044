/* What browsers have and TypeScript's library does not know, or knows from 4.9 on and by other types: an OffscreenCanvas, by a name of its own. */

interface FreeCanvas extends EventTarget {
    width: number;
    height: number;
    getContext(kind: "webgl2", options?: WebGLContextAttributes): WebGL2RenderingContext | null;
    getContext(kind: "2d", options?: CanvasRenderingContext2DSettings): { putImageData(image: ImageData, x: number, y: number): void } | null;
    convertToBlob(options?: { type?: string }): Promise<Blob>;
}

/* Set by the bundler. */
declare const WORKER_URL: string;
declare const WASM_URL: string;
declare const WASM_BYTES: number;
declare const IN_PAGE: boolean; // the server runs in the page
declare const SERVER_WORKER_URL: string;
declare const SERVER_URL: string;
declare const SERVER_BYTES: number;
declare const GALLERY_WORKER_URL: string;
declare const ASSETS: string; // the folder of scenarios and previews

interface ByteTransform { readonly writable: WritableStream<Uint8Array>; readonly readable: ReadableStream<Uint8Array> }
declare const CompressionStream: new (format: "deflate-raw") => ByteTransform;
declare const DecompressionStream: new (format: "deflate-raw") => ByteTransform;
