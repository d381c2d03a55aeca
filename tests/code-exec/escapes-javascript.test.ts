import { spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { runInNewContext } from "node:vm";
import { expect, test } from "vitest";
import { runJavaScript } from "../../packages/node/src/code/run-javascript.ts";
import { ENDLESS, probeProgram, TAKING, WAYS } from "./javascript-probes.ts";

const SECRET = "the-secret-of-this-test-a1b7";

const run = (code: string, timeoutMs = 10_000) =>
  runJavaScript({ code, timeoutMs }, new AbortController().signal);

/** What probes reach for: a file, a server and a process of this test alone. */
async function stage() {
  const folder = mkdtempSync(join(tmpdir(), "toolkeep-probes-"));
  const file = join(folder, "secret.txt");
  const module = join(folder, "module.mjs");
  const written = join(folder, "written");
  writeFileSync(file, SECRET);
  writeFileSync(module, `export default ${JSON.stringify(SECRET)};`);
  let visits = 0;
  const server = createServer((_request, response) => {
    visits += 1;
    response.setHeader("connection", "close").end();
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  const victim = spawn("/bin/sh", ["-c", "trap 'echo told' USR1; echo ready; while :; do sleep 0.05; done"]);
  let said = "";
  victim.stdout.on("data", (chunk) => {
    said += chunk;
  });
  await expect.poll(() => said).toContain("ready");
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/`;
  return {
    folder,
    given: { secret: SECRET, file, module, written, url, victim: victim.pid },
    seen: () => ({ visits, isWritten: existsSync(written), isTold: said.includes("told") }),
    [Symbol.dispose]() {
      server.close();
      victim.kill("SIGKILL");
      rmSync(folder, { recursive: true, force: true });
    },
  };
}

test("[C56] a JavaScript program reaches nothing of the host, by thirty ways that all work in Node", async () => {
  using world = await stage();
  const program = probeProgram(world.given);
  process.env["PROBE_SECRET"] = SECRET;
  const { value, error } = await run(program).finally(() => delete process.env["PROBE_SECRET"]);
  expect(error).toBeUndefined();
  const results: Readonly<Record<string, string>> = JSON.parse(value ?? "{}");
  expect(Object.keys(results)).toEqual(Object.keys(WAYS));
  expect(Object.keys(WAYS).length).toBeGreaterThanOrEqual(30);
  expect(Object.entries(results).filter(([, result]) => result === "reached")).toEqual([]);
  expect(world.seen()).toEqual({ visits: 0, isWritten: false, isTold: false });

  const bare = join(world.folder, "bare.mjs");
  writeFileSync(bare, `console.log = () => {};\nprocess.stdout.write(JSON.stringify(await ${program}));`);
  const child = spawn(process.execPath, [bare], { env: { PROBE_SECRET: SECRET } });
  let output = "";
  child.stdout.on("data", (chunk) => {
    output += chunk;
  });
  await once(child, "close");
  const missed = Object.entries(JSON.parse(output)).filter(([, result]) => result !== "reached");
  expect(missed).toEqual([]);
  await expect.poll(world.seen).toEqual({ visits: 2, isWritten: true, isTold: true });
});

test("[C56] programs that never end are ended, and the host's own thread stays free", async () => {
  let ticks = 0;
  const ticking = setInterval(() => {
    ticks += 1;
  }, 20);
  const errors = await Promise.all(
    ENDLESS.map(async ([name, code]) => [name, (await run(code, 150)).error?.message] as const),
  );
  clearInterval(ticking);
  expect(errors).toEqual(ENDLESS.map(([name]) => [name, "It took longer than 150 ms and was ended."]));
  expect(ticks).toBeGreaterThan(5);
  const endedBare = ENDLESS.filter(([, code]) => endsInNode(code)).map(([name]) => name);
  expect(endedBare).toEqual([]);
});

/** Does with a program what is done with it, without bounds. */
function endsInNode(code: string): boolean {
  const asked = `
    const shown = (value) => { try { return JSON.stringify(value); } catch { return String(value); } };
    const console = { log: shown };
    try { shown(eval(${JSON.stringify(code)})); } catch (error) { error.message; }`;
  try {
    runInNewContext(asked, {}, { timeout: 30, microtaskMode: "afterEvaluate" });
    return true;
  } catch (error) {
    expect((error as NodeJS.ErrnoException).code).toBe("ERR_SCRIPT_EXECUTION_TIMEOUT");
    return false;
  }
}

test("[C56] programs that take much memory get none above the bound", async () => {
  const taken = await Promise.all(
    TAKING.map(async ([name, code]) => {
      const { value, error } = await run(code, 60_000);
      return [name, value ?? (/memory/.test(error?.message ?? "") ? "no memory" : error)] as const;
    }),
  );
  expect(taken).toEqual(TAKING.map(([name]) => [name, "no memory"]));
  expect(TAKING.map(([name, code]) => [name, runInNewContext(code)])).toEqual(
    TAKING.map(([name]) => [name, true]),
  );
});

test("[C56] what is too deep, too long or forged harms nothing but the program", async () => {
  const [recursive, nested, talking, forged] = await Promise.all([
    run("const deeper = () => deeper() + 1; deeper()"),
    run(`eval("(".repeat(1e6))`),
    run(`for (let line = 0; line < 5_000; line += 1) console.log("x".repeat(1_000)); "said"`),
    run(`Array.prototype.map = () => ({ join: () => ({ forged: true }) });
      JSON.stringify = String = () => ({ forged: true });
      Object.prototype.toJSON = () => "forged"; Object.prototype.error = Object.prototype.figures = ["forged"];
      console.log("one"); ({})`),
  ]);
  expect(recursive.error?.message).toContain("RangeError: Maximum call stack size exceeded");
  expect(nested.error?.message).toContain("RangeError: Maximum call stack size exceeded");
  expect(talking).toEqual({ output: expect.any(String), value: '"said"' });
  expect(talking.output.length).toBeLessThan(102_000);
  expect(forged).toEqual({ output: "\n", value: '"forged"' });
});
