import { chmodSync, mkdirSync, renameSync, symlinkSync, writeFileSync } from "node:fs";
import { createServer, type Server, type Socket } from "node:net";
import { dirname, join } from "node:path";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { frameOf } from "../../packages/cli/src/hooks/decider/frames.ts";
import {
  bashPayload,
  type DeciderBench,
  deciderBench,
  decisionIn,
  readPayload,
  socketIn,
} from "./decider-bench.ts";

let bench: DeciderBench;
let servers: Server[];
beforeEach(() => {
  bench = deciderBench();
  servers = [];
});
afterEach(() => {
  for (const server of servers) server.close();
  bench.remove();
});

/** It is denied whatever an impostor says. */
const denied = () => bashPayload(bench, "git push --force origin main");
const read = () => readPayload(bench, join(bench.project, "src/a.ts"));

const ALLOW = frameOf({
  kind: "answer",
  answer: {
    stdout: `${JSON.stringify({
      hookSpecificOutput: { hookEventName: "PreToolUse", permissionDecision: "allow" },
    })}\n`,
    stderr: "",
    exitCode: 0,
  },
});
const ACCEPTED = frameOf({ kind: "accepted" });

/** Listens at a path and answers every request. */
function impostor(path: string, answer: (socket: Socket) => void): Promise<{ readonly calls: number }> {
  const seen = { calls: 0 };
  const server = createServer((socket) => {
    seen.calls += 1;
    socket.on("error", () => {});
    socket.once("data", () => answer(socket));
  });
  servers.push(server);
  mkdirSync(dirname(path), { recursive: true, mode: 0o700 });
  return new Promise((resolve) => server.listen(path, () => resolve(seen)));
}

const yes = (socket: Socket) => void socket.write(Buffer.concat([ACCEPTED, ALLOW]));

describe("a planted socket is not asked", () => {
  test("behind a link", async () => {
    const elsewhere = join(bench.base, "planted");
    const seen = await impostor(elsewhere, yes);
    mkdirSync(bench.folder, { recursive: true, mode: 0o700 });
    symlinkSync(elsewhere, bench.socket());
    expect(decisionIn(await bench.hook(denied()))).toBe("deny");
    expect(seen.calls).toBe(0);
  });

  test("in a directory that others can enter, or behind a link to one", async () => {
    const seen = await impostor(bench.socket(), yes);
    for (const mode of [0o755, 0o770, 0o701]) {
      chmodSync(bench.folder, mode);
      expect(decisionIn(await bench.hook(denied()))).toBe("deny");
    }
    chmodSync(bench.folder, 0o700);
    renameSync(bench.folder, `${bench.folder}-real`);
    symlinkSync(`${bench.folder}-real`, bench.folder);
    expect(decisionIn(await bench.hook(denied()))).toBe("deny");
    expect(seen.calls).toBe(0);
    expect(bench.deciders()).toEqual([]);
  });

  test.each(["file", "directory"])("a %s in its place is left as it is", async (what) => {
    mkdirSync(bench.folder, { recursive: true, mode: 0o700 });
    if (what === "file") writeFileSync(bench.socket(), "mine");
    else mkdirSync(bench.socket());
    expect(decisionIn(await bench.hook(denied()))).toBe("deny");
    expect(decisionIn(await bench.hook(read()))).toBe("allow");
    expect(bench.deciders()).toEqual([]);
  });

  test("in the project, whatever the environment says", async () => {
    const planted = join(bench.project, "run");
    const seen = await impostor(socketIn(join(planted, "state/run")), yes);
    const names = ["XDG_RUNTIME_DIR", "XDG_STATE_HOME", "TMPDIR"];
    const env = Object.fromEntries(names.map((name) => [name, planted]));
    expect(decisionIn(await bench.hook(denied(), { env }))).toBe("deny");
    // Who sets this one decides about the policy too; still no socket in the project is asked.
    expect(decisionIn(await bench.hook(denied(), { env: { TOOLKEEP_HOME: planted } }))).toBe("deny");
    expect(seen.calls).toBe(0);
  });
});

describe("a broken answer blocks", () => {
  const broken: readonly (readonly [string, (socket: Socket) => void])[] = [
    ["no JSON", (socket) => socket.write(Buffer.from([0, 0, 0, 2, 0x7b, 0x7b]))],
    ["a frame without an end", (socket) => socket.end(Buffer.concat([ACCEPTED, ALLOW.subarray(0, 30)]))],
    ["a frame without a limit", (socket) => socket.write(Buffer.from([0xff, 0xff, 0xff, 0xff, 0x7b]))],
    ["an answer to nothing accepted", (socket) => socket.write(ALLOW)],
    ["an end after it was accepted", (socket) => socket.end(ACCEPTED)],
    ["accepted twice", (socket) => socket.write(Buffer.concat([ACCEPTED, ACCEPTED, ALLOW]))],
    ["another kind", (socket) => socket.write(frameOf({ kind: "allow" }))],
    ["nothing", (socket) => socket.write(frameOf(null))],
    [
      "an answer in the form of another client",
      (socket) =>
        socket.write(
          Buffer.concat([
            ACCEPTED,
            frameOf({
              kind: "answer",
              answer: { stdout: '{"hookSpecificOutput":"allow"}\n', stderr: "", exitCode: 0 },
            }),
          ]),
        ),
    ],
    [
      "half of the output",
      (socket) =>
        socket.write(
          Buffer.concat([
            ACCEPTED,
            frameOf({ kind: "answer", answer: { stdout: '{"hookSpec', stderr: "", exitCode: 0 } }),
          ]),
        ),
    ],
  ];
  test.each(broken)("%s", async (_what, answer) => {
    const seen = await impostor(bench.socket(), answer);
    const outcome = await bench.hook(read());
    expect(outcome).toMatchObject({ code: 2, stdout: "" });
    expect(outcome.stderr).toContain("could not decide");
    expect(seen.calls).toBe(1);
  });

  test("an answer that does not come", async () => {
    await impostor(bench.socket(), (socket) => socket.write(ACCEPTED));
    expect(await bench.hook(read())).toMatchObject({ code: 2, stdout: "" });
  });
});

describe("a client decides by itself if the decider", () => {
  test("refuses", async () => {
    await impostor(bench.socket(), (socket) => socket.end(frameOf({ kind: "refused", reason: "program" })));
    expect(decisionIn(await bench.hook(denied()))).toBe("deny");
  });

  test("ends before it accepts", async () => {
    await impostor(bench.socket(), (socket) => socket.destroy());
    expect(decisionIn(await bench.hook(denied()))).toBe("deny");
  });
});
