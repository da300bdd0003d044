/* What the button Share opens: the world as a link and as files, a clip, and files that become the world. */
import { reasonOf } from "./messages";
import { button, el, setText } from "./panels/dom";

/** What a page can do with its world; what it cannot is absent. */
export interface ShareWork {
    link(): Promise<{ address: string; note: string }>;
    /** Files of the world: the words on the button, and what is saved. */
    files: { words: string; make(): Promise<{ name: string; content: Blob }> }[];
    /** Makes a file the world, where `opens` says that it can; throws why it cannot. */
    open(file: File): Promise<void>;
    opens: boolean;
}

export function download(name: string, content: Blob): void {
    const link = document.createElement("a"), url = URL.createObjectURL(content);
    link.href = url;
    link.download = name;
    link.click();
    setTimeout(() => URL.revokeObjectURL(url), 10000);
}


export class ShareMenu {
    private readonly box = el("section", "menu share");
    private readonly status = el("p", "words");
    private readonly address = el("input");
    private readonly clip: HTMLButtonElement;
    private readonly input = el("input");
    private recorder: MediaRecorder | null = null;
    private opener: HTMLElement | null = null;

    constructor(parent: HTMLElement, private readonly canvas: HTMLCanvasElement, private readonly work: ShareWork) {
        this.box.setAttribute("aria-label", "Share");
        this.box.hidden = true;
        this.status.setAttribute("role", "status");
        this.address.readOnly = true;
        this.address.hidden = true;
        this.address.setAttribute("aria-label", "The link");
        this.box.append(button("", "Copy a link", () => void this.copy()));
        for (const file of work.files) {
            this.box.append(button("", file.words, () => void this.tell(async () => {
                const { name, content } = await file.make();
                download(name, content);
                return `Saved as ${name}.`;
            })));
        }
        this.input.type = "file";
        this.input.accept = ".drover,.json";
        this.input.hidden = true;
        this.input.setAttribute("aria-label", "A recording or a scenario");
        this.input.addEventListener("change", () => this.take(this.input.files));
        if (work.opens) {
            this.box.append(button("", "Open a recording or a scenario\u2026", () => this.input.click()), this.input);
        }
        this.acceptDrops(parent); // else the browser leaves the page for the file
        this.clip = button("", "", () => this.toggleClip());
        this.box.append(this.clip, this.address, this.status);
        this.showClip();
        parent.append(this.box);
        document.addEventListener("pointerdown", (event) => {
            if (!this.box.contains(event.target as Node) && event.target !== this.opener) {
                this.close();
            }
        });
        this.box.addEventListener("keydown", (event) => {
            if (event.key === "Escape") {
                this.close();
                this.opener?.focus();
            }
            event.stopPropagation(); // the world has keys of its own
        });
    }

    /** Opens, or closes, below the button that was pressed. */
    toggle(opener: HTMLElement): void {
        this.opener = opener;
        if (!this.box.hidden) {
            this.close();
            return;
        }
        setText(this.status, "");
        this.address.hidden = true;
        this.box.hidden = false;
        const at = opener.getBoundingClientRect(), { width, height } = this.box.getBoundingClientRect();
        this.box.style.left = `${Math.max(8, Math.min(at.left, innerWidth - width - 8))}px`;
        this.box.style.top = `${Math.max(8, Math.min(at.bottom + 6, innerHeight - height - 8))}px`;
        this.box.querySelector("button")?.focus();
    }

    private close(): void {
        this.box.hidden = true;
    }

    /* Does something and says what came of it. */
    private async tell(act: () => Promise<string>): Promise<void> {
        setText(this.status, "");
        try {
            setText(this.status, await act());
        } catch (error) {
            setText(this.status, `That did not work: ${reasonOf(error)}.`);
        }
    }

    private copy(): Promise<void> {
        return this.tell(async () => {
            const { address, note } = await this.work.link();
            this.address.value = address;
            this.address.hidden = false;
            this.address.select();
            const isCopied = await (navigator.clipboard?.writeText(address).then(() => true, () => false) ?? false);
            return `${isCopied ? "The link is on the clipboard" : "Copy the link from the field"} (${address.length} characters). ${note}`.trim();
        });
    }

    private take(files: FileList | null): void {
        const file = files?.[0];
        if (file !== undefined) {
            this.box.hidden = false;
            void this.tell(async () => {
                await this.work.open(file);
                this.close();
                return "";
            });
        }
        this.input.value = "";
    }

    private acceptDrops(parent: HTMLElement): void {
        parent.addEventListener("dragover", (event) => event.preventDefault());
        parent.addEventListener("drop", (event) => {
            event.preventDefault();
            this.take(event.dataTransfer?.files ?? null);
        });
    }

    /* ---- clips ---- */

    private showClip(): void {
        setText(this.clip, this.recorder === null ? "Record a clip" : "Stop and save the clip");
        const canRecord = typeof MediaRecorder !== "undefined" && this.canvas.captureStream !== undefined;
        this.clip.disabled = !canRecord;
        this.clip.title = canRecord ? "The picture without the panels, as WebM" : "This browser records no pictures";
    }

    private toggleClip(): void {
        if (this.recorder !== null) {
            this.recorder.stop();
            return;
        }
        void this.tell(async () => {
            const parts: Blob[] = [], recorder = new MediaRecorder(this.canvas.captureStream(60), { videoBitsPerSecond: 8_000_000 });
            recorder.ondataavailable = ({ data }) => parts.push(data);
            recorder.onstop = () => {
                recorder.stream.getTracks().forEach((track) => track.stop());
                this.recorder = null;
                this.showClip();
                download("drover.webm", new Blob(parts, { type: recorder.mimeType }));
                setText(this.status, "Saved as drover.webm.");
            };
            recorder.start(1000);
            this.recorder = recorder;
            this.showClip();
            return "Recording.";
        });
    }
}
