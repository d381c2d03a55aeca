import type { ServerEntry } from "./server-entry.ts";

const OWN_PROGRAM = /^toolkeep(?:@[\w.^~-]+)?(?:\.(?:cmd|exe|ps1|js|mjs))?$/;
const OWN_PATH = /[/\\](?:node_modules[/\\]toolkeep|packages[/\\]cli)[/\\]/;

/**
 * Whether an entry starts our own gateway, by any route: `toolkeep gateway`, `npx -y toolkeep gateway`,
 * `cmd /c …`. A gateway that starts itself would never stop.
 */
export function isOwnGateway(entry: ServerEntry): boolean {
  if (entry.kind !== "stdio") return false;
  const args = [entry.command, ...entry.args].flatMap((arg) => arg.split(/[\s"']+/)).filter(Boolean);
  const gateway = args.indexOf("gateway");
  return args.slice(0, Math.max(0, gateway)).some(isOurs);
}

function isOurs(word: string): boolean {
  const program = word.split(/[/\\]/).at(-1) ?? word;
  return OWN_PROGRAM.test(program.replace(/^--package=/, "")) || OWN_PATH.test(word);
}
