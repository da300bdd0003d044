/* Makes the package: the types of requests, replies and events from protocol.schema.json, and JavaScript from src/.
 *
 * usage: node build.mjs [--out FOLDER] [--tsc tsc]    FOLDER: clients/js without it; it gets dist/ and, elsewhere, the files beside it
 */
import { spawnSync } from "node:child_process";
import { copyFileSync, existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { dirname, join, resolve } from "node:path";
import { fileURLToPath } from "node:url";
import { parseArgs } from "node:util";

const HERE = dirname(fileURLToPath(import.meta.url)), SCHEMA = resolve(HERE, "../../protocol.schema.json");
const LICENSE = resolve(HERE, "../../LICENSE");

// The members that may be given by position; an op that is not here has none.
const POSITIONAL = {
    set_region: ["region"], mouse: ["x", "y"], spawn: ["kind"], remove: ["agents"], set_param: ["kind", "param", "value"], get_params: ["kind"],
    list: ["what"], inspect: ["agents"], step: ["count"], load: ["scenario"], save: ["name"], remove_save: ["name"], seek: ["tick"],
    speed: ["factor"], ping: ["t0"], cursor: ["x", "y"], help: ["about"], add_target: ["name", "x", "y"], remove_target: ["name"],
    move_obstacle: ["obstacle", "x", "y"], remove_obstacle: ["obstacle"], look: ["tick"], batch: ["requests"], measure: ["names"],
};
const OWN = ["step"]; // methods that return more than their reply: client.ts has them
const LINES = { Hello: "server_hello", ScenarioLine: "server_scenario", CursorsLine: "server_cursors", Bye: "server_bye" };
const NAMES = { event_name: "SubscribedEvent" }; // EventName has those as well that come without being asked for
const COLUMN = "readonly number[] | ArrayBufferView | string";

const capital = (name) => NAMES[name] ?? name.split("_").map((part) => part[0].toUpperCase() + part.slice(1)).join("");
const unique = (types) => [...new Set(types)].join(" | ") || "unknown";

/* JSON Schema to TypeScript. Types of what the server sends have names; what a caller gives stands where it is used, and may be read-only. */
class Writer {
    constructor(defs) {
        this.defs = defs;
        this.named = new Map();
    }

    resolve(schema) {
        return schema.$ref === undefined ? schema : this.defs[schema.$ref.split("/").pop()];
    }

    type(schema, isGiven) {
        if (schema.$ref !== undefined) {
            const target = schema.$ref.split("/").pop(), name = capital(target);
            if (isGiven && this.defs[target].enum === undefined) {
                return this.type(this.defs[target], isGiven);
            }
            if (!this.named.has(name)) {
                this.named.set(name, ""); // first, as it may refer to itself
                this.named.set(name, this.type(this.defs[target], isGiven));
            }
            return name;
        }
        if (schema.const !== undefined || schema.enum !== undefined) {
            return unique((schema.enum ?? [schema.const]).map((value) => JSON.stringify(value)));
        }
        if (schema.packed !== undefined && isGiven) {
            return schema.type.includes("number") ? `number | ${COLUMN}` : COLUMN;
        }
        if (Array.isArray(schema.type)) {
            return unique(schema.type.map((one) => this.type({ ...schema, type: one }, isGiven)));
        }
        if (schema.oneOf !== undefined && schema.properties === undefined || schema.anyOf !== undefined && schema.properties === undefined) {
            return unique((schema.oneOf ?? schema.anyOf).map((one) => this.type(one, isGiven)));
        }
        if (schema.allOf !== undefined) {
            return unique(schema.allOf.map((one) => this.type(one, isGiven)).filter((one) => one !== "unknown"));
        }
        switch (schema.type) {
        case "integer":
            return "number";
        case "array":
            return this.array(schema, isGiven);
        case "object":
            return this.object(schema, isGiven);
        default:
            return schema.type ?? "unknown";
        }
    }

    array({ prefixItems, items, minItems }, isGiven) {
        if (prefixItems !== undefined && minItems === prefixItems.length) {
            return `${isGiven ? "readonly " : ""}[${prefixItems.map((one) => this.type(one, isGiven)).join(", ")}]`;
        }
        const types = [...prefixItems ?? [], ...typeof items === "object" ? [items] : []].map((one) => this.type(one, isGiven));
        return `${isGiven ? "readonly " : ""}(${unique(types)})[]`;
    }

    /** without: members that are left out. */
    object(schema, isGiven, without = []) {
        const rows = this.members(schema).filter(({ name }) => !without.includes(name));
        if (rows.length === 0) {
            return `Record<string, ${typeof schema.additionalProperties === "object" ? this.type(schema.additionalProperties, isGiven) : "unknown"}>`;
        }
        return `{ ${rows.map(({ name, isAlways, member }) => `${name}${isAlways ? "" : "?"}: ${this.type(member, isGiven)}`).join("; ")} }`;
    }

    /* The members of an object, with those of its alternatives: always there is what each alternative requires. */
    members(schema) {
        const found = new Map(Object.entries(schema.properties ?? {}).filter(([, member]) => typeof member === "object"));
        const always = new Set(schema.required ?? []);
        for (const one of schema.oneOf ?? schema.anyOf ?? []) {
            for (const { name, member } of this.members(this.resolve(one))) {
                found.set(name, found.get(name) ?? member);
            }
        }
        return [...found].map(([name, member]) => ({ name, member, isAlways: always.has(name) }));
    }
}

/* The signatures of a method: members by position and in an object, or all in an object. */
function signatures(op, rows, positional) {
    const members = `Members["${op}"]`, needs = (names) => rows.some(({ name, isAlways }) => isAlways && !names.includes(name));
    const ends = `options?: AskOptions): Promise<Replies["${op}"]>;`;
    let text = `    ${op}(members${needs([]) ? "" : "?"}: ${members}, ${ends}\n`;
    if (positional.length > 0) {
        const last = positional.findLastIndex((name) => name === "agents" || rows.some((row) => row.name === name && row.isAlways));
        const words = positional.map((name, i) => {
            const type = name === "agents" ? "number | string | readonly number[]" : `NonNullable<${members}["${name}"]>`;
            return `${name}${i <= last ? "" : "?"}: ${type}`;
        });
        const left = positional.map((name) => `"${name}"`).join(" | ");
        text += `    ${op}(${words.join(", ")}, members${needs(positional) ? "" : "?"}: Omit<${members}, ${left}>, ${ends}\n`;
    }
    return text;
}

/* The alternatives of a schema by the values of this member. */
function byValue(schema, name) {
    const found = new Map();
    for (const one of schema.oneOf) {
        const member = one.properties[name];
        for (const value of member.enum ?? [member.const]) {
            found.set(value, [...found.get(value) ?? [], { ...one, properties: { ...one.properties, [name]: { const: value } } }]);
        }
    }
    return found;
}

function wire(defs) {
    const writer = new Writer(defs), ops = defs.op.enum;
    const replies = byValue(defs.server_reply, "to"), events = byValue(defs.server_event, "event");
    let methods = "", members = "", answers = "", table = "";
    for (const op of ops) {
        const schema = defs[`client_${op}`], without = ["op", "id"];
        const rows = writer.members(schema).filter(({ name }) => !without.includes(name));
        members += `    ${op}: ${rows.length === 0 ? "{}" : writer.object(schema, true, without)};\n`;
        answers += `    ${op}: ${writer.type({ oneOf: replies.get(op) }, false)};\n`;
        methods += OWN.includes(op) ? "" : signatures(op, rows, POSITIONAL[op] ?? []);
        table += `    ${op}: ${JSON.stringify(POSITIONAL[op] ?? [])},\n`;
    }
    writer.type({ $ref: "#/$defs/op" }, false);
    const said = [...events].map(([event, all]) => `    ${event}: ${writer.type({ oneOf: all }, false)};\n`).join("");
    const lines = Object.entries(LINES).map(([name, def]) => `export type ${name} = ${writer.type(defs[def], false)};\n`).join("\n");
    const named = [...writer.named].map(([name, type]) => `export type ${name} = ${type};\n`).join("");
    const head = "/* Printed by build.mjs from protocol.schema.json. A line may have members that are not here: they are kept. */\n";
    return {
        "wire.js": `${head}export const POSITIONAL = {\n${table}};\n`,
        "wire.d.ts": `${head}import type { AskOptions } from "./client.js";\n\n/** The requests, and which of their members may be given by position. */\n` +
            `export declare const POSITIONAL: { readonly [op in Op]: readonly string[] };\n\n` +
            `/** The members of each request. */\nexport interface Members {\n${members}}\n\n/** The reply to each request. */\nexport interface Replies {\n${answers}}\n\n` +
            `/** Each event. */\nexport interface Events {\n${said}}\nexport type EventName = keyof Events;\n\n` +
            `/** The requests as methods. */\nexport interface Requests {\n${methods}}\n\n${lines}\n${named}`,
    };
}

const { values: given } = parseArgs({ options: { out: { type: "string", default: HERE }, tsc: { type: "string", default: "tsc" } } });
const out = resolve(given.out), dist = join(out, "dist");
if (!existsSync(SCHEMA)) {
    console.error(`build.mjs: there is no ${SCHEMA}, which the types of the package are printed from; build in the whole source tree`);
    process.exit(1);
}
rmSync(dist, { recursive: true, force: true });
mkdirSync(dist, { recursive: true });
for (const [name, text] of Object.entries(wire(JSON.parse(readFileSync(SCHEMA, "utf8")).$defs))) {
    writeFileSync(join(dist, name), text);
}
let project = HERE;
if (out !== HERE) {
    const { scripts, ...description } = JSON.parse(readFileSync(join(HERE, "package.json"), "utf8"));
    writeFileSync(join(out, "package.json"), JSON.stringify(description, null, 2)); // there is nothing to build it from
    copyFileSync(join(HERE, "README.md"), join(out, "README.md"));
    project = join(out, "tsconfig.json");
    const source = join(HERE, "src");
    writeFileSync(project, JSON.stringify({
        extends: join(HERE, "tsconfig.json"), compilerOptions: { rootDir: source, rootDirs: [source, dist], outDir: dist }, include: [source],
    }));
}
copyFileSync(LICENSE, join(out, "LICENSE"));
const done = spawnSync(given.tsc, ["-p", project], { encoding: "utf8" });
if (done.error !== undefined || done.status !== 0) {
    console.error(done.error !== undefined ? `build.mjs: ${given.tsc} does not start (${done.error.message}); it is TypeScript's compiler, 4.8 or newer` : done.stdout);
    process.exit(1);
}
