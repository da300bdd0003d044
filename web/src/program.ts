/* Programs of a graphics card. */

/** The part of an image, tinted. Texels lie in memory as blue, green, red, alpha. */
export const IMAGE_SHADER = `#version 300 es
precision mediump float;
uniform sampler2D image;
in vec4 shade;
in highp vec2 at;
out vec4 color;
void main() {
    color = texture(image, at).bgra * shade;
}`;

/** A program of two shaders. names: of its attributes, in the order of their numbers. */
export function compileProgram(gl: WebGL2RenderingContext, vertex: string, fragment: string, names: string[]): WebGLProgram {
    const program = gl.createProgram()!;
    for (const [kind, text] of [[gl.VERTEX_SHADER, vertex], [gl.FRAGMENT_SHADER, fragment]] as const) {
        const shader = gl.createShader(kind)!;
        gl.shaderSource(shader, text);
        gl.compileShader(shader);
        gl.attachShader(program, shader);
    }
    names.forEach((name, place) => gl.bindAttribLocation(program, place, name));
    gl.linkProgram(program);
    if (!gl.getProgramParameter(program, gl.LINK_STATUS) && !gl.isContextLost()) {
        throw new Error("WebGL cannot link a program: " + (gl.getProgramInfoLog(program) ?? ""));
    }
    return program;
}
