// Ends with 1 unless a module's imports are exactly these, whatever their order:
//
//     node imports.mjs MODULE.wasm SPACE.NAME ...
import { readFileSync } from "node:fs";

const [file, ...wanted] = process.argv.slice(2);
const found = WebAssembly.Module.imports(new WebAssembly.Module(readFileSync(file))).map((one) => `${one.module}.${one.name}`);
const odd = [
  ...found.filter((name) => !wanted.includes(name)).map((name) => `${name} is imported and not expected`),
  ...wanted.filter((name) => !found.includes(name)).map((name) => `${name} is expected and not imported`),
];
console.log(odd.length > 0 ? odd.join("\n") : `${found.length} imports, as expected`);
process.exit(odd.length > 0 ? 1 : 0);
