/* What browsers have and TypeScript's library does not know yet. */

interface OffscreenCanvas extends EventTarget {
    width: number;
    height: number;
    getContext(kind: "webgl2", options?: WebGLContextAttributes): WebGL2RenderingContext | null;
    getContext(kind: "2d", options?: CanvasRenderingContext2DSettings): OffscreenCanvasRenderingContext2D | null;
    convertToBlob(options?: { type?: string }): Promise<Blob>;
}
declare const OffscreenCanvas: { prototype: OffscreenCanvas; new (width: number, height: number): OffscreenCanvas };

interface OffscreenCanvasRenderingContext2D {
    putImageData(image: ImageData, x: number, y: number): void;
}

interface HTMLCanvasElement {
    transferControlToOffscreen?: () => OffscreenCanvas;
}

/* Set by the bundler. */
declare const WORKER_URL: string;
declare const WASM_URL: string;
