import { spawnSync } from "node:child_process";
import { readlinkSync } from "node:fs";
import { join } from "node:path";
import { openShop, type Shop } from "../hook/shop.ts";
import type { RealClient, Setup } from "./real-client.ts";

/** What is played in one round. */
export interface Round {
  readonly client: RealClient;
  /** The program of the client. */
  readonly program: string;
  readonly mode: string;
  readonly setup: Setup;
}

export function nameOf({ client, mode, setup }: Round): string {
  return `${client.name} ${client.package.version}, ${mode}, ${setup}`;
}

/** Where homes are made, in the jail. */
const FOLDER = "/home/day";

/** What the tests of the project print, so that it is seen whether they ran in a sandbox. */
const NAMESPACE = "/proc/self/ns/mnt";

const TEST_FILE = `import { spawnSync } from "node:child_process";
import { readlinkSync } from "node:fs";
import { join } from "node:path";
import { total } from "../src/cart.js";
total([]);
console.log("files of", readlinkSync("${NAMESPACE}"));
`;

/** A home with a project, and Toolkeep in it unless the client is alone. */
export async function openRound({ client, setup }: Round): Promise<Shop> {
  const shop = await openShop(client.name, {
    folder: FOLDER,
    files: { "test/cart.test.js": TEST_FILE },
    isForeign: setup === "alone",
    flags: setup === "confined" ? ["--confine"] : [],
  });
  client.arrange?.(shop, setup);
  if (setup !== "alone") startDecider(shop);
  return shop;
}

const MOST_TRIES = 10;

/** The first decision in a home starts the decider. On a busy machine that may take longer than a hook waits. */
function startDecider({ home, project, environment }: Shop): void {
  const payload = {
    ...{ session_id: "first", cwd: project, permission_mode: "default", hook_event_name: "PreToolUse" },
    ...{ tool_name: "Read", tool_input: { file_path: join(project, "README.md") } },
  };
  const options = {
    cwd: project,
    env: environment,
    input: JSON.stringify(payload),
    encoding: "utf8",
  } as const;
  for (let left = MOST_TRIES; left > 0; left -= 1) {
    const { status } = spawnSync(join(home, LAUNCHER), ["hook", "claude-code"], options);
    if (status === 0) return;
  }
  throw new Error("no hook decides here");
}

const LAUNCHER = ".local/state/toolkeep/bin/toolkeep";

/** Where the tests ran whose output this is; `undefined` if they did not. */
export function placeOfTests(output: string): "sandbox" | "machine" | undefined {
  const [, namespace] = /files of (mnt:\[\d+\])/.exec(output) ?? [];
  if (namespace === undefined) return undefined;
  return namespace === readlinkSync(NAMESPACE) ? "machine" : "sandbox";
}
