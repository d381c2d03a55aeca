/** What a file under `servers/` says about an MCP server. `server.schema.json` describes each field. */
export interface ServerDescription {
  readonly server: string;
  /** Where it comes from: `npm:NAME`, `pypi:NAME`, `image:NAME`, `program:NAME` or `host:NAME`. */
  readonly packages: readonly string[];
  readonly start?: {
    readonly file?: string;
    readonly args?: readonly string[];
    readonly variables?: readonly string[];
  };
  readonly environment?: Readonly<Record<string, string>>;
  readonly tools: readonly DescribedTools[];
  readonly prompts?: DescribedReadings;
  readonly resources?: DescribedReadings;
}

/** Tools that do the same. */
interface DescribedTools {
  readonly mode: "read" | "safe_write" | "destructive" | "local" | "external";
  readonly idempotent?: true;
  readonly does: readonly DescribedEffect[];
  /** The tools by their names, each with its further arguments. */
  readonly takes: Readonly<Record<string, string>>;
}

/** A capability and its target, as in `fs.read {path}`. */
type DescribedEffect =
  | string
  | {
      readonly does: string;
      readonly implied?: true;
      readonly entriesOf?: string;
      /** The language and the argument of statements for a database, which say what is done. `does` names the worst. */
      readonly stated?: string;
    };

type DescribedReadings = Readonly<Record<string, readonly DescribedEffect[]>>;
