import type { Diagnostic } from "@toolkeep/core";
import { AGENT_NAME, closestName, unknownKey } from "@toolkeep/core/internal";
import type { AgentDefinition } from "@toolkeep/core/ports";
import { readYaml } from "@toolkeep/policy/internal";
import { splitFrontMatter } from "../front-matter.ts";

/** The content of an agent's file, or what is wrong with it. */
export type ReadAgent =
  | { readonly agent: AgentDefinition; readonly diagnostics: readonly [] }
  | { readonly agent?: undefined; readonly diagnostics: readonly AgentDiagnostic[] };

/** What is wrong with the file of an agent, and where. */
export interface AgentDiagnostic extends Diagnostic {
  readonly code: "agent_not_loaded" | "invalid_agent";
  readonly file: string;
}

const KEYS = ["name", "description", "tools", "model", "mode"] as const;
const MODES = ["primary", "subagent", "all"] as const;
const LONGEST_DESCRIPTION = 1_024;
const LONGEST_HEAD = 65_536;
const MODEL = /^[\w.-]+\/\S{1,200}$/;
const TOOL = /^[\w.:/-]{1,128}$/;
const SPACE = /[\s\p{Cc}\u2028\u2029]+/gu;

/** Reads an agent's file. One with a mistake is no agent: a misspelled `tools` would give it all of them. */
export function readAgent(text: string, file: string, stem: string): ReadAgent {
  const parts = splitFrontMatter(text);
  const at = (line: number, message: string, more: { column?: number; hint?: string } = {}) =>
    ({ code: "invalid_agent", file, line, column: 1, message, ...more }) as const;
  if (parts === undefined)
    return invalid(at(1, "It does not begin with a head between two lines of `---`.", { hint: EXAMPLE }));
  if (parts.head.length > LONGEST_HEAD)
    return invalid(at(1, `Its head has more than ${LONGEST_HEAD} characters.`));
  const { root, diagnostics } = readYaml(parts.head, file);
  if (diagnostics.length > 0)
    return invalid(...diagnostics.map(({ line, column, message }) => at(line + 1, message, { column })));
  if (root?.kind !== "map")
    return invalid(at(2, "Its head is no list of names and values.", { hint: EXAMPLE }));
  const head = new Head(root.entries, at);
  const name = head.text("name") ?? stem;
  const agent = {
    name,
    description: head.text("description") ?? "",
    instructions: parts.body.trim(),
    ...head.tools(),
    ...head.model(),
    ...head.mode(),
  };
  if (!AGENT_NAME.test(name))
    head.add("name", `The name ${JSON.stringify(name)} is not 1 to 64 letters, digits, "_" and "-".`);
  if (agent.description === "") head.add("description", "Its head has no `description`.", EXAMPLE);
  if (agent.description.length > LONGEST_DESCRIPTION)
    head.add("description", `Its description has more than ${LONGEST_DESCRIPTION} characters.`);
  if (agent.instructions === "")
    head.add("", "It has no text below its head, which is the prompt of the agent.");
  if (head.errors.length > 0) return invalid(...head.errors);
  return { agent: Object.freeze(agent), diagnostics: [] };
}

const EXAMPLE =
  "Begin the file with `---`, `description: When to use it.`, `tools: [read, grep]` and `---`, each on its line.";

function invalid(...diagnostics: readonly AgentDiagnostic[]): ReadAgent {
  return { diagnostics };
}

type YamlEntries = Extract<NonNullable<ReturnType<typeof readYaml>["root"]>, { kind: "map" }>["entries"];
type At = (line: number, message: string, more?: { column?: number; hint?: string }) => AgentDiagnostic;

/** The fields of a head, and what is wrong with them. */
class Head {
  readonly errors: AgentDiagnostic[] = [];
  readonly #entries: ReadonlyMap<string, YamlEntries[number]>;
  readonly #at: At;

  constructor(entries: YamlEntries, at: At) {
    this.#entries = new Map(entries.map((entry) => [entry.key, entry]));
    this.#at = at;
    for (const { key } of entries)
      if (!(KEYS as readonly string[]).includes(key))
        this.add(key, unknownKey(key, KEYS, "field of an agent"));
  }

  /** Adds an error, at the line of its field; for a missing one at the first line. */
  add(key: string, message: string, hint?: string): void {
    const entry = this.#entries.get(key);
    const column = entry === undefined ? {} : { column: entry.keyPosition.column };
    const line = entry === undefined ? 1 : entry.keyPosition.line + 1;
    this.errors.push(this.#at(line, message, { ...column, ...(hint === undefined ? {} : { hint }) }));
  }

  /** A text in one line; `undefined` if there is none. */
  text(key: string): string | undefined {
    const entry = this.#entries.get(key);
    if (entry === undefined) return undefined;
    if (entry.value.kind === "scalar") return entry.value.text.replaceAll(SPACE, " ").trim();
    this.add(key, `\`${key}\` must be a text.`);
    return undefined;
  }

  tools(): { readonly tools?: readonly string[] } {
    const entry = this.#entries.get("tools");
    if (entry === undefined) return {};
    const { value } = entry;
    const items = value.kind === "list" ? value.items : [value];
    const names = items.flatMap((item) => (item.kind === "scalar" ? item.text.split(",") : [""]));
    const trimmed = names.map((name) => name.trim());
    if (value.kind === "list" && value.items.length === 0) return { tools: [] };
    const wrong = trimmed.find((name) => !TOOL.test(name));
    if (wrong !== undefined)
      this.add("tools", "`tools` must be a list of names of tools.", "tools: [read, grep]");
    return { tools: Object.freeze([...new Set(trimmed)]) };
  }

  model(): { readonly model?: string } {
    const model = this.text("model");
    if (model === undefined || model === "inherit") return {};
    if (!MODEL.test(model))
      this.add("model", `The model ${JSON.stringify(model)} is not written as \`provider/model\`.`);
    return { model };
  }

  mode(): Pick<AgentDefinition, "mode"> {
    const given = this.text("mode");
    if (given === undefined) return {};
    const mode = MODES.find((one) => one === given);
    if (mode !== undefined) return { mode };
    const near = closestName(given, MODES);
    const suggestion = near === undefined ? "" : ` Did you mean ${JSON.stringify(near)}?`;
    const message = `\`mode\` must be \`primary\`, \`subagent\` or \`all\`, not ${JSON.stringify(given)}.${suggestion}`;
    this.add("mode", message);
    return {};
  }
}
