import { ToolFailure, type ToolOutput, textContent, toolOutput } from "@toolkeep/core";

/** The largest image: models accept 5 MB of Base64. */
export const IMAGE_BYTES = 3_750_000;

export interface Image {
  readonly path: string;
  readonly mimeType: string;
  readonly bytes: Uint8Array;
}

export function showImage({ path, mimeType, bytes }: Image): ToolOutput {
  const alt = `${path} (${mimeType}, ${bytes.length} bytes)`;
  return toolOutput({ content: [textContent(alt), { type: "image", data: base64(bytes), mimeType, alt }] });
}

/** @throws ToolFailure `too_large` */
export function refuseLargeImage(path: string, size: number | undefined): void {
  if (size !== undefined && size <= IMAGE_BYTES) return;
  throw new ToolFailure(
    "too_large",
    `${JSON.stringify(path)} is an image of ${size ?? "too many"} bytes; at most ${IMAGE_BYTES} can be shown.`,
    { hint: "Make a smaller copy first." },
  );
}

/** A multiple of three: only the last part needs padding. */
const AT_ONCE = 24_576;

function base64(bytes: Uint8Array): string {
  const parts: string[] = [];
  for (let at = 0; at < bytes.length; at += AT_ONCE)
    parts.push(btoa(String.fromCharCode(...bytes.subarray(at, at + AT_ONCE))));
  return parts.join("");
}
