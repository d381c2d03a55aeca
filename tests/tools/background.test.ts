import { readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { createRegistry, type Session, type Tool } from "@toolkeep/core";
import { modelText } from "@toolkeep/core/formats";
import { toolConformance } from "@toolkeep/core/testing";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { backgroundTools } from "../../packages/tools/src/shell/background-tools.ts";
import { until } from "../scenario.ts";
import { commandBench, request } from "./command-bench.ts";

let bench: Awaited<ReturnType<typeof commandBench>>;
let calls = 0;

beforeAll(async () => {
  bench = await commandBench();
});
afterAll(() => bench.close());

function call(session: Session, name: string, args: Readonly<Record<string, unknown>>) {
  calls += 1;
  return session.call(request(name, args, `c${calls}`));
}

async function start(session: Session, command: string): Promise<string> {
  const { data, failure } = await call(session, "bash_start", { command });
  if (data === undefined) throw new Error(failure?.message);
  return (data as { readonly id: string }).id;
}

test("a command continues after the call, and each read returns the new output", async () => {
  await using session = await bench.session(backgroundTools());
  const until = (file: string) => `until test -e ${file}; do sleep 0.05; done`;
  const id = await start(session, `echo first; ${until("go1")}; echo second >&2; ${until("go2")}; exit 4`);
  const looks = [];
  for (const file of ["go1", "go2", undefined]) {
    looks.push(await call(session, "bash_output", { id, wait: 60_000 }));
    if (file !== undefined) writeFileSync(join(bench.root, file), "");
  }
  for (const file of ["go1", "go2"]) rmSync(join(bench.root, file));
  expect(looks.map(({ data }) => data)).toEqual([
    { id, status: "running", output: "first\n" },
    { id, status: "running", output: "second\n" },
    { id, status: "ended", exitCode: 4, output: "" },
  ]);
  expect(looks.map(modelText)).toEqual([
    "first\n[still running]",
    "second\n[still running]",
    "(no new output)\n[ended with exit code 4]",
  ]);
});

test("a read waits only as long as requested, and not at all by default", async () => {
  await using session = await bench.session(backgroundTools());
  const id = await start(session, "sleep 60");
  const timed = async (args: object) => {
    const begun = performance.now();
    await call(session, "bash_output", { id, ...args });
    return performance.now() - begun;
  };
  const times: number[] = [];
  // A machine that stands still for a while holds up one of them, not all.
  while (times.length < 5) times.push(await timed({}));
  expect(Math.min(...times)).toBeLessThan(900);
  expect(await timed({ wait: 1_000 })).toBeGreaterThanOrEqual(990);
});

test("the input of a command is closed", async () => {
  await using session = await bench.session(backgroundTools());
  const id = await start(session, "cat; echo over");
  expect((await call(session, "bash_output", { id, wait: 60_000 })).data).toMatchObject({ output: "over\n" });
});

describe("every background command ends", () => {
  test("bash_stop kills a command and everything it started; its output can still be read", async () => {
    await using session = await bench.session(backgroundTools());
    const id = await start(session, "echo begun; (sleep 301.25 &); sleep 301.25");
    await until(() => processesWith("301.25").length >= 2);
    const stopped = await call(session, "bash_stop", { id });
    expect(stopped).toMatchObject({ ok: true, data: { id, status: "ended", exitCode: null } });
    expect(processesWith("301.25")).toEqual([]);
    expect((await call(session, "bash_output", { id })).data).toMatchObject({
      status: "ended",
      output: "begun\n",
    });
    expect((await call(session, "bash_stop", { id })).data).toMatchObject({ wasOver: true });
  });

  test("closing the session kills them", async () => {
    const session = await bench.session(backgroundTools());
    await start(session, "sleep 301.5");
    await until(() => processesWith("301.5").length > 0);
    await session.close();
    expect(processesWith("301.5")).toEqual([]);
  });

  test("unregistering the tools from a registry of the host application kills them", async () => {
    const registry = createRegistry();
    for (const tool of backgroundTools()) registry.register(tool);
    const session = await bench.session([], { registry });
    await start(session, "sleep 301.75");
    await until(() => processesWith("301.75").length > 0);
    await session.close();
    expect(processesWith("301.75")).not.toEqual([]);
    registry.clear();
    await registry.settled();
    expect(processesWith("301.75")).toEqual([]);
  });

  test("cancelling the current calls of a session does not stop them", async () => {
    await using session = await bench.session(backgroundTools());
    const id = await start(session, "sleep 302.25");
    session.cancel();
    expect((await call(session, "bash_output", { id })).data).toMatchObject({ status: "running" });
  });
});

test("an id of another session, or from before a restart, is not found", async () => {
  const tools = backgroundTools();
  await using one = await bench.session(tools);
  await using other = await bench.session(tools);
  const id = await start(one, "sleep 60");
  for (const name of ["bash_output", "bash_stop"]) {
    const { failure } = await call(other, name, { id });
    expect(failure).toMatchObject({
      code: "not_found",
      message: expect.stringContaining("There is no background command"),
    });
    expect(failure?.hint).toBe("No command was started since the session was opened.");
  }
  expect((await call(one, "bash_output", { id })).data).toMatchObject({ status: "running" });
});

test("at most eight run at once, and another can start when one has ended", async () => {
  await using session = await bench.session(backgroundTools());
  const ids = [];
  for (let count = 0; count < 8; count += 1) ids.push(await start(session, "sleep 60"));
  const { failure } = await call(session, "bash_start", { command: "sleep 60" });
  expect(failure).toMatchObject({ code: "unavailable", hint: expect.stringContaining(ids[0] ?? "none") });
  await call(session, "bash_stop", { id: ids[0] });
  expect((await call(session, "bash_start", { command: "sleep 60" })).ok).toBe(true);
});

test("the newest unread output is kept, and the loss is counted", async () => {
  await using session = await bench.session(backgroundTools());
  const id = await start(session, "seq 1 400000; touch all-said");
  await until(() => readdirSync(bench.root).includes("all-said"));
  await call(session, "bash_stop", { id });
  const whole = `${Array.from({ length: 400_000 }, (_, index) => index + 1).join("\n")}\n`;
  const pieces: { readonly output: string; readonly lost?: number; readonly hasMore?: boolean }[] = [];
  do pieces.push((await call(session, "bash_output", { id })).data as (typeof pieces)[0]);
  while (pieces.at(-1)?.hasMore);
  const read = pieces.map(({ output }) => output).join("");
  const lost = pieces.reduce((sum, piece) => sum + (piece.lost ?? 0), 0);
  expect(whole.endsWith(read)).toBe(true);
  expect(read.length).toBe(1_000_000);
  expect(lost).toBe(whole.length - read.length);
  expect(Math.max(...pieces.map(({ output }) => output.length))).toBeLessThanOrEqual(100_000);
});

test("starting a command in the background is decided like running it", async () => {
  const rules = [{ permission: "shell.run", pattern: "echo *", action: "allow" }] as const;
  await using session = await bench.session(backgroundTools(), { policy: rules });
  expect((await call(session, "bash_start", { command: "echo fine" })).ok).toBe(true);
  expect((await call(session, "bash_start", { command: "touch x" })).failure?.code).toBe("denied");
  expect((await call(session, "bash_start", { command: "cat /etc/shadow" })).failure?.code).toBe(
    "out_of_scope",
  );
});

test("they satisfy the tool contract", async () => {
  const { resolver, grantIo, variables } = bench.workspace.sessionOptions();
  const [starting, output, stop] = backgroundTools() as [Tool, Tool, Tool];
  const ports = { resolver, grantIo, variables };
  const examples = [{ command: "echo hello" }];
  expect(await toolConformance(starting, { ...ports, examples, refuses: [{ command: "" }] })).toEqual([]);
  const byId = { ...ports, examples: [{ id: "none" }], refuses: [{}, { id: "x", more: 1 }] };
  expect(await toolConformance(output, byId)).toEqual([]);
  expect(await toolConformance(stop, byId)).toEqual([]);
});

/** The processes on this machine whose command line contains a marker. */
function processesWith(word: string): readonly string[] {
  return readdirSync("/proc").filter((name) => {
    if (!/^\d+$/.test(name)) return false;
    try {
      return readFileSync(`/proc/${name}/cmdline`, "utf8").split("\0").includes(word);
    } catch {
      return false;
    }
  });
}
