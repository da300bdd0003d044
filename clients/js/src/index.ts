/* The package @drover/client, as browsers have it. */
export { DroverError, type Line } from "./errors.js";
export { Density, Frame, Names, Snapshot, type AnyFrame, type Px } from "./frames.js";
export { useGallery, type GalleryAccess, type ServerWorker } from "./gallery.js";
export { overPort, overSocket, register, type Dial, type Port, type SocketLike, type Transport } from "./transport.js";
export {
    connect, Drover, Watch, type AskOptions, type ConnectOptions, type Field, type Limits, type LinkNotice, type Notices, type Param,
    type StepResult, type Where,
} from "./client.js";
export type { EventName, Events, Members, Op, Replies, Requests } from "./wire.js";
