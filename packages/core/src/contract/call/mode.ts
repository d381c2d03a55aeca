/** How much a tool may change, and so how a person should meet its calls. */
export type ToolMode = "read" | "safe_write" | "destructive" | "local" | "external";

/** The kind of work, as editors that speak ACP show it. */
export type ToolKind =
  | "read"
  | "edit"
  | "delete"
  | "move"
  | "search"
  | "execute"
  | "think"
  | "fetch"
  | "other";

const MODE_BY_NAME: readonly (readonly [RegExp, ToolMode])[] = [
  [/^(?:get|list|read|search)_/, "read"],
  [/^(?:create|update|add|set)_/, "safe_write"],
  [/^(?:delete|remove|archive|drop)_/, "destructive"],
  [/^(?:local|shell|exec)_/, "local"],
];

const KIND_BY_MODE: Readonly<Record<ToolMode, ToolKind>> = {
  read: "read",
  safe_write: "edit",
  destructive: "delete",
  local: "execute",
  external: "other",
};

/** The mode a name suggests, for tools that do not declare one. A name that says nothing is `external`. */
export function modeOfName(name: string): ToolMode {
  return MODE_BY_NAME.find(([pattern]) => pattern.test(name))?.[1] ?? "external";
}

export function kindOfMode(mode: ToolMode): ToolKind {
  return KIND_BY_MODE[mode];
}

/** How a person should meet the calls of a tool. */
export interface Treatment {
  /** What becomes of a call that is not gated and of which no rule speaks. */
  readonly base: "allow" | "ask";
  /** What to show with it on a screen. */
  readonly show: "nothing" | "diff" | "undo" | "consent" | "log";
}

const TREATMENTS: Readonly<Record<ToolMode, Treatment>> = Object.freeze({
  read: { base: "allow", show: "nothing" },
  safe_write: { base: "allow", show: "diff" },
  destructive: { base: "allow", show: "undo" },
  local: { base: "ask", show: "consent" },
  external: { base: "allow", show: "log" },
});

export function treatmentOf(mode: ToolMode): Treatment {
  return TREATMENTS[mode];
}
