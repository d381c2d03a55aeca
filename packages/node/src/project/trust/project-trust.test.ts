import { chmod, chown, mkdir, readFile, rm, stat, symlink, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { beforeEach, describe, expect, test } from "vitest";
import { temporaryFolder } from "../../../../../tests/temporary-folder.ts";
import {
  createProjectTrust,
  type ProjectTrustOptions,
  type TrustAnswer,
  type TrustRequest,
} from "./project-trust.ts";
import { trustStore } from "./trust-store.ts";

const isRoot = process.getuid?.() === 0;

let top: string;
let project: string;
let file: string;
let asked: TrustRequest[];

beforeEach(async () => {
  top = temporaryFolder();
  project = join(top, "project");
  file = join(top, "state", "toolkeep", "trust.json");
  asked = [];
  await mkdir(join(project, ".toolkeep", "tools"), { recursive: true });
});

/** One session: what it answers when it is asked, and what it was asked. */
function session(answer?: TrustAnswer | (() => TrustAnswer), options: ProjectTrustOptions = {}) {
  const decide = (request: TrustRequest) => {
    asked.push(request);
    return typeof answer === "function" ? answer() : (answer as TrustAnswer);
  };
  return createProjectTrust({
    store: trustStore(file),
    ...(answer === undefined ? {} : { decide }),
    ...options,
  });
}

const whys = () => asked.map(({ why, things }) => [why, ...things].join(" "));

describe("answers", () => {
  test("trust is remembered in later sessions", async () => {
    expect(await session("trust").of(project)).toMatchObject({ isTrusted: true, project });
    expect(await session().of(project)).toMatchObject({ isTrusted: true, project });
    expect(whys()).toEqual(["new"]);
  });

  test("once lasts as long as the session", async () => {
    const first = session("once");
    expect((await first.of(project)).isTrusted).toBe(true);
    expect((await first.of(project)).isTrusted).toBe(true);
    expect(whys()).toEqual(["new"]);
    expect((await session().of(project)).isTrusted).toBe(false);
  });

  test("decline lasts as long as the session, and is not stored", async () => {
    const first = session("decline");
    expect(await first.of(project)).toMatchObject({ isTrusted: false, reason: "it was declined" });
    expect(await first.of(project)).toMatchObject({
      isTrusted: false,
      reason: "it was declined in this session",
    });
    expect(whys()).toEqual(["new"]);
    expect((await session("trust").of(project)).isTrusted).toBe(true);
  });

  test("[C27] if there is no user to ask, nothing is trusted", async () => {
    expect(await session().of(project)).toMatchObject({
      isTrusted: false,
      reason: /there is no user to ask/,
    });
  });

  test("whatever is not clearly a yes is a no", async () => {
    const odd = ["yes", true, "", null] as unknown as TrustAnswer[];
    for (const answer of odd) expect((await session(() => answer).of(project)).isTrusted).toBe(false);
    const failing = session(() => {
      throw new Error("the terminal is gone");
    });
    expect((await failing.of(project)).isTrusted).toBe(false);
  });

  test("requests at the same time share one question", async () => {
    const trust = session("once");
    const verdicts = await Promise.all([trust.of(project), trust.of(project), trust.of(`${project}/.`)]);
    expect(verdicts.every(({ isTrusted }) => isTrusted)).toBe(true);
    expect(asked).toHaveLength(1);
  });

  test("what was trusted can be revoked", async () => {
    const trust = session("trust");
    await trust.of(project);
    await trust.revoke(project);
    expect((await session().of(project)).isTrusted).toBe(false);
    expect((await trustStore(file).list()).size).toBe(0);
  });
});

describe("what is trusted", () => {
  test("is the folder that links really lead to, neither one beneath it nor one above", async () => {
    await symlink(project, join(top, "link"));
    await mkdir(join(project, "sub"));
    const link = await session("trust").of(join(top, "link"));
    expect(link).toMatchObject({ isTrusted: true, project });
    expect((await session().of(join(project, "sub"))).isTrusted).toBe(false);
    expect((await session().of(top)).isTrusted).toBe(false);
    // The link is changed to lead elsewhere: what was trusted is not the link.
    await rm(join(top, "link"));
    await symlink(top, join(top, "link"));
    expect((await session().of(join(top, "link"))).isTrusted).toBe(false);
  });

  test("is asked again when things that run or apply were added, with their names", async () => {
    await session("trust").of(project);
    await writeFile(join(project, "README.md"), "this never runs");
    expect((await session().of(project)).isTrusted).toBe(true);
    await writeFile(join(project, ".mcp.json"), "{}");
    await writeFile(join(project, ".toolkeep", "tools", "new.ts"), "");
    await mkdir(join(project, ".toolkeep", "more"));
    await symlink("/etc/passwd", join(project, ".toolkeep", "more", "link.ts"));
    expect((await session().of(project)).isTrusted).toBe(false);
    const again = session("trust");
    expect((await again.of(project)).isTrusted).toBe(true);
    expect(whys().at(-1)).toBe("grown .mcp.json .toolkeep/more/link.ts .toolkeep/tools/new.ts");
    expect((await session().of(project)).isTrusted).toBe(true);
  });

  test("survives changes and removals, unless changes are asked about too", async () => {
    const tool = join(project, ".toolkeep", "tools", "a.ts");
    await writeFile(tool, "one");
    await session("trust").of(project);
    await writeFile(tool, "two");
    expect((await session().of(project)).isTrusted).toBe(true);
    expect((await session(undefined, { again: "changed" }).of(project)).isTrusted).toBe(false);
    await session("trust", { again: "changed" }).of(project);
    expect(whys().at(-1)).toBe("changed .toolkeep/tools/a.ts");
    await rm(tool);
    expect((await session(undefined, { again: "changed" }).of(project)).isTrusted).toBe(true);
  });

  test("is asked each time where there is more than can be remembered", async () => {
    const names = Array.from({ length: 1_001 }, (_, at) => join(project, ".toolkeep", `${at}.ts`));
    await Promise.all(names.map((name) => writeFile(name, "")));
    await session("trust").of(project);
    expect((await session().of(project)).isTrusted).toBe(false);
    await session("trust").of(project);
    expect(whys()).toEqual(["new", "unclear"]);
  });

  test("must exist, be a folder, and not be open to everybody", async () => {
    await writeFile(join(top, "file"), "");
    expect(await session("trust").of(join(top, "file"))).toMatchObject({ reason: "it is not a folder" });
    expect(await session("trust").of(join(top, "no"))).toMatchObject({
      reason: /cannot be found \(ENOENT\)/,
    });
    await chmod(project, 0o777);
    expect(await session("trust").of(project)).toMatchObject({ reason: /everybody may write to it/ });
    expect(asked).toEqual([]);
  });

  test.skipIf(!isRoot)(
    "must not belong to another user, unless that is named (needs root to make one)",
    async () => {
      await chown(project, 12_345, 12_345);
      expect(await session("trust").of(project)).toMatchObject({ reason: /another user \(12345\)/ });
      expect((await session("trust", { owners: [12_345] }).of(project)).isTrusted).toBe(true);
    },
  );
});

describe("the file", () => {
  test("is its owner's alone, and so is its folder", async () => {
    await session("trust").of(project);
    expect((await stat(file)).mode & 0o777).toBe(0o600);
    expect((await stat(join(file, ".."))).mode & 0o777).toBe(0o700);
    expect(Object.keys(JSON.parse(await readFile(file, "utf8")).projects)).toEqual([project]);
  });

  test.each([
    ["nonsense", "{{{"],
    ["nothing", ""],
    ["a list", "[]"],
    ["another version", '{"version":2,"projects":{}}'],
    ["entries that are none", '{"version":1,"projects":{"PROJECT":true}}'],
    ["things that are no hashes", '{"version":1,"projects":{"PROJECT":{"at":"x","things":{"a":1}}}}'],
  ])("with %s in it is treated as empty, and is written anew", async (_what, text) => {
    await session("trust").of(project);
    await writeFile(file, text.replace("PROJECT", project));
    expect((await session().of(project)).isTrusted).toBe(false);
    await session("trust").of(project);
    expect((await session().of(project)).isTrusted).toBe(true);
  });

  test("that others can write to is treated as empty", async () => {
    await session("trust").of(project);
    await chmod(file, 0o666);
    expect((await session().of(project)).isTrusted).toBe(false);
    await session("trust").of(project);
    expect((await stat(file)).mode & 0o777).toBe(0o600);
  });

  test("that cannot be written makes nothing trusted", async () => {
    await writeFile(join(top, "state"), "in the way");
    expect(await session("trust").of(project)).toMatchObject({
      isTrusted: false,
      reason: /cannot be looked up/,
    });
  });

  test("keeps what several write at once", async () => {
    const folders = ["a", "b", "c", "d"].map((name) => join(top, name));
    const store = trustStore(file);
    await Promise.all(folders.map((folder) => store.set(folder, { at: "now", things: {} })));
    expect([...(await store.list()).keys()].toSorted()).toEqual(folders);
  });
});

describe("the text of auto-executed files", () => {
  const rules = () => join(project, "rules.yaml");
  const keep = (trust = session()) => trust.keep(project, new Map([[rules(), "deny"]]));
  const more = () => Promise.resolve(new Map([[rules(), "hash"]]));

  test("is kept for a project that was trusted, and reported when it changed or is gone", async () => {
    await session("trust").of(project, more);
    await keep();
    const verdict = await session().of(project, more);
    expect(verdict).toMatchObject({ isTrusted: false, known: { things: ["rules.yaml"] } });
    const { known } = verdict as Extract<typeof verdict, { isTrusted: false }>;
    expect([...(known?.kept ?? [])]).toEqual([[rules(), "deny"]]);
    expect([known?.names(rules()), known?.covers(rules(), "hash"), known?.covers(rules(), "other")]).toEqual([
      ...[true, true, false],
    ]);
    expect((await session("trust").of(project, more)).isTrusted).toBe(true);
    expect((await session().of(project, more)).isTrusted).toBe(true);
  });

  test("is kept neither for a name that is protected, nor where nothing is trusted", async () => {
    await keep();
    expect(await trustStore(file).list()).toEqual(new Map());
    await session("trust").of(project);
    const inFolder = join(project, ".toolkeep", "config.json");
    await session().keep(project, new Map([[inFolder, "x"]]));
    expect((await trustStore(file).get(project))?.kept).toBeUndefined();
    await session(undefined, { again: "changed" }).keep(project, new Map([[inFolder, "x"]]));
    expect(Object.keys((await trustStore(file).get(project))?.kept ?? {})).toEqual([".toolkeep/config.json"]);
  });

  test("brings no trust back that was revoked meanwhile", async () => {
    await session("trust").of(project);
    const store = trustStore(file);
    const late = session(undefined, {
      store: {
        ...store,
        async get(path) {
          const record = await store.get(path);
          await session().revoke(path);
          return record;
        },
      },
    });
    await keep(late);
    expect(await store.list()).toEqual(new Map());
  });
});
