/** The arguments of the measured tool: five fields, as in a small search tool. */
export interface FindTextArguments {
  readonly path: string;
  readonly pattern: string;
  readonly limit: number;
  readonly caseSensitive: boolean;
  readonly mode: "files" | "lines" | "count";
}

/** The name and the description of the measured tool. */
export const findText = { name: "find_text", description: "Finds a pattern in a file." } as const;

/** The arguments as JSON Schema, for every contender that takes one. */
export const findTextSchema = {
  type: "object",
  properties: {
    path: { type: "string" },
    pattern: { type: "string" },
    limit: { type: "integer", minimum: 1 },
    caseSensitive: { type: "boolean" },
    mode: { type: "string", enum: ["files", "lines", "count"] },
  },
  required: ["path", "pattern", "limit", "caseSensitive", "mode"],
  additionalProperties: false,
} as const;

/** The number of executions, which shows whether a contender accepts invalid arguments. */
export const executed = { count: 0 };

/** The work that all contenders do. */
export async function executeFindText(args: FindTextArguments): Promise<{ matches: number }> {
  executed.count += 1;
  return { matches: args.limit };
}

/** The arguments as text, as a model sends them; several, so that no contender sees only one path. */
export const argumentTexts: readonly string[] = Array.from({ length: 64 }, (_, index) =>
  JSON.stringify({
    path: `/data/project/src/file-${index}.ts`,
    pattern: `export function name${index}`,
    limit: index + 1,
    caseSensitive: index % 2 === 0,
    mode: index % 3 === 0 ? "files" : "lines",
  }),
);

/** Invalid arguments: a contender that runs the tool with them does not validate. */
export const invalidArgumentText = JSON.stringify({ ...JSON.parse(argumentTexts[0] ?? "{}"), limit: "many" });
