/** The layers tools are registered in, weakest first: a later one shadows an earlier one by name. */
export const LAYERS = ["bundled", "user", "project", "code"] as const;

export type Layer = (typeof LAYERS)[number];

/** Which kind of source a tool came from. Only `mcp` may bring remote tools. */
const SOURCE_KINDS = ["bundled", "code", "folder", "mcp", "openapi", "ai-sdk"] as const;

export type SourceKind = (typeof SOURCE_KINDS)[number];

export function isSourceKind(text: string): text is SourceKind {
  return (SOURCE_KINDS as readonly string[]).includes(text);
}

/** Where a tool came from: shown on inspection and carried by every event, never part of its name. */
export interface Origin {
  readonly layer: Layer;
  readonly source: SourceKind;
  /** Which source of that kind, e.g. the server or the file. */
  readonly id?: string;
}

export const CODE_ORIGIN: Origin = Object.freeze({ layer: "code", source: "code" });

/** Whether the tool is the host application's own. What other tools declare is not trusted. */
export function isOwn({ source }: Origin): boolean {
  return source === "bundled" || source === "code";
}

/** The origin in one word for events and prompts, e.g. `project/folder:tools/lint.ts`. */
export function originName(origin: Origin): string {
  return `${origin.layer}/${origin.source}${origin.id === undefined ? "" : `:${origin.id}`}`;
}
