import { spawnSync } from "node:child_process";
import { openSandbox } from "@toolkeep/node";
import { evaluate, progress } from "../../../benchmarks/src/report.ts";
import type { Part } from "../part.ts";
import { BUG_FIX } from "./bug-fix.ts";
import { CLIENT_MODES, type ClientMode, type Fields } from "./clients.ts";
import { type Ask, inProcess, type Played, playTogether } from "./play-hook.ts";
import { inHome, openShop } from "./shop.ts";

/** A command that the client ran, with its exit code. */
interface Ran {
  readonly command: string;
  readonly code: number | null;
  readonly output: string;
}

const NOTHING: Part = { goals: [], figures: [], voids: [], unasked: [] };

/** The bug fix with a client that does what the hook answers: what the hook confines is run for real. */
export async function measureConfined(): Promise<Part> {
  const mode = inAutoMode();
  if (!(await isSandboxThere())) {
    progress("SKIPPED: no sandbox works here, so nothing is confined");
    return NOTHING;
  }
  const shop = await openShop("claude-code", { flags: ["--confine"] });
  try {
    return await inHome(shop, async () => {
      const ran: Ran[] = [];
      const day = await playTogether(BUG_FIX, { mode, shop }, executing(ran));
      return partOf(day, ran);
    });
  } finally {
    shop.remove();
  }
}

/** The mode that Claude Code starts in: its classifier decides about what is left to it, and no person. */
function inAutoMode(): ClientMode {
  const known = CLIENT_MODES.find(({ client, mode }) => client === "claude-code" && mode === "auto");
  if (known === undefined) throw new Error("Claude Code is missing among the clients.");
  return known;
}

/** Runs the input that the hook answers, in a shell, as the client does. */
function executing(ran: Ran[]): Ask {
  return async (payload, stage) => {
    const answered = await inProcess(payload, stage);
    const { hookSpecificOutput: said } = JSON.parse(answered.stdout || "{}");
    const command = said?.updatedInput?.command;
    if (typeof command !== "string") return answered;
    const { shop } = stage;
    const { status, stdout, stderr } = spawnSync("/bin/bash", ["-c", command], {
      ...{ cwd: shop.project, env: shop.environment, encoding: "utf8", timeout: 150_000 },
    });
    const { command: original } = payload["tool_input"] as Fields;
    ran.push({ command: String(original), code: status, output: `${stdout}${stderr}` });
    return answered;
  };
}

const NOT_RUN = 126;
/** They must end with 0, or what was counted proves nothing. */
const WORKING = /^(?:npm test|npm run build|git (?:status|diff|checkout|add))/;

function partOf(day: readonly Played[], ran: readonly Ran[]): Part {
  const interrupting = day.filter(({ interrupts }) => interrupts);
  for (const { step, answer } of interrupting) progress(`  ${answer.padEnd(9)} ${step.name.slice(0, 120)}`);
  const failed = ran.filter(({ command, code }) => code === NOT_RUN || (WORKING.test(command) && code !== 0));
  const name = "claude-code, confined";
  return {
    goals: [
      evaluate(`${name}: interruptions in the bug fix`, interrupting.length, "<= 4"),
      evaluate(`${name}: commands of the bug fix that ran in the sandbox`, ran.length, ">= 12"),
    ],
    figures: [
      {
        name: `${name}: bug fix`,
        steps: day.length,
        interruptions: interrupting.length,
        confined: ran.length,
      },
    ],
    voids: failed.map(
      ({ command, code, output }) => `${name}: ${command} ended with ${code}: ${output.slice(0, 300)}`,
    ),
    unasked: [],
  };
}

async function isSandboxThere(): Promise<boolean> {
  return openSandbox().then(
    async (sandbox) => {
      await sandbox.close?.();
      return true;
    },
    () => false,
  );
}
