import { execFileSync } from "node:child_process";
import { mkdirSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { beforeEach, expect, test } from "vitest";
import { temporaryFolder } from "../../../../tests/temporary-folder.ts";
import { gitStates } from "./git-states.ts";

const MOST_GUESSES = 16;
let root: string;

beforeEach(() => {
  root = temporaryFolder();
  git(["init", "-q"]);
});

function git(args: readonly string[], input?: string): string {
  const env = { HOME: root, PATH: "/usr/bin:/bin" };
  return execFileSync("git", args, {
    cwd: root,
    encoding: "utf8",
    env,
    ...(input === undefined ? {} : { input }),
  });
}

function stateOf(name: string): string | undefined {
  return gitStates([join(root, name)], () => true).get(join(root, name));
}

/** What a command does that wants to know whether a hidden file has some content. */
function guess(content: string, name: string, at: readonly string[] = []): string | undefined {
  const hash = git([...at, "hash-object", "-w", "--stdin"], content).trim();
  git([...at, "update-index", "--add", "--cacheinfo", `100644,${hash},${name}`]);
  return stateOf(at.length === 0 ? name : `sub/${name}`);
}

/** Files that changed just now are looked at anew each time. */
const settled = () => new Promise((resolve) => setTimeout(resolve, 1_100));

test("guesses at a hidden file are counted, however many other files a command makes", async () => {
  writeFileSync(join(root, ".env"), "PIN=99");
  mkdirSync(join(root, "keys"));
  const names = Array.from({ length: 10_001 }, (_, index) => `keys/${index}.pem`);
  for (const name of names) writeFileSync(join(root, name), name);
  await settled();
  for (let pin = 0; pin <= MOST_GUESSES; pin += 1) guess(`PIN=${pin}`, ".env");
  expect(guess("PIN=99", ".env")).toBe("unknown");
  git(["add", "keys"]);
  await settled();
  const states = gitStates(
    names.map((name) => join(root, name)),
    () => true,
  );
  expect(new Set(states.values())).toEqual(new Set(["recorded"]));
  expect(stateOf(".env")).toBe("unknown");
});

test("a second repository with other hashes gives no more guesses", async () => {
  mkdirSync(join(root, "sub"));
  const other = ["-C", "sub"];
  git([...other, "init", "-q", "--object-format=sha256"]);
  writeFileSync(join(root, "sub/.env"), "PIN=99");
  await settled();
  for (let pin = 0; pin <= MOST_GUESSES; pin += 1) guess(`PIN=${pin}`, ".env", other);
  rmSync(join(root, "sub/.git"), { recursive: true });
  expect(stateOf("sub/.env")).toBe("unknown");
  git([...other, "init", "-q", "--object-format=sha1"]);
  expect(guess("PIN=99", ".env", other)).toBe("unknown");
});
