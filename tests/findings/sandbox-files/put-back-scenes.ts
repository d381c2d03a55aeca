import {
  chmodSync,
  chownSync,
  constants,
  existsSync,
  lstatSync,
  mkdirSync,
  mkdtempSync,
  openSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { setTimeout as wait } from "node:timers/promises";
import { keepOpenMounts } from "../../../packages/node/src/sandbox/mounts/open-mounts.ts";
import { scan } from "../../../packages/node/src/sandbox/scan/scan.ts";
import { keptThings } from "../../../packages/node/src/sandbox/watch/put-back.ts";
import {
  type ProtectedWatch,
  watchProtected,
} from "../../../packages/node/src/sandbox/watch/watch-protected.ts";
import { JAIL_USER } from "../../jail/outer-jail.ts";
import { alongside, lostOnce, neverLost, put, setVictim, VICTIM, victimErrors } from "./race.ts";
import { at, isRoot, OUTSIDE, profileOf, QUARANTINE, scene, unless, WORKSPACE } from "./stage.ts";

/* Programs that swap things while they are kept, taken away and put back. Only ever started within the jail. */

const isControl = process.argv.includes("control");
const ROUNDS = process.argv.includes("campaign") ? 300 : 60;
const CANARY = "CANARY-9c21";
const protection = { quarantine: QUARANTINE };

/** Waits until the file is taken away and another one stands there, and puts a link in its place. */
const LINK_OVER = `
import os
while True:
    try:
        while os.path.lexists(".mcp.json"): pass
        if not os.path.lexists(".l"): os.symlink("${VICTIM}", ".l")
        while not os.path.lexists(".mcp.json"): pass
        os.rename(".l", ".mcp.json")
    except OSError: pass
`;

/** Exchanges a folder with a link to the outside, as fast as it can. */
const EXCHANGE = `
import ctypes
x=ctypes.CDLL(None).renameat2
while True: x(-100,b"sub",-100,b"l",2)
`;

/** One command ends while a protected file was replaced: it is taken away, and the old one put back. */
async function putBackOnce(): Promise<boolean> {
  put(at(".mcp.json"), "{}");
  const done = watched({ profile: profileOf(), before: await scan([WORKSPACE]), protection });
  put(at(".mcp.json"), "{ }");
  await done().catch(() => {});
  return victimErrors().length > 0;
}

await scene("[attack 01] a link that is put over what was put back gets no rights", async () => {
  setVictim();
  const errors = await alongside(LINK_OVER, () => neverLost(ROUNDS, putBackOnce));
  return [...errors, ...victimErrors()];
});

if (isControl)
  await scene("control: [attack 01] to write a file and then set its mode by its name loses", async () => {
    setVictim();
    return alongside(LINK_OVER, () =>
      lostOnce(async () => {
        rmSync(at(".mcp.json"), { force: true });
        await wait(0);
        try {
          writeFileSync(at(".mcp.json"), "{}", { flag: "wx", mode: 0o600 });
          await wait(0);
          chmodSync(at(".mcp.json"), 0o777);
        } catch {
          // The link was faster.
        }
        return victimErrors().length > 0;
      }),
    );
  });

await scene("[attack 01] nothing is put back with more than the plain rights", async () => {
  put(at(".mcp.json"), "{}", 0o6755);
  const done = watched({ profile: profileOf(), before: await scan([WORKSPACE]), protection });
  put(at("next"), "{ }");
  renameSync(at("next"), at(".mcp.json"));
  await done().catch(() => {});
  const { mode, uid } = statSync(at(".mcp.json"));
  const owner = isRoot ? JAIL_USER : process.getuid?.();
  return unless((mode & 0o7777) === 0o755 && uid === owner, `mode ${mode.toString(8)}, user ${uid}`);
});

await scene(
  "[attack 01] nor into a folder that a link leads to by now, and nothing is taken from there",
  async () => {
    for (const folder of [WORKSPACE, OUTSIDE]) mkdirSync(`${folder}/sub/a`, { recursive: true });
    put(at("sub/a/.mcp.json"), "{}");
    put(at("sub/a/next"), "{ }");
    put(`${OUTSIDE}/sub/a/.mcp.json`, "of the user");
    const profile = profileOf({ write: [at("sub/a")], cwd: at("sub/a") });
    const done = watched({ profile, before: await scan([at("sub/a")]), protection });
    renameSync(at("sub/a/next"), at("sub/a/.mcp.json"));
    // Another command, which may change the folder around it.
    renameSync(at("sub"), at("moved"));
    symlinkSync(`${OUTSIDE}/sub`, at("sub"));
    await done().catch(() => {});
    const text =
      existsSync(`${OUTSIDE}/sub/a/.mcp.json`) && readFileSync(`${OUTSIDE}/sub/a/.mcp.json`, "utf8");
    return unless(text === "of the user", `the outside has ${text}`);
  },
);

await scene("[attack 01] a quarantine that another user made is not used", async () => {
  const folder = mkdtempSync("/tmp/foreign-");
  chmodSync(folder, 0o777);
  const done = watched({ profile: profileOf(), before: [], protection: { quarantine: folder } });
  put(at(".mcp.json"), "{}");
  const complaint = await done().catch(String);
  return [
    ...unless(readdirSync(folder).length === 0, "it was moved there"),
    ...unless(/\.mcp\.json\.quarantined-/.test(`${complaint}`), `${complaint}`),
  ];
});

function watched(watch: Omit<ProtectedWatch, "openMount">): () => Promise<void> {
  return watchProtected({ ...watch, openMount: keepOpenMounts(watch.profile) });
}

function setSwapped(): void {
  mkdirSync(at("sub"));
  put(at("sub/.npmrc"), "first");
  put(`${OUTSIDE}/.npmrc`, CANARY, 0o600);
  put(`${OUTSIDE}/only-outside.pem`, CANARY, 0o600);
  symlinkSync(OUTSIDE, at("l"));
  if (isRoot) chownSync(at("sub"), JAIL_USER, JAIL_USER);
}

/** The folder itself, which has one of two names. */
function inside(): string {
  return at(lstatSync(at("sub")).isDirectory() ? "sub/.npmrc" : "l/.npmrc");
}

await scene("[attack 02] what is kept of a folder that is swapped is never from outside", async () => {
  setSwapped();
  const counts = { kept: 0, back: 0 };
  const errors = await alongside(EXCHANGE, ({ held }) =>
    neverLost(ROUNDS, async () => {
      const finds = await scan([WORKSPACE]);
      if (finds.some(({ path }) => path.endsWith("only-outside.pem"))) return true;
      const [thing] = keptThings(finds, [WORKSPACE]).filter(({ type }) => type === "file");
      if (thing === undefined) return false;
      counts.kept += 1;
      await held(() => rmSync(inside()));
      for (let tries = 0; tries < 40; tries += 1) if (await thing.putBack()) counts.back += 1;
      return held(() => {
        const isOutside = existsSync(inside()) && readFileSync(inside(), "utf8") !== "first";
        put(inside(), "first");
        return isOutside;
      });
    }),
  );
  return [
    ...errors.map((error) => `the outside was read: ${error}`),
    ...unless(counts.kept > 0 && counts.back > 0, `the scene shows nothing: ${JSON.stringify(counts)}`),
    ...unless(readFileSync(`${OUTSIDE}/.npmrc`, "utf8") === CANARY, "the outside was changed"),
  ];
});

if (isControl)
  await scene("control: [attack 02] to look at a path and then read it loses", async () => {
    setSwapped();
    return alongside(EXCHANGE, () =>
      lostOnce(() => {
        try {
          if (!lstatSync(at("sub")).isDirectory()) return false;
          return readFileSync(openSync(at("sub/.npmrc"), constants.O_NOFOLLOW), "utf8") === CANARY;
        } catch {
          return false;
        }
      }),
    );
  });

await scene(
  "[attack 02] a file that was exchanged for another one since it was found is not kept",
  async () => {
    put(at(".npmrc"), "first");
    const finds = await scan([WORKSPACE]);
    put(at("next"), "second");
    renameSync(at("next"), at(".npmrc"));
    const before = keptThings(finds, [WORKSPACE]).length;
    rmSync(at(".npmrc"));
    symlinkSync(`${OUTSIDE}/.npmrc`, at(".npmrc"));
    put(`${OUTSIDE}/.npmrc`, CANARY);
    return unless(before === 0 && keptThings(finds, [WORKSPACE]).length === 0, "it was kept");
  },
);

await scene("[attack 02] a link that was found and leads elsewhere since is not kept", async () => {
  symlinkSync("a", at(".bashrc"));
  const finds = await scan([WORKSPACE]);
  rmSync(at(".bashrc"));
  symlinkSync(`${OUTSIDE}/key`, at(".bashrc"));
  return unless(keptThings(finds, [WORKSPACE]).length === 0, "it was kept");
});
