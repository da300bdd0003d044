/* Meshes on WebGL2: batches of triangles with a clip rectangle and a texture. A lost context is made again from what this
 * object keeps: the texels. */
import { CrowdPainter } from "./crowd";
import type { Mesh, Texture } from "./messages";
import { compileProgram, IMAGE_SHADER } from "./program";

const VERTEX_SHADER = `#version 300 es
uniform vec2 size;
in vec2 place;
in vec4 tint;
in vec2 texel;
out vec4 shade;
out vec2 at;
void main() {
    shade = tint;
    at = texel;
    gl_Position = vec4(place.x * 2.0 / size.x - 1.0, 1.0 - place.y * 2.0 / size.y, 0.0, 1.0);
}`;

const VERTEX_BYTES = 20;
const BATCH_WORDS = 9;
const TEXTURES = 3, SPRITES = 0;

export type Canvas = HTMLCanvasElement | FreeCanvas;

/** A canvas without a document; null: this browser has none. */
export function freeCanvas(width: number, height: number): FreeCanvas | null {
    const { OffscreenCanvas } = globalThis as unknown as { OffscreenCanvas?: new (width: number, height: number) => FreeCanvas };
    return OffscreenCanvas === undefined ? null : new OffscreenCanvas(width, height);
}

/* A card that the processor imitates is slower than the raster. Found out on a canvas of its own: a canvas that had WebGL
 * once has nothing else any more. */
function isImitated(): boolean {
    const canvas: Canvas = freeCanvas(1, 1) ?? document.createElement("canvas");
    const gl = (canvas as HTMLCanvasElement).getContext("webgl2", { failIfMajorPerformanceCaveat: true });
    if (gl === null) {
        return true;
    }
    const unmasked = gl.getExtension("WEBGL_debug_renderer_info");
    const name = String(gl.getParameter(unmasked === null ? gl.RENDERER : unmasked.UNMASKED_RENDERER_WEBGL));
    gl.getExtension("WEBGL_lose_context")?.loseContext();
    return /swiftshader|llvmpipe|softpipe|software|basic render/i.test(name);
}

export class GlPainter {
    private program!: WebGLProgram;
    private size!: WebGLUniformLocation | null;
    private vertices!: WebGLBuffer;
    private indices!: WebGLBuffer;
    private quads!: WebGLBuffer;
    private array!: WebGLVertexArrayObject;
    private vertexRoom = 0;
    private indexRoom = 0;
    private quadCount = 0;
    private readonly kept: (Texture | null)[] = new Array<Texture | null>(TEXTURES).fill(null);
    private readonly textures: (WebGLTexture | null)[] = new Array<WebGLTexture | null>(TEXTURES).fill(null);
    private readonly crowd = new CrowdPainter();
    private isLost = false;

    /** null: the browser has no WebGL2 here, or, unless `isForced`, one that the processor imitates. onRestored: the next
     * picture is to be drawn whole again. */
    static create(canvas: Canvas, isForced: boolean, onRestored: () => void): GlPainter | null {
        if (!isForced && isImitated()) {
            return null;
        }
        const gl = (canvas as HTMLCanvasElement).getContext("webgl2", {
            alpha: false,
            antialias: false,
            depth: false,
            stencil: false,
            powerPreference: "low-power",
        });
        return gl === null ? null : new GlPainter(canvas, gl, onRestored);
    }

    private constructor(private readonly canvas: Canvas, readonly gl: WebGL2RenderingContext, onRestored: () => void) {
        canvas.addEventListener("webglcontextlost", (event) => {
            event.preventDefault(); // else it is never given back
            this.isLost = true;
        });
        canvas.addEventListener("webglcontextrestored", () => {
            this.isLost = false;
            this.make();
            onRestored();
        });
        this.make();
    }

    /** Everything that a context owns. */
    private make(): void {
        const gl = this.gl;
        this.program = compileProgram(gl, VERTEX_SHADER, IMAGE_SHADER, ["place", "tint", "texel"]);
        this.size = gl.getUniformLocation(this.program, "size");
        this.vertices = gl.createBuffer()!;
        this.indices = gl.createBuffer()!;
        this.quads = gl.createBuffer()!;
        this.array = gl.createVertexArray()!;
        this.vertexRoom = this.indexRoom = this.quadCount = 0;
        gl.bindVertexArray(this.array);
        for (let place = 0; place < 3; place++) {
            gl.enableVertexAttribArray(place);
        }
        gl.bindVertexArray(null);
        gl.disable(gl.DEPTH_TEST);
        this.crowd.make(gl);
        this.kept.forEach((texture, slot) => {
            this.textures[slot] = null;
            if (texture !== null) {
                this.load(slot, texture);
            }
        });
    }

    setTexture(slot: number, texture: Texture): void {
        this.kept[slot] = texture;
        if (!this.isLost) {
            this.load(slot, texture);
        }
    }

    private load(slot: number, { width, height, texels, isSmooth }: Texture): void {
        const gl = this.gl;
        const filter = isSmooth ? gl.LINEAR : gl.NEAREST;
        const texture = this.textures[slot] ?? (this.textures[slot] = gl.createTexture()!);
        gl.bindTexture(gl.TEXTURE_2D, texture);
        gl.texImage2D(gl.TEXTURE_2D, 0, gl.RGBA, width, height, 0, gl.RGBA, gl.UNSIGNED_BYTE, texels);
        gl.texParameteri(gl.TEXTURE_2D, gl.TEXTURE_MIN_FILTER, filter);
        gl.texParameteri(gl.TEXTURE_2D, gl.TEXTURE_MAG_FILTER, filter);
        gl.texParameteri(gl.TEXTURE_2D, gl.TEXTURE_WRAP_S, gl.CLAMP_TO_EDGE);
        gl.texParameteri(gl.TEXTURE_2D, gl.TEXTURE_WRAP_T, gl.CLAMP_TO_EDGE);
    }

    draw(mesh: Mesh): void {
        const gl = this.gl;
        if (this.isLost) {
            return;
        }
        if (this.canvas.width !== mesh.width || this.canvas.height !== mesh.height) {
            this.canvas.width = mesh.width;
            this.canvas.height = mesh.height;
        }
        gl.viewport(0, 0, mesh.width, mesh.height);
        gl.disable(gl.SCISSOR_TEST);
        gl.clearColor(0, 0, 0, 1);
        gl.clear(gl.COLOR_BUFFER_BIT);
        gl.enable(gl.BLEND);
        gl.blendFuncSeparate(gl.SRC_ALPHA, gl.ONE_MINUS_SRC_ALPHA, gl.ONE, gl.ONE_MINUS_SRC_ALPHA);
        this.upload(mesh);
        this.begin(mesh);
        const count = mesh.batches.length / BATCH_WORDS;
        for (let i = 0; i <= count; i++) {
            if (mesh.crowd !== null && mesh.crowd.batch === i) {
                this.drawCrowd(mesh);
            }
            if (i < count) {
                this.drawBatch(mesh, i * BATCH_WORDS);
            }
        }
        gl.bindVertexArray(null);
    }

    private drawCrowd(mesh: Mesh): void {
        const sprites = this.textures[SPRITES];
        if (sprites !== null) {
            this.gl.bindTexture(this.gl.TEXTURE_2D, sprites);
            this.crowd.draw(this.gl, mesh.crowd!, mesh.width, mesh.height);
            this.begin(mesh);
        }
    }

    private begin(mesh: Mesh): void {
        const gl = this.gl;
        gl.useProgram(this.program);
        gl.uniform2f(this.size, mesh.width, mesh.height);
        gl.bindVertexArray(this.array);
        gl.bindBuffer(gl.ARRAY_BUFFER, this.vertices);
        gl.activeTexture(gl.TEXTURE0);
        gl.enable(gl.SCISSOR_TEST);
    }

    private upload(mesh: Mesh): void {
        const gl = this.gl;
        gl.bindVertexArray(null); // the buffer of indices belongs to the array that is bound
        gl.bindBuffer(gl.ARRAY_BUFFER, this.vertices);
        this.vertexRoom = this.fill(gl.ARRAY_BUFFER, mesh.vertices, this.vertexRoom);
        gl.bindBuffer(gl.ELEMENT_ARRAY_BUFFER, this.indices);
        this.indexRoom = this.fill(gl.ELEMENT_ARRAY_BUFFER, mesh.indices, this.indexRoom);
        let quads = 0;
        for (let at = 0; at < mesh.batches.length; at += BATCH_WORDS) {
            if (mesh.batches[at + 8] === 0) {
                quads = Math.max(quads, mesh.batches[at + 6] >> 2);
            }
        }
        if (quads > this.quadCount) {
            this.makeQuads(quads);
        }
    }

    /** Room doubles, so that a picture that grows does not ask for a new buffer each time. */
    private fill(target: number, content: Uint8Array | Int32Array, room: number): number {
        const gl = this.gl;
        if (content.byteLength > room) {
            room = Math.max(2 * room, content.byteLength, 1 << 16);
        }
        gl.bufferData(target, room, gl.STREAM_DRAW); // a new one: the card may still read the last picture's
        gl.bufferSubData(target, 0, content);
        return room;
    }

    private makeQuads(quads: number): void {
        const gl = this.gl;
        this.quadCount = Math.max(2 * this.quadCount, quads, 1024);
        const indices = new Uint32Array(this.quadCount * 6);
        for (let i = 0; i < this.quadCount; i++) {
            indices.set([4 * i, 4 * i + 1, 4 * i + 2, 4 * i, 4 * i + 2, 4 * i + 3], 6 * i);
        }
        gl.bindBuffer(gl.ELEMENT_ARRAY_BUFFER, this.quads);
        gl.bufferData(gl.ELEMENT_ARRAY_BUFFER, indices, gl.STATIC_DRAW);
    }

    private drawBatch(mesh: Mesh, at: number): void {
        const gl = this.gl;
        const [slot, left, top, right, bottom, firstVertex, vertexCount, firstIndex, indexCount] =
            mesh.batches.subarray(at, at + BATCH_WORDS);
        const texture = this.textures[slot];
        if (texture === null || right <= left || bottom <= top || vertexCount === 0) {
            return;
        }
        const base = firstVertex * VERTEX_BYTES;
        gl.scissor(left, mesh.height - bottom, right - left, bottom - top);
        gl.bindTexture(gl.TEXTURE_2D, texture);
        gl.vertexAttribPointer(0, 2, gl.FLOAT, false, VERTEX_BYTES, base);
        gl.vertexAttribPointer(1, 4, gl.UNSIGNED_BYTE, true, VERTEX_BYTES, base + 8);
        gl.vertexAttribPointer(2, 2, gl.FLOAT, false, VERTEX_BYTES, base + 12);
        if (indexCount === 0) {
            gl.bindBuffer(gl.ELEMENT_ARRAY_BUFFER, this.quads);
            gl.drawElements(gl.TRIANGLES, (vertexCount >> 2) * 6, gl.UNSIGNED_INT, 0);
        } else {
            gl.bindBuffer(gl.ELEMENT_ARRAY_BUFFER, this.indices);
            gl.drawElements(gl.TRIANGLES, indexCount, gl.UNSIGNED_INT, firstIndex * 4);
        }
    }

    /** The pixels of the picture that was drawn last in this task, as 0xFFrrggbb words, the upper row first. */
    read(width: number, height: number, into: Uint32Array): boolean {
        const gl = this.gl;
        if (this.isLost || width !== this.canvas.width || height !== this.canvas.height) {
            return false;
        }
        const bytes = new Uint8Array(width * height * 4);
        gl.readPixels(0, 0, width, height, gl.RGBA, gl.UNSIGNED_BYTE, bytes);
        const words = new Uint32Array(bytes.buffer);
        for (let y = 0; y < height; y++) {
            swapRedAndBlue(words.subarray((height - 1 - y) * width, (height - y) * width), into.subarray(y * width));
        }
        return true;
    }
}

/** Words with bytes red, green, blue, any become blue, green, red, 255, and the other way round. */
export function swapRedAndBlue(from: Uint32Array, to: Uint32Array): void {
    for (let i = 0; i < from.length; i++) {
        const word = from[i];
        to[i] = 0xff000000 | (word & 0xff00) | ((word & 0xff) << 16) | ((word >>> 16) & 0xff);
    }
}
