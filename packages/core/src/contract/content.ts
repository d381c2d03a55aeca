/** One block of what a tool shows the model. */
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
  /** Stands in for the picture where a model takes text alone. */
  readonly alt?: string;
}

export function text(value: string): TextContent {
  return { type: "text", text: value };
}
