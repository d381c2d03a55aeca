import { homedir } from "node:os";
import type { Session } from "@toolkeep/core";
import { visible } from "@toolkeep/core/internal";
import type { Explanation, Watchdog, WatchdogVerdict } from "@toolkeep/core/policy";
import { parseCommand, safeForms } from "@toolkeep/node/internal";
import type { DryRunCall } from "./hook-call.ts";

/** The name of the watchdog in the journal, which distinguishes these refusals from others. */
const SAFE_FORM = "safe-form";

const MOST_TRIED = 4;

/**
 * A command with the same result as one that is not allowed, which the same policy allows; `undefined` if none is
 * known.
 */
export async function safeFormOf(
  session: Session,
  { tool, arguments: args }: DryRunCall,
  root: string,
): Promise<SafeForm | undefined> {
  const { command, workdir } = args;
  if (tool !== "bash" || typeof command !== "string") return undefined;
  const explained = await explain(session, args);
  if (explained === undefined || explained.decision.action === "allow") return undefined;
  const files = explained.effects
    .filter(({ capability }) => capability === "fs.read")
    .map(({ target }) => target);
  const { commands = [] } = await parseCommand(command, { home: homedir() });
  const folder = typeof workdir === "string" ? workdir : root;
  const forms = await safeForms({ line: command, commands, folder }, files);
  for (const form of forms.slice(0, MOST_TRIED)) {
    const other = await explain(session, { ...args, command: form });
    if (other?.decision.action === "allow")
      return { command, instead: form, reason: reasonOf(explained, form) };
  }
  return undefined;
}

export interface SafeForm {
  readonly command: string;
  /** The allowed command. */
  readonly instead: string;
  readonly reason: string;
}

async function explain(session: Session, args: DryRunCall["arguments"]): Promise<Explanation | undefined> {
  return (await session.explain({ id: SAFE_FORM, name: "bash", arguments: args })).explanation;
}

function reasonOf({ decision, effects }: Explanation, form: string): string {
  const note = effects.find((effect) => effect.note !== undefined)?.note;
  const why = [decision.reason ?? decision.matchedBy, ...(note === undefined ? [] : [visible(note)])].join(
    " ",
  );
  return `${why} This command needs no approval: ${visible(form)}`;
}

/** Refuses a command that has a safe form: the model can use that instead of an approval. */
export function safeFormWatchdog(forms: ReadonlyMap<string, SafeForm>): Watchdog {
  return {
    name: SAFE_FORM,
    evaluate({ args }): WatchdogVerdict {
      const form = forms.get(String(args["command"]));
      return form === undefined ? { action: "allow" } : { action: "deny", reason: form.reason };
    },
  };
}
