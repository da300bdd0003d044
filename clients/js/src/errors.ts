/* Errors of the client. */

/** A line as JSON.parse gives it: members that this version does not know are kept. */
export type Line = Record<string, any>;

/** A request was refused, or the link to the server failed.
 *
 *  code     for programs: one of the server's codes (protocol.md lists them), or one of this package's: `lost`, `timeout`, `unreachable`,
 *           `protocol`, `version`, `closed`, `replaced`, `no_column`
 *  message  for people, as the server gave it
 *  field    the member of the request that is wrong
 *  line     the server's whole line, or an empty object
 */
export class DroverError extends Error {
    override readonly name = "DroverError";

    constructor(readonly code: string, message: string, readonly field?: string, readonly line: Line = {}) {
        super(message);
    }

    /** @internal The error that a line of the server describes. Members of unexpected types are shown as they came. */
    static of(line: Line): DroverError {
        return new DroverError(String(line.code ?? "internal"), String(line.message ?? "the server gave no reason"),
            line.field === undefined ? undefined : String(line.field), line);
    }
}

/** The error for lines that no server of Drover sends. */
export function nonsense(what: string): DroverError {
    return new DroverError("protocol", `${what}; the other side is no drover-server, or the connection is damaged`);
}

/** A line of the server. */
export function parse(text: string): Line {
    let line: unknown;
    try {
        line = JSON.parse(text);
    } catch (error) {
        throw nonsense(`a line is not JSON (${(error as Error).message})`);
    }
    if (typeof line !== "object" || line === null || typeof (line as Line).op !== "string") {
        throw nonsense("a line is no object with an op");
    }
    return line as Line;
}
