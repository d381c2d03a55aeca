import { mkdirSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { fsRead, fsWrite } from "@toolkeep/core/internal";
import { expect, test } from "vitest";
import { hostileFolders } from "../../../../tests/races/hostile-folders.ts";
import { all, withFiles } from "../../../../tests/races/session-files.ts";
import { sharedFolder } from "../../../../tests/temporary-folder.ts";

const { workspace: one, outside } = hostileFolders(sharedFolder());
const two = join(outside, "two");
mkdirSync(two);
writeFileSync(join(two, "in-two.txt"), "second root\n");

const victim = join(outside, "victim.txt");
const secret = join(outside, "secret.txt");
const variables = { workspace: [one, two], "ad-hoc": [victim] };

test("[C63][C67] every root of the workspace is open to the tool's I/O, and so is one file that was added", async () => {
  const { value } = await withFiles({ variables }, async (files) => {
    await files.write(join(two, "new.txt"), "made");
    await files.write(victim, "touched");
    return Promise.all([join(one, "a.txt"), join(two, "in-two.txt"), victim].map((path) => files.read(path)));
  });
  expect(value?.map(({ bytes }) => Buffer.from(bytes).toString())).toEqual([
    "hello\n",
    "second root\n",
    "touched",
  ]);
});

test("[C67] a file next to the one that was added stays closed, and each refusal is recorded", async () => {
  const { failure, refused } = await withFiles({ variables }, (files) => files.read(secret));
  expect(failure?.code).toBe("out_of_scope");
  expect(refused).toEqual([secret]);
});

test("[C64] a workspace without folders opens nothing", async () => {
  const effects = [fsRead(join(one, "a.txt"))];
  const { failure } = await withFiles({ variables: { workspace: [] }, effects }, (files) =>
    files.read(join(one, "a.txt")),
  );
  expect(failure?.code).toBe("out_of_scope");
});

test("[C67] a link from one root into the other is followed, because both are open", async () => {
  symlinkSync(two, join(one, "to-two"));
  const { value } = await withFiles({ variables }, (files) => files.read(join(one, "to-two/in-two.txt")));
  expect(value?.size).toBe(12);
});

test("[C67] what the call did not resolve stays closed, although it is in the workspace", async () => {
  const effects = [fsRead(join(one, "a.txt")), fsWrite(join(one, "src/**"))];
  const outcomes = await withFiles({ variables, effects }, async (files) => {
    await files.read(join(one, "a.txt"));
    await files.write(join(one, "src/made.ts"), "x");
    const refused = [
      files.read(join(one, "src/made.ts")),
      files.write(join(one, "a.txt"), "x"),
      files.remove(join(one, "src/made.ts")),
      all(files.list({ root: one, pattern: "**" })),
      all(files.search({ root: one, pattern: "hello" })),
    ];
    return (await Promise.allSettled(refused)).map(({ status }) => status);
  });
  expect(outcomes.value).toEqual(Array(5).fill("rejected"));
  expect(outcomes.refused).toHaveLength(5);
});

test("[C67] a ceiling limits the tool's I/O too, whatever the tool requires", async () => {
  const ceiling = { fs: { read: [`${one}/src/**`] } };
  const effects = [fsRead(join(one, "src/**"))];
  const { value } = await withFiles({ variables, ceiling, effects }, async (files) => {
    const found = await all(files.list({ root: join(one, "src"), pattern: "*.ts" }));
    const above = await Promise.allSettled([
      files.read(join(one, "a.txt")),
      all(files.list({ root: one, pattern: "*" })),
    ]);
    return { found: found.map(({ path }) => path), above: above.map(({ status }) => status) };
  });
  expect(value?.found).toContain(join(one, "src/b.ts"));
  expect(value?.above).toEqual(["rejected", "rejected"]);
});
