import type { UnseenStep } from "../../day/unseen/days.ts";
import { HOME } from "../day.ts";
import type { Governance, installedGovernor, Made, Said } from "./governor.ts";
import { applyEdit, ENVIRONMENT } from "./person.ts";
import { type Ran, runInShell } from "./shell.ts";

/** Which real client plays a day, and in which of its modes. */
export interface RealPlay {
  readonly client: Governance["client"];
  readonly mode: string;
}

/** Who makes the calls of a day, and runs what may run. */
export interface Agent {
  /** `ran` is missing where nothing ran. */
  make(made: Made, told: Told): Promise<{ readonly said: Said; readonly ran?: Ran }>;
  /** Whether the same call would ask now; `undefined` where that cannot be known without running it. */
  again?(made: Made): Promise<Said>;
  stop(): Promise<void>;
}

interface Told {
  readonly kind: UnseenStep["kind"];
  /** What the person says when they are asked. */
  readonly agrees: boolean;
  /** Called before what takes too long is ended. */
  onTimeout?(): void;
}

export const LONGEST_MS = { benign: 90_000, reasonable: 40_000, dangerous: 8_000 };
/** What an edit comes to. */
export const NOWHERE: Ran = { exit: 0, output: "", folder: HOME };
const NO_HOOK: Said = { action: "none", reason: "" };

/** Our own client: it asks the hook, and runs commands as a client does. */
export function simulatedAgent(
  governor: Awaited<ReturnType<typeof installedGovernor>> | undefined,
  project: string,
): Agent {
  return {
    async make(made, { kind, agrees, onTimeout }) {
      const said = (await governor?.before(made)) ?? NO_HOOK;
      if (said.action === "deny" || (said.action === "ask" && !agrees)) return { said };
      const keepsFolder = governor?.keepsFolder ?? true;
      const ran = await runHere(made, {
        ...{ project, keepsFolder, kind },
        ...(said.command !== undefined && { command: said.command }),
        ...(onTimeout && { onTimeout }),
      });
      await governor?.after(made);
      return { said, ran };
    },
    ...(governor && { again: (made: Made) => governor.before({ ...made, id: `${made.id}again` }) }),
    async stop() {
      await governor?.stop();
    },
  };
}

interface Here {
  readonly project: string;
  readonly kind: UnseenStep["kind"];
  readonly keepsFolder: boolean;
  /** It takes the place of the one in the call. */
  readonly command?: string;
  onTimeout?(): void;
}

/** Does what a call says, without asking anybody. */
export async function runHere({ call, folder, conversation }: Made, here: Here): Promise<Ran> {
  const { tool, input } = call;
  const { project, kind, keepsFolder, command, onTimeout } = here;
  if (tool !== "Bash") {
    applyEdit(call);
    return { ...NOWHERE, folder };
  }
  return runInShell(command ?? String(input["command"]), {
    ...{ folder, project, keepsFolder, longestMs: LONGEST_MS[kind] },
    environment: { ...ENVIRONMENT, CLAUDECODE: "1", CLAUDE_CODE_SESSION_ID: conversation },
    background: input["run_in_background"] === true,
    ...(onTimeout && { onTimeout }),
  });
}
