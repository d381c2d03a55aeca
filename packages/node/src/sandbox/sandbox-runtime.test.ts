import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import { afterAll, beforeEach, describe, expect, test } from "vitest";
import { sharedFolder } from "../../../../tests/temporary-folder.ts";
import { probeSandbox } from "./probe/probe-sandbox.ts";
import { closeSandboxRuntime, filesystemFor, sandboxRuntime } from "./sandbox-runtime.ts";
import {
  runLine,
  type SandboxedWorkspace,
  sandboxedWorkspace,
} from "./testing/sandboxed-workspace.test.kit.ts";

const quarantine = sharedFolder();
const sandbox = sandboxRuntime({ protection: { quarantine } });
const { isolation, error } = await probeSandbox(sandbox);
const reason = isolation === "none" ? `: skipped, ${error ?? "it does not work here"}` : "";

let workspace: SandboxedWorkspace;

beforeEach(() => {
  workspace = sandboxedWorkspace();
});

afterAll(() => closeSandboxRuntime());

describe.skipIf(isolation === "none")(`in a sandbox of sandbox-runtime${reason}`, () => {
  test("a command reaches the hosts that are named and no others", async () => {
    const server = createServer((_request, response) => response.end("REACHED"));
    await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
    const { port } = server.address() as AddressInfo;
    const line = `curl -s -m 5 --noproxy '' http://localhost:${port}/`;
    const named = await runLine(sandbox, line, workspace.profile({ hosts: ["localhost"] }));
    const other = await runLine(sandbox, line, workspace.profile({ hosts: ["elsewhere.test"] }));
    const none = await runLine(sandbox, line, workspace.profile());
    server.close();
    expect(named.output).toBe("REACHED");
    expect(other.output).not.toContain("REACHED");
    expect(none.output).not.toContain("REACHED");
  });

  test("it works in its folder, sees no secrets, and gets the environment it was given", async () => {
    workspace.write({ ".env": "SECRET", ".vscode/x.json": "{}", "a.txt": "here" });
    const environment = { PATH: "/usr/bin:/bin", TOKEN: "given" };
    const line = "cat a.txt .env; echo $TOKEN; echo x > .vscode/x.json; mkdir .git; touch .git/config";
    const { output, complaint } = await runLine(sandbox, line, workspace.profile({ environment }));
    expect(output).toContain("here");
    expect(output).toContain("given");
    expect(output).not.toContain("SECRET");
    expect(output).toMatch(/\.vscode\/x\.json: Read-only file system/);
    expect(`${output}${complaint}`).toMatch(/\.git.*(?:Read-only|now )/);
  });
});

test("what may be changed and not removed is not written to: this sandbox has nothing in between", () => {
  workspace.write({ "kept.txt": "", "guarded.txt": "" });
  const kept = join(workspace.path, "kept.txt");
  const guarded = join(workspace.path, "guarded.txt");
  const profile = { ...workspace.profile({ guarded: [guarded] }), kept: [kept] };
  expect(filesystemFor(profile, [], []).denyWrite).toEqual([guarded, kept]);
});

test("all hosts at once are refused", async () => {
  await expect(sandbox.wrap(["true"], workspace.profile({ hosts: "any" }))).rejects.toThrow(/by their names/);
});
