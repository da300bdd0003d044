/* Large crowds: the card moves agents between two snapshots by itself. The rows go to the card when a snapshot has come; a
 * picture in between is a few uniforms. The formula is that of viewer/model/interpolate.c (struct interpolate_motion says it in
 * words); tests/unit/viewer/draw/test_canvas.c has it in C and compares. */
import type { Crowd } from "./messages";
import { compileProgram, IMAGE_SHADER } from "./program";

const KINDS = 64;
/** Bytes of struct agent_instance, and 4-byte members of struct agent_instances_frame. */
export const ROW_BYTES = 44, FRAME_WORDS = 43 + 5 * KINDS;
/** The members' places in struct agent_instances_frame. */
const enum At {
    Clip = 0,
    View = 4, // scale, offset
    Way = 7, // along, leave, reach, part
    Jump = 11, // reach_s, has_jumped
    Since = 13,
    Fades = 14, // in, out
    Wrap = 16,
    Pale = 18,
    Sight = 19,
    TileCount = 23,
    Tiles = 24,
    Half = 43,
    Sprite = 107,
}

const VERTEX_SHADER = `#version 300 es
precision highp float;
precision highp int;
uniform vec2 size;
uniform vec3 view;
uniform vec4 way;
uniform vec2 jump;
uniform float since;
uniform vec2 fades;
uniform vec2 wrap;
uniform float pale;
uniform vec4 sight;
uniform vec2 tile;
uniform float halves[${KINDS}];
uniform vec4 sprites[${KINDS}];
in ivec4 places;
in ivec4 velocities;
in uvec4 rest; // heading, turn, kind, phase
in vec4 tint;
out vec4 shade;
out vec2 at;
void main() {
    vec2 from = vec2(places.xy) * 0.01, path = vec2(places.zw) * 0.01 - from;
    vec2 leaving = vec2(velocities.xy) * 0.01, reaching = vec2(velocities.zw) * 0.01;
    bool wraps = wrap.x > 0.0;
    vec2 place = from;
    float part = way.w, alpha = tint.a * pale;
    if (rest.w == 0u) { // it stays
        if (wraps) {
            path -= wrap * vec2(greaterThan(path, 0.5 * wrap));
            path += wrap * vec2(lessThan(path, -0.5 * wrap));
        }
        float limit = sqrt(max(dot(leaving, leaving), dot(reaching, reaching))) * jump.x + 10.0;
        if (dot(path, path) > limit * limit) {
            place = from + path * jump.y;
            part = jump.y;
        } else {
            place = from + path * way.x + leaving * way.y + reaching * way.z;
        }
    } else if (rest.w == 1u) { // it comes
        alpha *= fades.x;
    } else { // it leaves
        place = from + leaving * since;
        alpha *= fades.y;
    }
    if (wraps) {
        place -= wrap * floor(place / wrap);
        place *= vec2(lessThan(place, wrap));
    }
    vec2 center = (place + tile) * view.x + view.yz;
    if (any(lessThan(center, sight.xy)) || any(greaterThan(center, sight.zw))) {
        gl_Position = vec4(2.0, 2.0, 0.0, 1.0);
        return;
    }
    int kind = int(rest.z), turn = int(rest.y) - (rest.y > 32767u ? 65536 : 0);
    float angle = radians((float(rest.x) + float(turn) * part) * 0.01);
    vec2 arm = vec2(cos(angle), sin(angle)) * halves[kind];
    vec2 corner = vec2((gl_VertexID & 1) != 0 ? 1.0 : -1.0, (gl_VertexID & 2) != 0 ? 1.0 : -1.0);
    vec2 point = center + vec2(corner.x * arm.x - corner.y * arm.y, corner.x * arm.y + corner.y * arm.x);
    shade = vec4(tint.rgb, alpha);
    at = mix(sprites[kind].xy, sprites[kind].zw, 0.5 * corner + 0.5);
    gl_Position = vec4(point.x * 2.0 / size.x - 1.0, 1.0 - point.y * 2.0 / size.y, 0.0, 1.0);
}`;

const UNIFORMS = ["size", "view", "way", "jump", "since", "fades", "wrap", "pale", "sight", "tile", "halves", "sprites"] as const;
type Name = (typeof UNIFORMS)[number];

export class CrowdPainter {
    private program!: WebGLProgram;
    private array!: WebGLVertexArrayObject;
    private rows!: WebGLBuffer;
    private room = 0;
    private version = 0; // of the rows that the card has
    private places!: Record<Name, WebGLUniformLocation | null>;

    /** Everything that a context owns. */
    make(gl: WebGL2RenderingContext): void {
        const program = (this.program = compileProgram(gl, VERTEX_SHADER, IMAGE_SHADER, ["places", "velocities", "rest", "tint"]));
        this.places = Object.fromEntries(UNIFORMS.map((name) => [name, gl.getUniformLocation(program, name)])) as typeof this.places;
        this.array = gl.createVertexArray()!;
        this.rows = gl.createBuffer()!;
        this.room = this.version = 0;
        gl.bindVertexArray(this.array);
        gl.bindBuffer(gl.ARRAY_BUFFER, this.rows);
        gl.vertexAttribIPointer(0, 4, gl.INT, ROW_BYTES, 0);
        gl.vertexAttribIPointer(1, 4, gl.INT, ROW_BYTES, 16);
        gl.vertexAttribIPointer(2, 4, gl.UNSIGNED_SHORT, ROW_BYTES, 32);
        gl.vertexAttribPointer(3, 4, gl.UNSIGNED_BYTE, true, ROW_BYTES, 40);
        for (let place = 0; place < 4; place++) {
            gl.enableVertexAttribArray(place);
            gl.vertexAttribDivisor(place, 1);
        }
        gl.bindVertexArray(null);
    }

    private upload(gl: WebGL2RenderingContext, crowd: Crowd): void {
        if (crowd.version === this.version) {
            return;
        }
        this.version = crowd.version;
        gl.bindBuffer(gl.ARRAY_BUFFER, this.rows);
        if (crowd.rows.byteLength > this.room) {
            this.room = crowd.rows.byteLength + (crowd.rows.byteLength >> 2);
        }
        gl.bufferData(gl.ARRAY_BUFFER, this.room, gl.DYNAMIC_DRAW); // a new one: the card may still read the last rows
        gl.bufferSubData(gl.ARRAY_BUFFER, 0, crowd.rows);
    }

    /** Into a picture of this size; the texture with the sprites is bound. */
    draw(gl: WebGL2RenderingContext, crowd: Crowd, width: number, height: number): void {
        const { frame, numbers } = crowd, places = this.places;
        const part = (at: number, count: number) => frame.subarray(at, at + count);
        const [left, top, right, bottom] = numbers.subarray(At.Clip, At.Clip + 4);
        if (right <= left || bottom <= top) {
            return;
        }
        gl.useProgram(this.program);
        gl.bindVertexArray(this.array);
        this.upload(gl, crowd);
        gl.scissor(left, height - bottom, right - left, bottom - top);
        gl.uniform2f(places.size, width, height);
        gl.uniform3fv(places.view, part(At.View, 3));
        gl.uniform4fv(places.way, part(At.Way, 4));
        gl.uniform2fv(places.jump, part(At.Jump, 2));
        gl.uniform1f(places.since, frame[At.Since]);
        gl.uniform2fv(places.fades, part(At.Fades, 2));
        gl.uniform2fv(places.wrap, part(At.Wrap, 2));
        gl.uniform1f(places.pale, frame[At.Pale]);
        gl.uniform4fv(places.sight, part(At.Sight, 4));
        gl.uniform1fv(places.halves, part(At.Half, KINDS));
        gl.uniform4fv(places.sprites, part(At.Sprite, 4 * KINDS));
        for (let i = 0; i < numbers[At.TileCount]; i++) {
            gl.uniform2fv(places.tile, part(At.Tiles + 2 * i, 2));
            gl.drawArraysInstanced(gl.TRIANGLE_STRIP, 0, 4, crowd.count);
        }
    }
}
