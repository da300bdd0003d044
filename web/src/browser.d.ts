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
