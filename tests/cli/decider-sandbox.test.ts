import { existsSync, lstatSync } from "node:fs";
import { createServer, type Server } from "node:net";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { runProgram } from "./cli-bench.ts";
import { hasSandbox } from "./confined-bench.ts";
import { bashPayload, type DeciderBench, deciderBench } from "./decider-bench.ts";

/** Says which of the sockets it can connect to. Without `look` it then tries to replace the first one. */
const PROBE = `
const fs = require("node:fs");
const net = require("node:net");
const { dirname } = require("node:path");
const paths = JSON.parse(fs.readFileSync("sockets.json", "utf8"));
const connected = (path) => new Promise((done) => {
  const socket = net.connect(path);
  socket.on("connect", () => { console.log("CONNECTED"); socket.destroy(); done(); });
  socket.on("error", () => done());
});
const tried = (act) => { try { act(); } catch {} };
Promise.all(paths.map(connected)).then(() => {
  if (fs.existsSync(paths[0])) console.log("SEEN");
  if (process.argv[2] !== "look") {
    tried(() => fs.unlinkSync(paths[0]));
    tried(() => fs.mkdirSync(dirname(paths[0]), { recursive: true }));
    tried(() => fs.writeFileSync(paths[0] + ".planted", ""));
  }
  console.log("end");
});
`;

let bench: DeciderBench;
let server: Server | undefined;
beforeEach(() => {
  bench = deciderBench();
});
afterEach(() => {
  server?.close();
  bench.remove();
});

describe.skipIf(!hasSandbox)("a command in the sandbox", () => {
  test("reaches neither the socket of the decider nor its directory", async () => {
    const abstract = `\0toolkeep-test-${crypto.randomUUID()}`;
    server = createServer().listen(abstract);
    const installed = await bench.run(["init", "claude-code", "--yes", "--confine", "--no-trust"]);
    expect(installed).toMatchObject({ code: 0 });
    bench.write("package.json", JSON.stringify({ name: "p", scripts: { test: "node probe.cjs" } }));
    bench.write("probe.cjs", PROBE);
    const { stdout } = await bench.hook(bashPayload(bench, "npm test --silent"));
    const line = JSON.parse(stdout).hookSpecificOutput?.updatedInput?.command;
    expect(line).toContain(" exec --ticket ");
    const [pid] = await bench.untilDeciders(1);
    bench.write("sockets.json", JSON.stringify([bench.socket(), abstract]));
    // As a proof of the probe: outside of the sandbox it reaches both.
    expect(await probed([process.execPath, "probe.cjs", "look"])).toBe("CONNECTED\nCONNECTED\nSEEN\nend\n");
    expect(await probed(["/bin/bash", "-c", line])).toBe("end\n");
    expect(lstatSync(bench.socket()).isSocket()).toBe(true);
    expect(existsSync(`${bench.socket()}.planted`)).toBe(false);
    expect(bench.deciders()).toEqual([pid]);
  });
});

async function probed(argv: readonly string[]): Promise<string> {
  const { stdout } = await runProgram(argv, { cwd: bench.project, env: bench.hookEnvironment });
  return stdout;
}
