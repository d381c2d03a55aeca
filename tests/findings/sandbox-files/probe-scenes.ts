import {
  chmodSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  statSync,
  writeFileSync,
} from "node:fs";
import { setTimeout as wait } from "node:timers/promises";
import { setProbeStage } from "../../../packages/node/src/sandbox/probe/probe-stage.ts";
import { JAIL_USER } from "../../jail/outer-jail.ts";
import { alongside, lostOnce, neverLost, put, setVictim, VICTIM, victimErrors } from "./race.ts";
import { asUser, isRoot, OUTSIDE, scene, unless } from "./stage.ts";

/* A local user, while the sandbox is probed. Only ever started within the jail. */

const user = isRoot ? { uid: JAIL_USER, gid: JAIL_USER } : undefined;

/** A local user who waits for a stage and puts links into it. */
const LOCAL_USER = `
import os
seen=set()
while True:
    for n in os.listdir("/tmp"):
        if not n.startswith("toolkeep-probe-") or n in seen: continue
        o="/tmp/"+n+"/outside/"
        try:
            os.symlink("${VICTIM}", o+"x"); os.rename(o+"x", o+"canary"); seen.add(n)
        except FileNotFoundError: pass
        except PermissionError: pass
        except OSError: seen.add(n)
`;

if (isRoot)
  await scene("[attack 14] no local user leads a probe stage of root elsewhere", async () => {
    setVictim();
    const errors = await alongside(LOCAL_USER, () =>
      neverLost(60, async () => {
        const stage = await setProbeStage(user);
        await stage.strike();
        return victimErrors().length > 0;
      }),
    );
    return [...errors, ...victimErrors()];
  });

if (isRoot)
  await scene("control: [attack 14] a folder that is open to all before it is laid out loses", async () => {
    setVictim();
    return alongside(LOCAL_USER, () =>
      lostOnce(async () => {
        const folder = mkdtempSync("/tmp/toolkeep-probe-");
        chmodSync(folder, 0o755);
        mkdirSync(`${folder}/outside`);
        chmodSync(`${folder}/outside`, 0o777);
        await wait(1);
        writeFileSync(`${folder}/outside/canary`, "x");
        chmodSync(`${folder}/outside/canary`, 0o666);
        return victimErrors().length > 0;
      }),
    );
  });

await scene(
  "[attack 14] the canary is open to all, the rest is the user's, and nothing of it is left",
  async () => {
    const stage = await setProbeStage(user);
    const modeOf = (path: string) => (statSync(path).mode & 0o7777).toString(8);
    const modes = [stage.outside, `${stage.outside}/canary`, `${stage.outside}/..`].map(modeOf).join();
    const owner = statSync(`${stage.workspace}/.git/config`).uid;
    const text = readFileSync(`${stage.outside}/canary`, "utf8");
    await stage.strike();
    return [
      ...unless(modes === "777,666,755" && text === stage.canary, modes),
      ...unless(owner === (user?.uid ?? process.getuid?.()), `the workspace is of user ${owner}`),
      ...unless(!existsSync(`${stage.outside}/..`), "something is left"),
    ];
  },
);

await scene("[attack 14] what others put into the stage leads its removal nowhere else", async () => {
  const stage = await setProbeStage(user);
  mkdirSync(`${OUTSIDE}/folder`);
  put(`${OUTSIDE}/folder/kept`, "x");
  asUser(
    `ln -s "$OUTSIDE/folder" ${stage.outside}/link; mkdir -p ${stage.outside}/d/e; ln -s "$OUTSIDE/folder" ${stage.outside}/d/e/link`,
  );
  await stage.strike();
  return [
    ...unless(existsSync(`${OUTSIDE}/folder/kept`), "the outside was removed"),
    ...unless(!existsSync(stage.outside), "something is left"),
  ];
});

await scene(
  "[attack 14] a folder in it that is exchanged while it is removed leads nowhere either",
  async () => {
    const script = `
import ctypes,os
os.chdir("${"/tmp"}")
x=ctypes.CDLL(None).renameat2
while True:
    for n in os.listdir("."):
        if not n.startswith("toolkeep-probe-"): continue
        try:
            os.chdir(n+"/outside"); os.mkdir("d"); os.symlink("${OUTSIDE}/folder","l")
            for i in range(400): x(-100,b"d",-100,b"l",2)
        except OSError: pass
        os.chdir("/tmp")
`;
    mkdirSync(`${OUTSIDE}/folder`);
    put(`${OUTSIDE}/folder/kept`, "x");
    return alongside(script, () =>
      neverLost(25, async () => {
        const stage = await setProbeStage(user);
        await wait(2);
        await stage.strike();
        return !existsSync(`${OUTSIDE}/folder/kept`);
      }),
    );
  },
);
