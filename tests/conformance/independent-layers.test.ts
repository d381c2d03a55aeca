import { once } from "node:events";
import { existsSync, mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from "node:fs";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createSession, defineTool, type Effect, type Tool } from "@toolkeep/core";
import { fsRead, netFetch, shellRun } from "@toolkeep/core/internal";
import type { Grant } from "@toolkeep/core/ports";
import { noSandbox, openSandbox, openWorkspace } from "@toolkeep/node";
import { standardTools } from "@toolkeep/tools";
import { afterAll, describe, expect, test } from "vitest";
import { ALLOW, call } from "../scenario.ts";

const SECRET = "content of another file";
const base = realpathSync(mkdtempSync(join(tmpdir(), "layers-")));
const root = join(base, "ws");
mkdirSync(root);
writeFileSync(join(root, "a.txt"), "allowed");
writeFileSync(join(root, "b.txt"), SECRET);
writeFileSync(join(base, "outside.txt"), SECRET);
const requests: (string | undefined)[] = [];
const server = createServer((request, response) => {
  requests.push(request.headers.host);
  response.end("answer");
}).listen(0, "127.0.0.1");
await once(server, "listening");
const { port } = server.address() as AddressInfo;
afterAll(() => {
  server.close();
  rmSync(base, { recursive: true, force: true });
});

interface Tried {
  readonly name: string;
  readonly args: Record<string, unknown>;
  /** The effects that the first check sees, whatever the call does. */
  readonly seen: readonly Effect[];
}

const network = { resolve: async () => ["127.0.0.1"], privateHosts: ["one.test:*", "two.test:*"] };
const place = { roots: [root] as [string], sidecars: join(base, "kept"), network };
const unconfined = await openWorkspace({ ...place, sandbox: noSandbox() });
afterAll(() => unconfined.close());

/** Lets pass what the runtime would have refused, and may have a ceiling that the runtime does not know. */
type Mistaken = (grant: Grant) => Grant;
const blind: Mistaken = (grant) => grant;
const off: Mistaken = (grant) => ({ ...grant, check: () => {} });

/** A call of a standard tool whose real effects no rule, no watchdog and no capability check has seen. */
async function tried({ name, args, seen }: Tried, mistaken: Mistaken, workspace = unconfined) {
  const found = standardTools().find((tool) => tool.name === name) as Tool;
  const tool = defineTool({ ...found, effects: () => [...seen] } as never);
  const options = workspace.sessionOptions();
  const session = await createSession({
    ...options,
    grantIo: (grant) => options.grantIo(mistaken(grant)),
    tools: [tool],
    policy: { rules: ALLOW, builtIn: "off" },
  });
  const result = await session.call(call(name, args));
  await session.close();
  return result;
}

const read = (path: string): Tried => ({ name: "read", args: { path }, seen: [fsRead(join(root, "a.txt"))] });
const fetching = (host: string): Tried => ({
  name: "web_fetch",
  args: { url: `http://${host}:${port}/` },
  seen: [netFetch("one.test")],
});

describe.each([
  { state: "blind", checks: blind },
  { state: "off", checks: off },
])("where the checks of the runtime are $state", ({ checks }) => {
  test("[C71] a file tool reads what its effects name and no other file", async () => {
    expect(JSON.stringify(await tried(read("a.txt"), checks))).toContain("allowed");
    for (const path of ["b.txt", join(base, "outside.txt")]) {
      const result = await tried(read(path), checks);
      expect(result.failure?.code).toBe("out_of_scope");
      expect(JSON.stringify(result)).not.toContain(SECRET);
    }
  });

  test("[C71] a network tool reaches the host that its effects name and no other", async () => {
    expect((await tried(fetching("one.test"), checks)).ok).toBe(true);
    expect(requests.splice(0)).toEqual([`one.test:${port}`]);
    expect((await tried(fetching("two.test"), checks)).failure?.code).toBe("out_of_scope");
    expect(requests).toEqual([]);
  });
});

test("[C71] a ceiling holds for files and hosts that the effects name, though no check knows it", async () => {
  const below: Mistaken = (grant) => ({ ...off(grant), ceilings: [{ fs: { read: [`${root}/docs/**`] } }] });
  for (const one of [read("a.txt"), fetching("one.test")])
    expect((await tried(one, below)).failure?.code).toBe("out_of_scope");
  expect(requests).toEqual([]);
});

test("[C71] a command that no check has seen does not run", async () => {
  const command = `touch ${join(root, "made")}`;
  const result = await tried({ name: "bash", args: { command }, seen: [shellRun(["true"])] }, blind);
  expect(result.failure?.code).toBe("out_of_scope");
  expect(existsSync(join(root, "made"))).toBe(false);
});

const sandbox = await openSandbox().catch((error: Error) => error);
const reason = sandbox instanceof Error ? ` (skipped: ${sandbox.message})` : "";

test.skipIf(sandbox instanceof Error)(
  `[C71] with the checks of the runtime off, a command still sees nothing outside${reason}`,
  async () => {
    if (sandbox instanceof Error) return;
    const outside = join(base, "outside.txt");
    const command = `cat ${outside}; cat a.txt`;
    const seen = [shellRun(["cat", "a.txt"]), fsRead(join(root, "a.txt"))];
    const workspace = await openWorkspace({ ...place, sandbox });
    const result = await tried({ name: "bash", args: { command }, seen }, off, workspace);
    await workspace.close();
    expect(JSON.stringify(result)).toContain("allowed");
    expect(JSON.stringify(result)).not.toContain(SECRET);
  },
);
