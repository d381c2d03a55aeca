import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { temporaryFolder } from "../../../../tests/temporary-folder.ts";
import { installTarget } from "../clients/installed/install-record.ts";
import { nextStep } from "./install-step.ts";

let folder: string;
beforeEach(() => {
  folder = temporaryFolder();
  mkdirSync(join(folder, "project", ".git"), { recursive: true });
  vi.stubEnv("TOOLKEEP_HOME", join(folder, "toolkeep"));
  vi.stubEnv("HOME", folder);
});
afterEach(() => vi.unstubAllEnvs());

test("a client that the administrator does not list is not installed", async () => {
  const managed = join(folder, "config.jsonc");
  const own = ["/usr/bin/toolkeep"] as const;
  const wanted = {
    own,
    single: false,
    trustsScripts: false,
    confines: false,
    shares: false,
    record: undefined,
  };
  const step = (client: "claude-code" | "cursor") =>
    nextStep({ ...wanted, client }, installTarget(join(folder, "project")), { managed });
  await expect(step("cursor")).resolves.toBeDefined();
  writeFileSync(managed, JSON.stringify({ clients: ["claude-code"] }), { mode: 0o600 });
  await expect(step("claude-code")).resolves.toBeDefined();
  await expect(step("cursor")).rejects.toThrow("allows only these clients: claude-code");
});
