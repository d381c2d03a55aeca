import { spawn } from "node:child_process";
import { createInterface } from "node:readline";
import { type Behaviour, plainAnswer, type RpcMessage, result, said } from "./behaviour.ts";

/** A server over stdio that does what a call tells it. Its last argument marks its processes. */
const marker = process.argv.at(-1) ?? "";
let form = 0;

// One start in so many ends at once; the number is the second to last argument.
const dies = Number(process.argv.at(-2));
if (dies > 0 && process.pid % dies === 0) process.exit(3);

process.stdout.on("error", () => process.exit(0));
const lines = createInterface({ input: process.stdin });
lines.on("line", (line) => take(JSON.parse(line) as RpcMessage));
lines.on("close", () => process.exit(0));

function send(message: object): void {
  process.stdout.write(`${JSON.stringify(message)}\n`);
}

function take(message: RpcMessage): void {
  const { id, method, params } = message;
  if (method === "tools/call" && id !== undefined) {
    act(id, params?.arguments?.do ?? "answer", params?._meta?.progressToken);
    return;
  }
  const answer = plainAnswer(message, form);
  if (answer !== undefined) send(answer);
}

function act(id: string | number, behaviour: Behaviour, token: string | number = "none"): void {
  const acts: Readonly<Record<Behaviour, () => void>> = {
    answer: () => send(said(id, "done")),
    "answer-late": () => void setTimeout(() => send(said(id, "done")), 100),
    fail: () => send({ jsonrpc: "2.0", id, error: { code: -32_000, message: "no" } }),
    hang: () => {},
    exit: () => process.exit(1),
    kill: () => process.kill(process.pid, "SIGKILL"),
    "leave-child": () => leaveChild(),
    half: () => process.stdout.write(JSON.stringify(said(id, "done")).slice(0, 30), () => process.exit(0)),
    garbage: () => void process.stdout.write(`\u0000\xff{"jsonrpc":\nnonsense\n[1,2\n`.repeat(50)),
    "flood-lines": () => flood(() => process.stdout.write(`${"x".repeat(65_536)}\n`)),
    "flood-notes": () =>
      flood(() =>
        process.stdout.write(
          `{"jsonrpc":"2.0","method":"notifications/message","params":{"level":"info","data":"x"}}\n`,
        ),
      ),
    "flood-errors": () => flood(() => process.stderr.write("e".repeat(65_536))),
    huge: () => send(said(id, "h".repeat(20_000_000))),
    "wrong-id": () => send(said(999_999, "for another request")),
    twice: () => {
      send(said(id, "done"));
      send(said(id, "done"));
    },
    "wrong-shape": () => send(result(id, { content: "no list", isError: "maybe" })),
    "progress-forever": () =>
      void setInterval(
        () =>
          send({
            jsonrpc: "2.0",
            method: "notifications/progress",
            params: { progressToken: token, progress: 1 },
          }),
        50,
      ),
    "change-tools": () => {
      form += 1;
      send({ jsonrpc: "2.0", method: "notifications/tools/list_changed" });
      send(said(id, "done"));
    },
    close: () => process.stdout.end(),
  };
  acts[behaviour]();
}

/** As much as is taken, for a while. */
function flood(write: () => boolean): void {
  const until = performance.now() + 3_000;
  const more = () => {
    for (let count = 0; count < 50; count += 1) write();
    if (performance.now() < until) setImmediate(more);
  };
  more();
}

/** One that outlives its parent unless it is killed: in its own session, holding the same streams. */
function leaveChild(): void {
  const script = "process.on('SIGTERM', () => {}); setInterval(() => {}, 1000)";
  spawn(process.execPath, ["-e", script, marker], { detached: true, stdio: "inherit" });
  setTimeout(() => process.exit(1), 50);
}
