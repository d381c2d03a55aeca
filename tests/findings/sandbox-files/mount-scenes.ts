import { existsSync, readFileSync, writeFileSync } from "node:fs";
import {
  asUser,
  at,
  OUTSIDE,
  profileOf,
  runCommand,
  SANDBOX,
  type SandboxedRun,
  sandboxed,
  scene,
  there,
  unless,
} from "./stage.ts";

/* Three and more commands at once. Only ever started within the jail. */

const CANARY = "CANARY-9c21";

interface Started {
  /** Lets the command go on, to its end. */
  finish(): Promise<SandboxedRun>;
}

/** A command that has started, and waits until it is finished, to run what it is given then. */
async function started(
  name: string,
  {
    line = "true",
    ...changes
  }: NonNullable<Parameters<typeof sandboxed>[1]> & { readonly line?: string } = {},
): Promise<Started> {
  const folder = changes.cwd ?? at(".");
  const run = sandboxed(`touch ${name}; until [ -e ${name}-end ]; do sleep 0.02; done; ${line}`, changes);
  await there(`${folder}/${name}`);
  return {
    finish: () => {
      writeFileSync(`${folder}/${name}-end`, "");
      return run;
    },
  };
}

/** A runs for long, B came and went; C is limited to a folder that A can swap. */
async function swappedUnder(
  changes: Parameters<typeof sandboxed>[1],
  between: () => Promise<void>,
): Promise<readonly string[]> {
  asUser(`mkdir -p packages/a; echo ${CANARY} > "$OUTSIDE/secret.txt"`);
  const long = await started("long");
  await between();
  const line = "cat secret.txt; echo PWNED > pwned.txt";
  const command = await SANDBOX.wrap(
    ["/bin/bash", "-c", line],
    profileOf({ ...changes, cwd: at("packages/a") }),
  );
  asUser(`mv packages/a packages/b; ln -s "$OUTSIDE" packages/a`);
  const { output, exitCode } = await runCommand(command);
  await long.finish();
  return [
    ...unless(!output.includes(CANARY), "it read what is outside"),
    ...unless(!existsSync(`${OUTSIDE}/pwned.txt`), "it wrote outside"),
    ...unless(exitCode !== 0, "it was run"),
  ];
}

const SHORT = async () => {
  await sandboxed("true");
};
const readsA = { read: [at("packages/a")], write: [] };
const writesA = { read: [], write: [at("packages/a")] };

await scene("[attack 08] C, which reads, is verified while A runs, after B has ended", () =>
  swappedUnder(readsA, SHORT),
);
await scene("[attack 08] C, which writes, too", () => swappedUnder(writesA, SHORT));
await scene("[attack 08] and after three more have ended, two of them at once", () =>
  swappedUnder(readsA, async () => {
    await Promise.all([SHORT(), SHORT()]);
    await SHORT();
  }),
);
await scene("[attack 08] and after one that was limited to the same folder", () =>
  swappedUnder(readsA, async () => {
    await sandboxed("true", { ...writesA, cwd: at("packages/a") });
  }),
);

/** A long command, a short one and one limited to a folder, while the user replaces a protected file. */
async function threeAtOnce(
  line: string,
): Promise<readonly [string | undefined, string | undefined, string | undefined]> {
  asUser("mkdir -p packages/a; echo before > .mcp.json");
  const long = await started("long", { line });
  const [short, limited] = await Promise.all([
    started("short"),
    started("limited", { ...writesA, cwd: at("packages/a") }),
  ]);
  asUser("echo after > n; mv n .mcp.json");
  const b = await short.finish();
  const c = await limited.finish();
  const a = await long.finish();
  return [a.complaint, b.complaint, c.complaint];
}

await scene("three at once: what one of them put back is strange to none of the others", async () => {
  const [a, b, c] = await threeAtOnce("true");
  return [
    ...unless(b?.includes("what was there before is back") === true, `B: ${b}`),
    ...unless(a === undefined && c === undefined, `A: ${a}, C: ${c}`),
    ...unless(readFileSync(at(".mcp.json"), "utf8") === "before\n", "it is not what it was"),
  ];
});

await scene("three at once: what another one wrote into it since is taken away", async () => {
  const [a] = await threeAtOnce("echo EVIL >> .mcp.json");
  return [
    ...unless(a?.includes("what was there before is back") === true, `A: ${a}`),
    ...unless(readFileSync(at(".mcp.json"), "utf8") === "before\n", "it is not what it was"),
  ];
});

await scene("three at once: a second name for it does not help", async () => {
  const [a] = await threeAtOnce("ln .mcp.json second");
  return unless(a?.includes(".mcp.json") === true, `A: ${a}`);
});
