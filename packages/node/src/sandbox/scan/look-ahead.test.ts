import { mkdirSync, utimesSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as wait } from "node:timers/promises";
import { beforeEach, expect, test } from "vitest";
import { temporaryFolder } from "../../../../../tests/temporary-folder.ts";
import { lookAhead } from "./look-ahead.ts";
import { type Looked, look } from "./look-into-folder.ts";
import { scan } from "./scan.ts";

let root: string;
beforeEach(() => {
  root = temporaryFolder();
  for (let index = 0; index < 30; index += 1)
    mkdirSync(join(root, "src", `${index}`, "deep"), { recursive: true });
});

function counting() {
  const seen = new Set<string>();
  return {
    seen,
    look(looked: Looked) {
      seen.add(looked.path);
      return look(looked);
    },
  };
}

test("every folder is looked into, once", async () => {
  const { seen, look: counted } = counting();
  using _ = lookAhead([root], { look: counted });
  await expect.poll(() => seen.size).toBe(62);
});

test("it stops when it is disposed, and after as many folders as it may look into", async () => {
  const stopped = counting();
  lookAhead([root], { look: stopped.look })[Symbol.dispose]();
  const bounded = counting();
  using _ = lookAhead([root], { look: bounded.look, mostFolders: 5 });
  await wait(100);
  expect(stopped.seen.size).toBe(0);
  await expect.poll(() => bounded.seen.size).toBe(5);
});

test("it stops in the middle of a large tree", async () => {
  let looks = 0;
  const endless = ({ path, role }: Looked) => {
    looks += 1;
    return { next: [{ path: join(path, "again"), role }] };
  };
  const ahead = lookAhead([root], { look: endless, mostFolders: Number.POSITIVE_INFINITY });
  await expect.poll(() => looks).toBeGreaterThan(0);
  ahead[Symbol.dispose]();
  const before = looks;
  await wait(50);
  expect(looks).toBe(before);
});

test("what is put there afterwards is found, also in a folder that was looked into", async () => {
  const long = new Date(Date.now() - 60_000);
  utimesSync(join(root, "src", "7"), long, long);
  const { seen, look: counted } = counting();
  using _ = lookAhead([root], { look: counted });
  await expect.poll(() => seen.size).toBe(62);
  await wait(1_100);
  await scan([root]);
  writeFileSync(join(root, "src", "7", ".envrc"), "");
  mkdirSync(join(root, "src", "9", "deep", ".git", "hooks"), { recursive: true });
  const found = (await scan([root])).map(({ path }) => path.slice(root.length + 1));
  expect(found).toContain("src/7/.envrc");
  expect(found).toContain("src/9/deep/.git");
});
