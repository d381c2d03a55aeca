import { chmodSync, existsSync, mkdtempSync, readFileSync, realpathSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { ContainedOutcome, SandboxProfile } from "@toolkeep/core/ports";
import { expect, test } from "vitest";
import { bubblewrapSandbox } from "../bubblewrap/bubblewrap.ts";
import { run, sandboxedWorkspace, TEST_USER } from "../testing/sandboxed-workspace.test.kit.ts";
import { endPlace } from "./end-place.ts";
import { projectState } from "./layer/open-layer.ts";
import { openPlace } from "./place/open-place.ts";
import { hasPlaces } from "./place/place.test.kit.ts";

const RUN_AS = { uid: TEST_USER, gid: TEST_USER };
const MADE = "sub/.vscode/settings.json";

/** Runs a command, and makes a protected name in the project while it is under way. */
async function during(line: string, isContained: boolean) {
  const workspace = sandboxedWorkspace();
  // Not in the folder of the workspace, whose files are given to the user of its commands.
  const contain = realpathSync(mkdtempSync(join(tmpdir(), "toolkeep-contain-")));
  chmodSync(contain, 0o711);
  try {
    workspace.write({ "a.txt": "a" });
    const told: string[] = [];
    const sandbox = bubblewrapSandbox({
      runAs: RUN_AS,
      protection: {
        quarantine: workspace.quarantine,
        onQuarantine: (things) => told.push(...things.map(({ from }) => from)),
      },
    });
    let outcome: ContainedOutcome | undefined;
    const contained = {
      ...{
        folder: contain,
        project: workspace.path,
        line,
        callId: "c1",
        hosts: [],
        ports: [],
        through: false,
      },
      evaluate: async () => [],
      onOutcome(one: ContainedOutcome) {
        outcome = one;
      },
    };
    const profile = workspace.profile((isContained ? { contained } : {}) as Partial<SandboxProfile>);
    const command = await sandbox.wrap(["/bin/bash", "-c", "--", line], profile);
    workspace.write({ [MADE]: "{}" });
    const { exitCode, output } = await run(command);
    const isLeft = existsSync(join(workspace.path, MADE));
    const mounted = isContained ? await mountedIn(contain, workspace.path) : [];
    return { exitCode, output, told: told.length, isLeft, kept: outcome?.kept, mounted };
  } finally {
    if (isContained) await endPlace(contain, workspace.path);
    rmSync(contain, { recursive: true, force: true });
  }
}

/** What of the state of a project is mounted in its place. */
async function mountedIn(contain: string, project: string): Promise<readonly string[]> {
  const { folder } = projectState(contain, project);
  const place = await openPlace({ folder: join(folder, "place"), project, user: RUN_AS });
  const mounts = readFileSync(`/proc/${place.init}/mountinfo`, "utf8").split("\n");
  place.close();
  return mounts.filter((mount) => mount.includes(contain));
}

test.skipIf(!hasPlaces)(
  "a command in a layer is not followed by a search for protected names, and keeps what the user made meanwhile",
  async () => {
    const [contained, confined] = [
      await during("echo b > b.txt", true),
      await during("echo b > b.txt", false),
    ];
    expect(contained).toEqual({
      exitCode: 0,
      output: "",
      told: 0,
      isLeft: true,
      kept: ["b.txt"],
      mounted: [],
    });
    expect(confined).toMatchObject({ exitCode: 0, told: 1, isLeft: false });
  },
);
