import { realpathSync, statSync } from "node:fs";
import { dirname } from "node:path";
import { afterAll, beforeAll, describe, expect, test, vi } from "vitest";
import type { HookAnswer, HookClientName } from "../../packages/cli/src/clients/hook-call.ts";
import { runHook } from "../../packages/cli/src/hooks/answer/run-hook.ts";
import { askDecider } from "../../packages/cli/src/hooks/decider/ask-decider.ts";
import { frameOf } from "../../packages/cli/src/hooks/decider/frames.ts";
import { type DeciderRequest, PROTOCOL } from "../../packages/cli/src/hooks/decider/protocol.ts";
import { runFolderOf, stampOf, viewOfProcess } from "../../packages/cli/src/hooks/decider/run-folder.ts";
import { BUG_FIX } from "../day/hook/bug-fix.ts";
import { CLIENT_MODES } from "../day/hook/clients.ts";
import { COMMAND_PAYLOADS } from "../day/hook/payloads-commands.ts";
import { CURSOR_PAYLOADS } from "../day/hook/payloads-cursor.ts";
import { TOOL_PAYLOADS } from "../day/hook/payloads-tools.ts";
import { inHome, openShop, placed, type Shop } from "../day/hook/shop.ts";
import type { Step } from "../day/step.ts";
import { OWN_COMMAND, runProgram } from "./cli-bench.ts";
import { socketIn } from "./decider-bench.ts";

const [NODE, MAIN] = OWN_COMMAND;

/** One mode of each client: the modes differ in the client, not in the decider. */
const MODES = CLIENT_MODES.filter(
  ({ client }, index) => CLIENT_MODES.findIndex((other) => other.client === client) === index,
);

/** The clients share the payloads; with `TOOLKEEP_RUNS` each has all of them. */
const EVERY = process.env["TOOLKEEP_RUNS"] === undefined ? MODES.length : 1;

describe.each(MODES)("the decider for $client", (mode) => {
  let shop: Shop;
  beforeAll(async () => {
    shop = await openShop(mode.client);
    const { code } = await runProgram([NODE, MAIN, "hook", mode.client], {
      stdin: "{}",
      env: shop.environment,
      cwd: shop.project,
    });
    expect(code).toBe(2);
    // Clients start their hooks there.
    vi.spyOn(process, "cwd").mockReturnValue(shop.project);
  });
  afterAll(() => {
    vi.restoreAllMocks();
    shop.remove();
  });

  const environment = () => ({ ...shop.environment, CLAUDE_PROJECT_DIR: shop.project });

  const inProcess = (text: string) =>
    inHome({ environment: environment() }, () =>
      runHook({ client: mode.client, text, environment: environment() }),
    );

  const byDecider = (text: string) => answered(mode.client, { text, shop, environment: environment() });

  test("gives the same answer to every payload, byte for byte", async () => {
    const all = [...COMMAND_PAYLOADS, ...TOOL_PAYLOADS, ...CURSOR_PAYLOADS];
    expect(all.length).toBeGreaterThanOrEqual(121);
    const steps = all.filter((_, index) => index % EVERY === MODES.indexOf(mode) % EVERY);
    const { ours, theirs } = await both(steps, (index) => `${index}`);
    expect(theirs).toEqual(ours);
  });

  test("gives the same answers within one conversation", async () => {
    const { ours, theirs } = await both(BUG_FIX, () => "day");
    expect(theirs).toEqual(ours);
  });

  /** The two ways have conversations of their own, or one would count the calls of the other. */
  async function both(steps: readonly Step[], conversation: (index: number) => string) {
    const ours: HookAnswer[] = [];
    const theirs: HookAnswer[] = [];
    for (const [index, step] of steps.entries()) {
      const text = (way: string) => {
        const around = { project: shop.project, conversation: `${way}-${conversation(index)}` };
        return JSON.stringify(mode.payload(placed(step.call, shop), around) ?? {});
      };
      ours.push(await inProcess(text("in")));
      theirs.push(await byDecider(text("by")));
    }
    return { ours, theirs };
  }
});

interface Asking {
  readonly text: string;
  readonly shop: Shop;
  readonly environment: Readonly<Record<string, string>>;
}

async function answered(client: HookClientName, { text, shop, environment }: Asking): Promise<HookAnswer> {
  const program = realpathSync(MAIN);
  const folder = runFolderOf(environment, () => shop.home) ?? "";
  const path = socketIn(folder);
  expect(statSync(dirname(path)).mode & 0o077).toBe(0);
  const request: DeciderRequest = {
    ...{ protocol: PROTOCOL, program: stampOf(program), view: viewOfProcess(), cwd: shop.project },
    ...{ environment, client, text },
  };
  const limits = { acceptMs: 10_000, answerMs: 20_000 };
  const asked = await askDecider({ path, frame: frameOf(request), client, ...limits });
  if (asked.kind !== "answer") throw new Error(`The decider did not answer: ${JSON.stringify(asked)}`);
  return asked.answer;
}
