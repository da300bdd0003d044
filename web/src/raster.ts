/* Pictures that the processor made, where there is no WebGL2: their pixels go to the canvas as they are. */
import type { Pixels } from "./messages";
import { freeCanvas, swapRedAndBlue, type Canvas } from "./gl";

export class RasterPainter {
    private image: ImageData | null = null;

    static create(canvas: Canvas): RasterPainter | null {
        const context = (canvas as HTMLCanvasElement).getContext("2d", { alpha: false });
        return context === null ? null : new RasterPainter(canvas, context);
    }

    private constructor(private readonly canvas: Canvas, private readonly context: CanvasRenderingContext2D) {}

    draw({ width, height, pixels }: Pixels): void {
        if (width === 0 || height === 0) {
            return;
        }
        if (this.canvas.width !== width || this.canvas.height !== height) {
            this.canvas.width = width;
            this.canvas.height = height;
        }
        if (this.image === null || this.image.width !== width || this.image.height !== height) {
            this.image = new ImageData(width, height);
        }
        swapRedAndBlue(pixels, new Uint32Array(this.image.data.buffer));
        this.context.putImageData(this.image, 0, 0);
    }
}

/** A PNG file of pixels. */
export async function pngOf({ width, height, pixels }: Pixels): Promise<Blob> {
    const image = new ImageData(width, height);
    swapRedAndBlue(pixels, new Uint32Array(image.data.buffer));
    const canvas = freeCanvas(width, height);
    if (canvas !== null) {
        canvas.getContext("2d")!.putImageData(image, 0, 0);
        return canvas.convertToBlob({ type: "image/png" });
    }
    throw new Error("this browser cannot save pictures");
}
