import { withFileLock } from "../../packages/node/src/owned-files/with-file-lock.ts";
import {
  closeByCommit,
  closePast,
  recoverPast,
} from "../../packages/node/src/sandbox/contain/commit/past.ts";
import { lockOf, projectPast } from "../../packages/node/src/sandbox/contain/commit/past-commands.ts";
import { changeSet } from "../../packages/node/src/sandbox/contain/layer/change-set.ts";
import { projectState } from "../../packages/node/src/sandbox/contain/layer/open-layer.ts";
import type { Stage, Work } from "./stage.ts";

/** What ends a contained command, or what the user asks for afterwards. */
export async function workOn({ does, project, contain, folder, upper }: Stage): Promise<void> {
  if (does !== "commit") return void (await (await projectPast(contain, project))[does](1));
  const state = projectState(contain, project);
  const since = BigInt(Date.now() + 3_600_000) * 1_000_000n;
  const { changes } = changeSet({ below: project, upper, since }, new Map());
  const work = changes.map(({ path, does, type }) => ({ path, does, type }));
  const held = changes.map(({ path }) => ({ path, why: "for a test" }));
  await withFileLock(lockOf(state), async () => {
    await recoverPast(state, 1);
    return closeByCommit(
      { project, folder, upper, changes, since },
      { line: "work", callId: "lost", kept: [], held, work },
    );
  });
}

/** As if everything that a command did had been held. */
export async function holdAll({ project, folder, upper }: Stage): Promise<void> {
  const { changes } = changeSet({ below: project, upper, since: 0n }, new Map());
  const work = changes.map(({ path, does, type }) => ({ path, does, type }));
  const held = changes.map(({ path }) => ({ path, why: "for a test" }));
  await closePast(folder, { line: "work", callId: "lost", kept: [], held, work });
}

const [input] = process.argv.slice(2);
if (input?.startsWith("{") === true) await workOn(JSON.parse(input) as Stage & Work);
