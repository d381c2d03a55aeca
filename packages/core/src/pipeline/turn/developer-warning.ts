import type { Turn } from "./turn.ts";

/** Environments without a developer at the console. */
const QUIET: ReadonlySet<string | undefined> = new Set(["production", "test"]);

/** Warns on the console while an application is developed, and says where the details of a turn are. */
export function warnDeveloper(message: string, turn?: Turn): void {
  if (QUIET.has(environment())) return;
  console.warn(`[toolkeep] ${message}${turn === undefined ? "" : `\n${whereToRead(turn)}`}`);
}

function whereToRead({ id, runtime: { sessionId, storePath } }: Turn): string {
  const session = JSON.stringify(sessionId);
  return storePath === undefined
    ? `Details: session.journal.read({ turn: ${JSON.stringify(id)} }) of the session ${session}.`
    : `Details: toolkeep log --store ${JSON.stringify(storePath)} ${session}`;
}

/** Not every platform has an environment. */
function environment(): string | undefined {
  const host = Reflect.get(globalThis, "process") as
    | { readonly env?: Readonly<Record<string, string | undefined>> }
    | undefined;
  return host?.env?.["NODE_ENV"];
}
