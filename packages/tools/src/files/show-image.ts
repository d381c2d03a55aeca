import { output, ToolFailure, type ToolOutput, text } from "@toolkeep/core";

/** Most that a picture may have: models take 5 MB of Base64. */
export const IMAGE_BYTES = 3_750_000;

export interface Image {
  readonly path: string;
  readonly mimeType: string;
  readonly bytes: Uint8Array;
}

export function showImage({ path, mimeType, bytes }: Image): ToolOutput {
  const alt = `${path} (${mimeType}, ${bytes.length} bytes)`;
  return output({ content: [text(alt), { type: "image", data: base64(bytes), mimeType, alt }] });
}

/** @throws ToolFailure `too_large` */
export function refuseLargeImage(path: string, size: number | undefined): void {
  if (size !== undefined && size <= IMAGE_BYTES) return;
  throw new ToolFailure(
    "too_large",
    `${JSON.stringify(path)} is a picture of ${size ?? "too many"} bytes; at most ${IMAGE_BYTES} can be shown.`,
    { hint: "Make a smaller copy of it first." },
  );
}

/** A multiple of three: only the last part may need filling up. */
const AT_ONCE = 24_576;

function base64(bytes: Uint8Array): string {
  const parts: string[] = [];
  for (let at = 0; at < bytes.length; at += AT_ONCE)
    parts.push(btoa(String.fromCharCode(...bytes.subarray(at, at + AT_ONCE))));
  return parts.join("");
}
