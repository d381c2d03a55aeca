import { homedir } from "node:os";
import { basename } from "node:path";
import { isWithin, visible } from "@toolkeep/core/internal";
import type { Explanation } from "@toolkeep/core/policy";
import { parseCommand, safeForms } from "@toolkeep/node/internal";
import type { DryRunCall } from "../../../clients/hook-call.ts";

/** A call that is allowed and does the same as one that is not. */
export interface SafeForm {
  readonly instead: string;
  readonly reason: string;
}

/** Explains a call with other arguments, in the same state of the session. */
type Explain = (args: DryRunCall["arguments"]) => Promise<Explanation | undefined>;

interface ReasonedCall {
  readonly call: { readonly tool: string };
  readonly explained: Explanation;
}

interface Refused {
  readonly call: DryRunCall;
  readonly explained: Explanation;
  readonly root: string;
}

const MOST_TRIED = 4;

/** A form of a refused call that the same policy allows; `undefined` if none is known. */
export async function safeFormOf(refused: Refused, explain: Explain): Promise<SafeForm | undefined> {
  const forms = refused.call.tool === "grep" ? searchForms(refused) : await commandForms(refused);
  for (const { args, instead, lead } of forms.slice(0, MOST_TRIED)) {
    const other = await explain(args);
    if (other?.decision.action === "allow")
      return { instead, reason: `${reasonOf(refused)} ${lead}: ${visible(instead)}` };
  }
  return undefined;
}

interface Form {
  readonly args: DryRunCall["arguments"];
  readonly instead: string;
  readonly lead: string;
}

async function commandForms({ call, explained, root }: Refused): Promise<readonly Form[]> {
  const { command, workdir } = call.arguments;
  if (call.tool !== "bash" || typeof command !== "string") return [];
  const { commands = [] } = await parseCommand(command, { home: homedir() });
  const folder = typeof workdir === "string" ? workdir : root;
  const lines = await safeForms({ line: command, commands, folder }, filesReadBy(explained));
  return lines.map((line) => ({
    args: { ...call.arguments, command: line },
    instead: line,
    lead: "This command needs no approval",
  }));
}

const MOST_EXCLUDED = 8;
const PLAIN = /^[\w.@+/-]+$/;

/** The same search without these files, for clients whose search has the argument `glob`. */
function searchForms({ call, explained }: Refused): readonly Form[] {
  const { path, globs, hasGlob } = call.arguments;
  if (typeof path !== "string" || globs !== undefined || hasGlob !== true) return [];
  const names = [...new Set(filesInTree(explained).map((file) => basename(file)))];
  if (names.length === 0 || names.length > MOST_EXCLUDED || !names.every((name) => PLAIN.test(name)))
    return [];
  const glob = names.length === 1 ? `!${names[0]}` : `!{${names.join(",")}}`;
  return [
    {
      args: { ...call.arguments, globs: [glob] },
      instead: `glob: ${JSON.stringify(glob)}`,
      lead: "The same search with this argument needs no approval",
    },
  ];
}

/** The files in a tree that a search would read and that are named one by one. */
function filesInTree({ effects }: Pick<Explanation, "effects">): readonly string[] {
  const [tree] = effects
    .filter(({ partial }) => partial === true)
    .map(({ target }) => target.slice(0, -"/**".length));
  if (tree === undefined) return [];
  return filesReadBy({ effects }).filter(
    (file) => file !== tree && !file.endsWith("/**") && isWithin(file, tree),
  );
}

function filesReadBy({ effects }: Pick<Explanation, "effects">): readonly string[] {
  return effects.filter(({ capability }) => capability === "fs.read").map(({ target }) => target);
}

/** With the file that a search would read, which the reason of a rule does not name. */
export function reasonOf({ call, explained: { decision, effects } }: ReasonedCall): string {
  const note = effects.find((effect) => effect.note !== undefined)?.note;
  const [file] = call.tool === "grep" ? filesInTree({ effects }) : [];
  const reads = file === undefined ? [] : [`It would read ${visible(file)}.`];
  return [
    ...reads,
    decision.reason ?? decision.matchedBy,
    ...(note === undefined ? [] : [visible(note)]),
  ].join(" ");
}
