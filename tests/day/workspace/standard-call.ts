import type { ClientCall } from "../step.ts";

/** The name of our tool, and our names of the arguments. */
const TOOLS: Readonly<Record<string, readonly [name: string, args: Readonly<Record<string, string>>]>> = {
  Bash: ["bash", {}],
  Read: ["read", { file_path: "path" }],
  Write: ["write", { file_path: "path" }],
  Edit: ["edit", { file_path: "path" }],
  Grep: ["grep", {}],
  Glob: ["glob", {}],
  WebFetch: ["web_fetch", {}],
  WebSearch: ["web_search", {}],
};

/** Our tools do not have them. */
const LEFT_OUT = ["prompt", "output_mode"];

/** The call as one of our standard tools; `undefined` if there is none for it. */
export function standardCall({ tool, input }: ClientCall) {
  const known = TOOLS[tool];
  if (known === undefined) return undefined;
  const [name, args] = known;
  const own = Object.entries(input)
    .filter(([key]) => !LEFT_OUT.includes(key))
    .map(([key, value]) => [args[key] ?? key, value]);
  return { name, arguments: Object.fromEntries(own) as Readonly<Record<string, unknown>> };
}
