/** A command of the user, and what it printed. */
export interface RecordedCommand {
  readonly line: string;
  readonly output: string;
}

/** One call of the model, as it happened. */
export interface RecordedCall {
  /** What is seen of the call: it ran, its user was asked, it was denied, or it ran in the sandbox. */
  readonly shows: "allowed" | "asked" | "denied" | "confined";
  readonly call: string;
  /** What the client showed its user, who said yes. */
  readonly question?: string;
  /** What the model was told. */
  readonly result: string;
}

/** A conversation of a real client with the scripted model, in a project in which `toolkeep init` was run. */
export interface RecordedConversation {
  readonly client: string;
  readonly version: string;
  readonly mode: string;
  /** When it was recorded. */
  readonly date: string;
  readonly before: readonly RecordedCommand[];
  readonly calls: readonly RecordedCall[];
  readonly after: readonly RecordedCommand[];
}
