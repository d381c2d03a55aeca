import { RECOMMENDED_POLICY } from "@toolkeep/core/policy";
import { openWorkspace } from "@toolkeep/node";
import { standardTools } from "@toolkeep/tools";
import type { ClientCall } from "../step.ts";

export type Verdict = "allow" | "ask" | "deny";

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

/** What a sandboxed workspace decides about each call. Nothing is executed. */
export async function decideInWorkspace(
  calls: readonly ClientCall[],
  { project, gate }: { readonly project: string; readonly gate: "recommended" | "off" },
): Promise<readonly (Verdict | undefined)[]> {
  await using workspace = await openWorkspace({ roots: [project] });
  await using session = await workspace.createSession({
    tools: standardTools(),
    policy: gate === "off" ? { mode: "yolo", builtIn: "off" } : { ...RECOMMENDED_POLICY, mode: "ask" },
    approver: async () => ({ verdict: "reject" }),
  });
  const verdicts: (Verdict | undefined)[] = [];
  for (const [index, call] of calls.entries()) {
    const own = standardCall(call);
    if (own === undefined) {
      verdicts.push(undefined);
      continue;
    }
    const { explanation } = await session.explain({ id: `call-${index}`, ...own });
    verdicts.push(explanation?.decision.action ?? "deny");
  }
  return verdicts;
}
