// core.wasm for node and browsers alike: no class of either, stubs for the few imports of the C library.
//
//     const core = await loadCore(bytes);            // an ArrayBuffer, a Uint8Array or a WebAssembly.Module
//     goldenHashes(core, "seek", text, [1, 60], "simd128")   // ["seek 1 0123456789abcdef", "seek 60 ..."]

const WRONG_DESCRIPTOR = 8; // EBADF of WASI
const imports = {
  wasi_snapshot_preview1: {
    fd_close: () => WRONG_DESCRIPTOR,
    fd_fdstat_get: () => WRONG_DESCRIPTOR,
    fd_seek: () => WRONG_DESCRIPTOR,
    fd_write: () => WRONG_DESCRIPTOR,
    proc_exit: (status) => {
      throw new Error(`the module ended with ${status}`);
    },
  },
};

export async function loadCore(source) {
  const module = source instanceof WebAssembly.Module ? source : await WebAssembly.compile(source);
  const { exports } = await WebAssembly.instantiate(module, imports);
  exports._initialize();

  // Memory may move with every call that allocates: views of it are made after the call.
  function give(text) {
    const bytes = new TextEncoder().encode(text);
    const at = exports.core_text(bytes.length);
    if (at === 0) {
      throw new Error("out of memory");
    }
    new Uint8Array(exports.memory.buffer, at, bytes.length).set(bytes);
    return bytes.length;
  }
  function textAt(at) {
    const bytes = new Uint8Array(exports.memory.buffer, at);
    return new TextDecoder().decode(bytes.slice(0, bytes.indexOf(0)));
  }
  return {
    open(scenario) {
      if (exports.core_open(give(scenario)) !== 0) {
        throw new Error(textAt(exports.core_error()));
      }
    },
    /** Whether the module has these instructions. */
    use: (simd) => exports.core_use(give(simd)) === 0,
    run: (tick) => exports.core_run(BigInt(tick)),
    hash: () => BigInt.asUintN(64, exports.core_hash()).toString(16).padStart(16, "0"),
    agents: () => exports.core_agents(),
    close: () => exports.core_close(),
    memoryBytes: () => exports.memory.buffer.byteLength,
  };
}

/** Lines as golden_hashes prints them, or null when the module lacks the instructions. */
export function goldenHashes(core, name, scenario, ticks, simd) {
  core.open(scenario);
  if (!core.use(simd)) {
    return null;
  }
  const lines = ticks.map((tick) => {
    core.run(tick);
    return `${name} ${tick} ${core.hash()}`;
  });
  core.close();
  return lines;
}
