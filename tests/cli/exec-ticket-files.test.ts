import { execFileSync } from "node:child_process";
import { createHmac } from "node:crypto";
import {
  appendFileSync,
  chmodSync,
  chownSync,
  existsSync,
  linkSync,
  mkdirSync,
  readFileSync,
  renameSync,
  rmdirSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";
import { beforeAll, beforeEach, describe, expect, test } from "vitest";
import type { CliBench, CliOutcome } from "./cli-bench.ts";
import {
  confinedBench,
  exec,
  hasRun,
  hasSandbox,
  type Replaced,
  replaced,
  ticketFiles,
  ticketFolder,
} from "./confined-bench.ts";

const COMMAND = "touch RAN";
const isRoot = process.geteuid?.() === 0;

let bench: CliBench;
beforeAll(async () => {
  if (!hasSandbox) return;
  bench = await confinedBench();
  return bench.remove;
});
beforeEach(() => {
  if (!hasSandbox) return;
  rmSync(ticketFolder(bench), { recursive: true, force: true });
  for (const name of ["RAN", "RAN2"]) rmSync(join(bench.project, name), { force: true });
});

const use = (token: string, command = COMMAND) => exec(bench, { token, args: [command] });

/** Writes another body, with the signature that the secret makes. */
function signAgain(file: string, token: string, edit: (body: string) => string): void {
  const body = edit(JSON.parse(readFileSync(file, "utf8")).body);
  const mac = createHmac("sha256", token).update(body).digest("hex");
  writeFileSync(file, JSON.stringify({ body, mac }));
}

type Attack = (file: string, issued: Replaced) => unknown;

const ATTACKS: readonly (readonly [string, Attack])[] = [
  ["in capital letters", (_, { token }) => use(token.toUpperCase())],
  ["with a line end", (_, { token }) => use(`${token}\n`)],
  ["with the letters of another script", (_, { token }) => use(token.replace(/[0-9]/, "０"))],
  ["twice as long", (_, { token }) => use(token + token)],
  [
    "whose file is a pipe",
    (file) => {
      rmSync(file);
      execFileSync("mkfifo", ["-m", "600", file]);
    },
  ],
  ["whose file others may write to", (file) => chmodSync(file, 0o666)],
  [
    "whose file is a link to another ticket",
    async (file) => {
      await replaced("touch RAN2", bench);
      const [second = ""] = ticketFiles(bench).filter((one) => one !== file);
      rmSync(file);
      symlinkSync(second, file);
    },
  ],
  [
    "whose file was written through another name of it",
    (file) => {
      const name = join(bench.project, "name");
      linkSync(file, name);
      writeFileSync(name, readFileSync(name, "utf8").replaceAll(COMMAND, "touch RAN2"));
      rmSync(name);
    },
  ],
  ["whose file has no end", (file) => appendFileSync(file, " ".repeat(5_000_000))],
  [
    "of another start of the machine",
    (file, { token }) => signAgain(file, token, (body) => body.replace(/"boot":"[^"]*"/, '"boot":"other"')),
  ],
  [
    "of another version",
    (file, { token }) => signAgain(file, token, (body) => body.replace('"version":1', '"version":2')),
  ],
  [
    "without a time",
    (file, { token }) => signAgain(file, token, (body) => body.replace(/"issuedAt":\d+/, '"issuedAt":null')),
  ],
  [
    "with an empty command line before its own",
    (_, { token }) => bench.run(["exec", "--ticket", token, "--", "", COMMAND]),
  ],
  [
    "before a wrong one in the same line",
    (_, { token }) =>
      bench.run(["exec", "--ticket", token, "--ticket", "0123456789abcdef".repeat(2), "--", COMMAND]),
  ],
  [
    "whose wrong use came before",
    async (_, { token }) => {
      expect(await use(token, "touch RAN2")).toMatchObject({ code: 126 });
    },
  ],
];

describe.skipIf(!hasSandbox)("a ticket runs nothing", () => {
  test.each(ATTACKS)("%s", async (_, attack) => {
    const issued = await replaced(COMMAND, bench);
    const [file = ""] = ticketFiles(bench);
    const { code, stdout, stderr } =
      ((await attack(file, issued)) as CliOutcome | undefined) ?? (await use(issued.token));
    expect([code, stdout], stderr).toEqual([126, ""]);
    expect(stderr).toMatch(/^toolkeep: Not run: .+\n$/);
    expect([hasRun(bench), hasRun(bench, "RAN2")]).toEqual([false, false]);
  });

  test.runIf(isRoot)("whose file is another user's", async () => {
    const { token } = await replaced(COMMAND, bench);
    const [file = ""] = ticketFiles(bench);
    chownSync(file, 65_534, 65_534);
    expect(await use(token)).toMatchObject({ code: 126 });
    expect(hasRun(bench)).toBe(false);
  });

  test("whose directory was moved", async () => {
    const folder = join(bench.project, "work");
    mkdirSync(folder);
    const { token } = await replaced(COMMAND, bench, { cwd: folder });
    const moved = join(bench.base, "moved");
    renameSync(folder, moved);
    expect(await exec(bench, { token, args: [COMMAND], cwd: moved })).toMatchObject({ code: 126 });
    expect(existsSync(join(moved, "RAN"))).toBe(false);
  });

  test("whose directory is gone when it is used", async () => {
    const folder = join(bench.project, "gone");
    mkdirSync(folder);
    const { token } = await replaced(COMMAND, bench, { cwd: folder });
    rmdirSync(folder);
    expect(await use(token)).toMatchObject({ code: 126 });
    expect(hasRun(bench)).toBe(false);
  });

  test("more than once in a race of right and wrong uses", async () => {
    const command = "echo x >> COUNT";
    const { token } = await replaced(command, bench);
    const commands = Array.from({ length: 8 }, (_, at) => (at % 2 === 0 ? command : `${command}; touch RAN`));
    const codes = await Promise.all(
      commands.map(async (one) => [one, (await use(token, one)).code] as const),
    );
    const ran = codes.filter(([, code]) => code === 0);
    expect(ran.length).toBeLessThanOrEqual(1);
    expect(ran.every(([one]) => one === command)).toBe(true);
    expect(codes.filter(([, code]) => code === 126)).toHaveLength(codes.length - ran.length);
    const count = join(bench.project, "COUNT");
    expect(existsSync(count) ? readFileSync(count, "utf8") : "").toBe("x\n".repeat(ran.length));
    expect(hasRun(bench)).toBe(false);
  });

  test("after the trust of the project changed", async () => {
    const { token } = await replaced(COMMAND, bench);
    expect(await bench.run(["trust", "--yes"])).toMatchObject({ code: 0 });
    expect(await use(token)).toMatchObject({ code: 126, stderr: expect.stringContaining("trust") });
    expect(hasRun(bench)).toBe(false);
  });
});
