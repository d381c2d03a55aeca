import { chmodSync, mkdirSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { RECOMMENDED_POLICY } from "@toolkeep/core/policy";
import { vi } from "vitest";
import { LOOSE, type mandated, type Place } from "./place.ts";

export const USER = "home/.config/toolkeep/config.jsonc";
const USERS_POLICY = "home/.config/toolkeep/policy.yaml";

type Options = NonNullable<Parameters<typeof mandated>[1]>;
/** A way to loosen what an administrator mandates. What it returns is how the project is read then. */
type Way = (at: Place) => Options | Promise<Options>;

const files =
  (written: Readonly<Record<string, unknown>>, options: Options = {}): Way =>
  (at) => {
    for (const [path, value] of Object.entries(written)) at.put(path, value);
    return options;
  };

/** A variable that names something in the repository, with the files there. */
const variable =
  (name: string, value: string, written: Readonly<Record<string, unknown>>): Way =>
  (at) => {
    vi.stubEnv(name, join(at.repository, value));
    return files(written)(at);
  };

const MANAGED_MODE = { "etc/config.jsonc": { policy: "policy.yaml", mode: "ask" } };
const FINAL = LOOSE.replaceAll("'allow", "'final allow");
const PLANTED = {
  "repository/.toolkeep/config.jsonc": { policy: "p.yaml" },
  "repository/.toolkeep/p.yaml": LOOSE,
};
const NAMES = Object.keys(RECOMMENDED_POLICY.builtIn).map((name) => `${name}: off`);
const OFF = `watchdogs: { ${NAMES.join(", ")} }\n`;
/** An entry that calls all that a program does a read. */
const harmless = (program: string) => ({
  ...{ program, source: ["its manual page"], otherwise: "local.read", does: "local.read", operands: "text" },
  examples: [`${program} a`, `${program} b`, `${program} push delete`].map((line) => [line, "local.read"]),
});
const LISTED = `mode: allowlist\nallow-list: ["bash", "shell.run(git push origin main)"]\n`;

/** The administrator's files are touched only where a user could not: to see that what is wrong with them blocks. */
export const WAYS: Readonly<Record<string, Way>> = {
  "1 the user's mode is yolo": files({ [USER]: { mode: "yolo" } }),
  "1b the same, where the administrator sets a mode": files({ ...MANAGED_MODE, [USER]: { mode: "yolo" } }),
  "2 the user's mode is observe": files({ [USER]: { mode: "observe" } }),
  "3 the user's policy is more specific": files({ [USERS_POLICY]: LOOSE }),
  "3b the same, where the administrator sets a mode": files({ ...MANAGED_MODE, [USERS_POLICY]: LOOSE }),
  "3c the user's policy sets the mode yolo": files({ [USERS_POLICY]: `${LOOSE}mode: yolo\n` }),
  "3d the user's policy sets the mode observe": files({ [USERS_POLICY]: `${LOOSE}mode: observe\n` }),
  "3e the user's policy has an allow-list": files({ [USERS_POLICY]: `${LOOSE}${LISTED}` }),
  "3f the user's rules are final": files({ [USERS_POLICY]: FINAL }),
  "4 --policy names a file of the repository": files(
    { "repository/p.yaml": `${LOOSE}mode: yolo\n${OFF}` },
    { policyFile: "p.yaml" },
  ),
  "4b --policy names a file without rules": files(
    { "repository/p.yaml": `version: 1\nmode: yolo\n${OFF}rules: []\n` },
    { policyFile: "p.yaml" },
  ),
  "4c --policy names a file with final rules": files(
    { "repository/p.yaml": FINAL },
    { policyFile: "p.yaml" },
  ),
  "5 TOOLKEEP_CONFIG": variable("TOOLKEEP_CONFIG", "c.jsonc", { "repository/c.jsonc": { mode: "yolo" } }),
  "6 TOOLKEEP_HOME": variable("TOOLKEEP_HOME", "th", {
    "repository/th/config/config.jsonc": { mode: "yolo" },
    "repository/th/config/policy.yaml": LOOSE,
  }),
  "7 XDG_CONFIG_HOME": variable("XDG_CONFIG_HOME", "xdg", {
    "repository/xdg/toolkeep/config.jsonc": { mode: "yolo" },
    "repository/xdg/toolkeep/policy.yaml": LOOSE,
  }),
  "8 a configuration of the repository that is not trusted": files({
    ...PLANTED,
    "repository/.toolkeep/config.jsonc": { policy: "p.yaml", mode: "yolo" },
  }),
  "9 trust in a state folder of the repository": async (at) => {
    const options = await variable("TOOLKEEP_HOME", "th", PLANTED)(at);
    await at.trust();
    return options;
  },
  "9b real trust": async (at) => {
    await files(PLANTED)(at);
    await at.trust();
    return {};
  },
  "10 .toolkeep is a link": (at) => {
    symlinkSync(join(at.base, "elsewhere"), join(at.repository, ".toolkeep"));
    return files({ "elsewhere/config.jsonc": { mode: "yolo" } })(at);
  },
  "11 the user's policy extends a file of the repository": files({
    "repository/x.yaml": LOOSE,
    [USERS_POLICY]: 'version: 1\nextends: ["../../../repository/x.yaml"]\n',
  }),
  "12 the user turns watchdogs off": files({ [USERS_POLICY]: `${LOOSE}${OFF}` }),
  "13 --project is everything": files({ [USER]: { mode: "yolo" } }, { folder: "/" }),
  "14 the user's roots and files are everything": files({
    [USER]: { roots: ["/"], files: ["/etc/hosts"], mode: "yolo" },
  }),
  "15 the user allows all tools": files({ [USER]: { allowed: ["*"], denied: [], mode: "yolo" } }),
  "15b the user enables all tools": files({
    [USER]: { tools: { bash: { enabled: true, timeoutMs: 5 } }, mode: "yolo" },
  }),
  "15c the user's network and sandbox are open": files({
    [USER]: {
      network: { privateHosts: ["localhost:*"], proxy: "environment" },
      ...{ sandbox: { required: false }, mode: "yolo" },
    },
  }),
  "15d the user's journal is elsewhere": files({ [USER]: { journal: { folder: "~/x" }, mode: "yolo" } }),
  "17 the administrator's file is called .json": (at) => {
    rmSync(at.machine.managed);
    return files({ "etc/config.json": { policy: "policy.yaml" }, [USER]: { mode: "yolo" } })(at);
  },
  "18 HOME": variable("HOME", "fh", { "repository/fh/.config/toolkeep/config.jsonc": { mode: "yolo" } }),
  "19 the user's configuration is broken": files({ [USER]: '{"mode":' }),
  "19b there are two": files({ [USER]: {}, "home/.config/toolkeep/config.json": {} }),
  "20 the administrator's policy is gone": (at) => {
    rmSync(join(at.base, "etc/policy.yaml"));
    return {};
  },
  "20b the administrator's policy is broken": files({ "etc/policy.yaml": "rules: [" }),
  "20c everybody may write to the administrator's configuration": (at) => {
    chmodSync(at.machine.managed, 0o666);
    return {};
  },
  "21 the user sets what only the administrator may": files({ [USER]: { modes: ["yolo"], mode: "yolo" } }),
  "22 a trusted policy of the repository has final rules": async (at) => {
    await files({ ...PLANTED, "repository/.toolkeep/p.yaml": FINAL })(at);
    await at.trust();
    return {};
  },
  "23 a file is in the place of the user's folder": (at) => {
    mkdirSync(join(at.home, ".config"), { recursive: true });
    writeFileSync(join(at.home, ".config/toolkeep"), "");
    return {};
  },
  "26 the user's entries call programs harmless": files({
    [USERS_POLICY]: LOOSE,
    ...Object.fromEntries(
      ["git", "kubectl"].map((name) => [`home/.config/toolkeep/catalog/${name}.json`, harmless(name)]),
    ),
  }),
};

/** Ways after which nothing can be decided, so that every call is blocked. */
export const BLOCKING: readonly RegExp[] = [/^(?:3f|4c|19b?|20[abc]?|21|22) /];

/** Ways that change nothing at all, also about what is not mandated. */
export const INERT: readonly RegExp[] = [/^(?:1b|8|10|23) /];
