import { execFileSync } from "node:child_process";
import {
  chmodSync,
  cpSync,
  existsSync,
  linkSync,
  lstatSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  truncateSync,
  writeFileSync,
} from "node:fs";
import { dirname, join } from "node:path";
import type { CorpusRecord, CorpusSetup } from "./record.ts";
import { serveSockets } from "./sockets.ts";

/** The word that must come out nowhere. */
export const CANARY = "CANARY-5b1f0c7e92";

const OUT_NAME = "outside";

/** The places of one record. Made anew for each, so that none sees what another left. */
export interface Fixture {
  readonly workspace: string;
  readonly outside: string;
  readonly home: string;
  readonly environment: Readonly<Record<string, string>>;
  /** A text of a record with the places in it. */
  place<T>(value: T): T;
  /** What is wrong with the world after the record, in words; empty when all is as it was. */
  damage(): readonly string[];
  remove(): void;
}

/** Where the fixtures of one run stand, and what they share. */
export interface MatchedBy {
  readonly folder: string;
  readonly internalPort: number;
}

/** Always at the same place, so that one workspace serves them all. */
export function workspaceIn(folder: string): string {
  return join(folder, "here/ws");
}

export function makeFixture(record: CorpusRecord, stage: MatchedBy): Fixture {
  const base = join(stage.folder, "here");
  rmSync(base, { recursive: true, force: true });
  cpSync(template(stage.folder), base, { recursive: true, verbatimSymlinks: true });
  const workspace = workspaceIn(stage.folder);
  const outside = join(base, OUT_NAME);
  const directories: Readonly<Record<string, string>> = {
    W: workspace,
    W_UPPER: workspace.toUpperCase(),
    OUT: outside,
    OUTNAME: OUT_NAME,
    INT_PORT: String(stage.internalPort),
    PROXY: `127.0.0.1:${stage.internalPort}`,
  };
  const place = <T>(value: T): T => placed(value, directories) as T;
  furnish(place(record.setup));
  for (const name of record.setup.programs ?? [])
    putFile(join(workspace, name), readFileSync(join(PROGRAMS, name), "utf8"));
  const reached = serveSockets(place(record.setup.sockets ?? []));
  const kept = place(record.setup.kept ?? []).map((path) => [path, readFileSync(path, "latin1")] as const);
  if (process.getuid?.() === 0) giveAway(workspace, base);
  const before = listing(outside);
  return {
    workspace,
    outside,
    home: join(base, "home"),
    environment: {
      PATH: "/usr/bin:/bin",
      HOME: join(base, "home"),
      SECRET_TOKEN: CANARY,
      ...place(record.setup.env ?? {}),
    },
    place,
    damage: () => [
      ...(listing(outside) === before ? [] : ["what is outside was changed"]),
      ...(existsSync(join(workspace, "PWNED")) ? ["PWNED is in the workspace"] : []),
      ...(reached() ? ["a service outside was reached"] : []),
      ...kept.filter(([path, text]) => !isStill(path, text)).map(([path]) => `${path} was changed`),
      ...(existsSync(`${workspace}-evil/x`) ? ["a sibling of the workspace was written"] : []),
    ],
    remove: () => rmSync(base, { recursive: true, force: true }),
  };
}

const PROGRAMS = join(import.meta.dirname, "../attacks/programs");

function isStill(path: string, text: string): boolean {
  return existsSync(path) && readFileSync(path, "latin1") === text;
}

/** Commands never run as root: the workspace of root's sessions belongs to another user. */
function giveAway(workspace: string, base: string): void {
  chmodSync(base, 0o711);
  execFileSync("chown", ["-hR", `${ORDINARY}:${ORDINARY}`, workspace]);
}

const ORDINARY = 12_345;

/** A repository with a few files, next to a private folder, below a home directory with a key in it. */
function template(folder: string): string {
  const made = join(folder, "template");
  if (existsSync(made)) return made;
  const files: Readonly<Record<string, string>> = {
    "ws/a.txt": "hello\nline two\n",
    "ws/src/b.ts": "export const hello = 1;\n",
    "ws/src/it.txt": "it's here\nfoo bar\n",
    "ws/package.json": '{"name":"x","scripts":{"test": "true"}}\n',
    [`${OUT_NAME}/secret.txt`]: `${CANARY}\n`,
    [`${OUT_NAME}/victim.txt`]: "untouched\n",
    "home/.ssh/id_rsa": `${CANARY}\n`,
    "home/.bashrc": "\n",
  };
  for (const [path, content] of Object.entries(files)) put(join(made, path), content);
  const git = (...args: string[]) =>
    execFileSync("git", ["-C", join(made, "ws"), "-c", "user.name=a", "-c", "user.email=a@b", ...args], {
      env: { PATH: "/usr/bin:/bin", HOME: join(made, "home") },
    });
  git("init", "-q", ".");
  git("add", ".");
  git("commit", "-qm", "begin");
  return made;
}

function furnish({
  files = {},
  dirs = [],
  symlinks = {},
  hardlinks = {},
  mkfifo = [],
  note,
}: CorpusSetup): void {
  for (const [path, content] of Object.entries(files)) putFile(path, content);
  for (const path of dirs) mkdirSync(path, { recursive: true });
  for (const [path, target] of Object.entries(symlinks)) symlinkSync(target, path);
  for (const [path, target] of Object.entries(hardlinks)) linkSync(target, path);
  for (const path of mkfifo) execFileSync("mkfifo", [path]);
  // What the record says in words and every other has: see the template.
  void note;
}

/** Contents that are too large to be written out are described. */
function putFile(path: string, content: string): void {
  const repeated = /^(.)\*(\d+) \+ '(.)'$/.exec(content);
  if (repeated !== null) {
    const [, letter = "", times = "0", end = ""] = repeated;
    put(path, letter.repeat(Number(times)) + end);
  } else if (content === "sparse 50 GB") {
    put(path, "");
    truncateSync(path, 50 * 1024 ** 3);
  } else if (content === "one 100 MB line") put(path, "x".repeat(100 * 1024 ** 2));
  else put(path, content.replaceAll("CANARY", CANARY));
}

function put(path: string, content: string): void {
  mkdirSync(dirname(path), { recursive: true });
  writeFileSync(path, content, { mode: path.endsWith(".sh") ? 0o755 : 0o644 });
}

function placed(value: unknown, directories: Readonly<Record<string, string>>): unknown {
  if (typeof value === "string")
    return value.replaceAll(/\{(\w+)\}/g, (whole, name: string) => directories[name] ?? whole);
  if (Array.isArray(value)) return value.map((one) => placed(one, directories));
  if (typeof value !== "object" || value === null) return value;
  return Object.fromEntries(
    Object.entries(value).map(([key, one]) => [placed(key, directories), placed(one, directories)]),
  );
}

/** Every name with its kind and content, as one text to be compared. */
function listing(folder: string): string {
  if (!existsSync(folder)) return "gone";
  return readdirSync(folder, { recursive: true, encoding: "utf8" })
    .toSorted()
    .map((name) => {
      const path = join(folder, name);
      const stats = lstatSync(path);
      return `${name} ${stats.mode} ${stats.isFile() ? readFileSync(path, "utf8") : ""}`;
    })
    .join("\n");
}
