import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { createSession } from "@toolkeep/core";
import { stubTool } from "@toolkeep/core/testing";
import { expect, test } from "vitest";
import { temporaryFolder } from "../../../../tests/temporary-folder.ts";
import { readPolicyFile } from "./read-policy-file.ts";

test("a session takes what readPolicyFile returns, with the rules of files that it extends", async () => {
  const folder = temporaryFolder();
  const path = join(folder, "policy.yaml");
  mkdirSync(join(folder, "shared"));
  writeFileSync(join(folder, "shared", "base.yaml"), "version: 1\nrules: [deny pay]\n");
  writeFileSync(path, "version: 1\nextends: [shared/base.yaml]\nrules: [allow work]\n");
  const policy = await readPolicyFile(path);
  const tools = [stubTool("pay").tool, stubTool("work").tool];
  const session = await createSession({ tools, policy });
  const codes = [];
  for (const name of ["pay", "work"]) {
    const result = await session.call({ id: name, name, arguments: {} });
    codes.push(result.failure?.code ?? "ok");
  }
  expect(codes).toEqual(["denied", "ok"]);
  await session.close();
});

test("a missing, unreadable or invalid file is an error that names it", async () => {
  const folder = temporaryFolder();
  const path = join(folder, "policy.yaml");
  await expect(readPolicyFile(path)).rejects.toThrow("does not exist");
  await expect(readPolicyFile(folder)).rejects.toMatchObject({ code: "invalid_option" });
  writeFileSync(path, "version: 1\nrules: [alow x]\nextends: [nowhere.yaml]\n");
  await expect(readPolicyFile(path)).rejects.toThrow(
    /policy\.yaml:2:9: [\s\S]*3:11: There is no policy|3:11: [\s\S]*2:9: /,
  );
});
