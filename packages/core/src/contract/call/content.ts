/** One block of a result, as the model sees it. */
export type Content = TextContent | ImageContent;

export interface TextContent {
  readonly type: "text";
  readonly text: string;
}

export interface ImageContent {
  readonly type: "image";
  /** Base64. */
  readonly data: string;
  readonly mimeType: string;
  /** Replaces the image for models that take text only. */
  readonly alt?: string;
}

/**
 * A text block, for `content` of a result.
 *
 * @example
 * return output({ data: rows, content: [text(`${rows.length} rows`)] });
 */
export function text(value: string): TextContent {
  return { type: "text", text: value };
}
