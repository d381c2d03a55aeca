import { homedir } from "node:os";
import { join } from "node:path";
import type { Rule } from "@toolkeep/core";
import type { Explanation } from "@toolkeep/core/policy";
import { directories } from "@toolkeep/node/internal";
import type { Project } from "../../project/read-project.ts";
import { DANGEROUS_COMMANDS, OWN_COMMANDS, WAYS_TO_START, WRITTEN_FILES } from "./example-calls.ts";
import { type Example, explainer, type TriedCall, triedCall, withRules } from "./try-rules.ts";

/** A call that a rule may cover without its author meaning it. */
interface UnmeantCall extends Example {
  /** A rule against it protects Toolkeep itself, or keys: no added rule may weaken that. */
  readonly isHeld?: true;
}

const HELD_COMMANDS = [
  ...WAYS_TO_START.flatMap((start) => OWN_COMMANDS.map((command) => `${start}toolkeep ${command}`)),
  "cat ~/.ssh/id_rsa",
];

function examples(root: string): readonly UnmeantCall[] {
  const command = (line: string): Example => ({ tool: "bash", arguments: { command: line }, shown: line });
  const file = (tool: "read" | "write" | "delete", path: string): Example => ({
    tool,
    arguments: { path, ...(tool === "write" ? { content: "" } : {}) },
    shown: `${tool} ${path}`,
  });
  const held = (one: Example): UnmeantCall => ({ ...one, isHeld: true });
  const { config, state } = directories();
  const key = join(homedir(), ".ssh", "id_rsa");
  return [
    ...DANGEROUS_COMMANDS.map(command),
    ...WRITTEN_FILES.map((path) => ({ ...file("write", join(root, path)), shown: `write ${path}` })),
    file("write", join(homedir(), ".bashrc")),
    file("read", join(root, ".env")),
    file("read", "/etc/passwd"),
    file("delete", join(root, "src", "index.js")),
    ...["http://169.254.169.254/", "https://unknown.example/"].map(
      (url): Example => ({ tool: "web_fetch", arguments: { url }, shown: `fetch ${url}` }),
    ),
    ...HELD_COMMANDS.map(command).map(held),
    ...[file("read", key), file("write", key)].map(held),
    ...[join(config, "policy.yaml"), join(state, "pauses.json")].map((path) => held(file("write", path))),
  ];
}

export interface Coverage {
  /** What asked or was denied before, and would be allowed. */
  readonly others: readonly string[];
  /** What would be decided less strictly, of what protects Toolkeep itself or keys. */
  readonly held: readonly string[];
  /** What a call that the rule was written for would get; absent where no such call can be told from its pattern. */
  readonly itself?: TriedCall;
}

/** What rules would change on examples, each as if its `when` held: it may at another hour. Nothing is executed. */
export async function coverageOf(written: readonly Rule[], project: Project): Promise<Coverage> {
  const rules = written.map(({ when: _, ...rule }): Rule => rule);
  const before = await explainer(project);
  const after = await explainer(withRules(project, rules));
  const others: string[] = [];
  const held: string[] = [];
  for (const { shown, isHeld, ...example } of examples(project.root)) {
    const now = strictness(await after(example));
    if (now === DENIED || (isHeld !== true && now > 0) || now >= strictness(await before(example))) continue;
    (isHeld === true ? held : others).push(shown);
  }
  const [rule] = rules;
  const itself = rule === undefined || rules.length > 1 ? undefined : await triedCall(rule, project);
  return { others, held, ...(itself === undefined ? {} : { itself }) };
}

const STRICTNESS = ["allow", "ask", "deny"];
const DENIED = STRICTNESS.indexOf("deny");

/** A call that fails before it is decided does not run. */
function strictness(explained: Explanation | undefined): number {
  return STRICTNESS.indexOf(explained?.decision.action ?? "deny");
}
