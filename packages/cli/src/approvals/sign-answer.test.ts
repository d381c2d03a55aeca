import { execFileSync } from "node:child_process";
import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { createSession, type Session } from "@toolkeep/core";
import { effect } from "@toolkeep/core/internal";
import type { Approvers } from "@toolkeep/core/policy";
import { scriptedApprover, stubTool } from "@toolkeep/core/testing";
import { openSqliteStore, type SqliteStore } from "@toolkeep/sqlite";
import { afterEach, beforeEach, describe, expect, test, vi } from "vitest";
import { temporaryFolder } from "../../../../tests/temporary-folder.ts";
import type { Terminal } from "../terminal/terminal.ts";
import { showRequest } from "./show-request.ts";
import { signingKey, submitSigned } from "./sign-answer.ts";

const hasSshKeygen = (() => {
  try {
    execFileSync("ssh-keygen", ["-?"], { stdio: "ignore" });
  } catch (error) {
    return (error as { code?: string }).code !== "ENOENT";
  }
  return true;
})();

let folder: string;
let store: SqliteStore;
let session: Session;
let approvers: Approvers;
const paid: unknown[] = [];

beforeEach(async () => {
  folder = temporaryFolder();
  vi.stubEnv("TOOLKEEP_HOME", folder);
  paid.length = 0;
  approvers = {
    "ada@example.com": { keys: [newKey("ada")], groups: ["payments"] },
    "bob@example.com": { keys: [newKey("bob")], groups: ["payments"] },
    "eve@example.com": { keys: [newKey("eve")], groups: ["support"] },
  };
  store = openSqliteStore({ path: join(folder, "state", "sessions") });
  const pay = stubTool("pay", ({ to }) => paid.push(to), {
    requires: { capabilities: ["payments.send"] },
    effects: ({ to }) => [effect("payments.send", String(to))],
  }).tool;
  session = await createSession({
    ...{ id: "s1", store, tools: [pay], approvers, principal: { user: "erin" } },
    policy: ['ask payments.send "*" by 2 of group payments'],
    approver: scriptedApprover("later"),
  });
  await session.run([{ id: "c1", name: "pay", arguments: { to: "acme" } }], { id: "turn-1a2b3c4d" });
});
afterEach(async () => {
  await session.close();
  await store.close();
  vi.unstubAllEnvs();
});

function newKey(name: string): string {
  if (!hasSshKeygen) return "";
  mkdirSync(join(folder, name), { recursive: true });
  const args = ["-q", "-t", "ed25519", "-N", "", "-C", name, "-f", "id_ed25519"];
  execFileSync("ssh-keygen", args, { cwd: join(folder, name) });
  return readFileSync(join(folder, name, "id_ed25519.pub"), "utf8").trim();
}

function terminal(): Terminal & { readonly shown: unknown[]; readonly lines: string[] } {
  const shown: unknown[] = [];
  const lines: string[] = [];
  return {
    ...{ json: false, cwd: folder, isInteractive: true, isQuiet: false, shown, lines },
    show: (value, text) => {
      shown.push(value);
      lines.push(...text.map(String));
    },
    note: (text) => lines.push(text),
    confirm: async () => true,
  };
}

const sign = (who: string, more: Partial<Parameters<typeof submitSigned>[0]> = {}) => {
  const own = terminal();
  const key = join(folder, who, "id_ed25519");
  const submission = { id: "1a2b3c4d", verdict: "once" as const, terminal: own, yes: true, approvers, key };
  return submitSigned({ ...submission, ...more }).then(() => own);
};

describe.skipIf(!hasSshKeygen)("with the real ssh-keygen", () => {
  test("two people sign, and the call runs", async () => {
    const first = await sign("ada");
    expect(first.lines.join("\n")).toContain("Approved and signed as ada@example.com");
    await session.resume("turn-1a2b3c4d");
    const own = terminal();
    await showRequest("1a2b3c4d", { approvers, terminal: own });
    expect(own.lines.at(-1)).toBe("  signed by 1 of 2 of the group payments: ada@example.com");
    expect(paid).toEqual([]);
    await sign("bob");
    expect(await session.resume("turn-1a2b3c4d")).toMatchObject({ status: "done" });
    expect(paid).toEqual(["acme"]);
  });

  test("a request goes to another machine and its signature comes back", async () => {
    const own = terminal();
    await showRequest("1a2b3c4d", { approvers, terminal: own });
    const request = join(folder, "request.json");
    writeFileSync(request, JSON.stringify(own.shown[0]));
    for (const who of ["ada", "bob"]) {
      const there = await sign(who, { request });
      const signed = join(folder, `${who}.json`);
      writeFileSync(signed, JSON.stringify(there.shown[0]));
      await sign(who, { signed });
    }
    await session.resume("turn-1a2b3c4d");
    expect(paid).toEqual(["acme"]);
  });

  test("a request whose lines were changed on the way is signed for nothing", async () => {
    const own = terminal();
    await showRequest("1a2b3c4d", { approvers, terminal: own });
    const text = JSON.stringify(own.shown[0]).replaceAll("Allow pay?", "Allow a harmless thing?");
    const request = join(folder, "request.json");
    writeFileSync(request, text);
    for (const who of ["ada", "bob"]) {
      const there = await sign(who, { request });
      const signed = join(folder, `${who}.json`);
      writeFileSync(signed, JSON.stringify(there.shown[0]));
      await sign(who, { signed });
    }
    await session.resume("turn-1a2b3c4d");
    expect(paid).toEqual([]);
  });

  test("who is in no group that must approve is told before signing", async () => {
    await expect(sign("eve")).rejects.toThrow("eve@example.com is not in the group payments");
  });

  test("the key says who signs", async () => {
    const found = await signingKey(undefined, approvers, join(folder, "bob"));
    expect(found).toMatchObject({ approver: "bob@example.com", keyFile: join(folder, "bob", "id_ed25519") });
    await expect(signingKey(undefined, approvers, folder)).rejects.toThrow("No key in");
    await expect(signingKey(undefined, {}, folder)).rejects.toThrow("No approvers are configured");
    newKey("mallory");
    const key = join(folder, "mallory", "id_ed25519");
    await expect(signingKey(key, approvers)).rejects.toThrow("belongs to no approver");
  });
});
