import { mkdirSync } from "node:fs";
import { createServer, type Server } from "node:net";
import { afterEach, beforeEach, expect, test } from "vitest";
import { FrameReader, frameOf } from "../../packages/cli/src/hooks/decider/frames.ts";
import { MOST_REQUEST_BYTES } from "../../packages/cli/src/hooks/decider/protocol.ts";
import { type DeciderBench, deciderBench } from "./decider-bench.ts";
import { type Payload, payloadsOf } from "./payloads.ts";

let bench: DeciderBench;
let server: Server | undefined;
beforeEach(() => {
  bench = deciderBench();
});
afterEach(() => {
  server?.close();
  bench.remove();
});

const AT_ONCE = 20;

/** Listens in the place of a decider, and refuses as one in another mount namespace does. */
async function refusingDecider(): Promise<void> {
  mkdirSync(bench.folder, { recursive: true, mode: 0o700 });
  server = createServer((socket) => {
    const reader = new FrameReader(MOST_REQUEST_BYTES);
    socket.on("error", () => {});
    socket.on("data", (piece) => {
      if (reader.push(piece).length > 0) socket.end(frameOf({ kind: "refused", reason: "files" }));
    });
  });
  const { promise, resolve } = Promise.withResolvers<void>();
  server.listen(bench.socket(), resolve);
  await promise;
}

test("twenty hooks of one conversation at once are all decided where no decider answers", async () => {
  await refusingDecider();
  const read = payloadsOf("claude-code", bench)["read"] as Payload;
  const hooks = Array.from({ length: AT_ONCE }, (_, index) =>
    bench.hook(
      { ...read, tool_use_id: `at-once-${index}` },
      { env: index % 2 === 0 ? { TOOLKEEP_DECIDER: "off" } : {} },
    ),
  );
  const answers = await Promise.all(hooks);
  expect(answers.map(({ code, stderr }) => [code, stderr])).toEqual(answers.map(() => [0, ""]));
  const { stdout } = await bench.run(["log", "--json"]);
  const logged: readonly { readonly decision: string }[] = JSON.parse(stdout);
  expect(logged.map(({ decision }) => decision)).toEqual(Array.from({ length: AT_ONCE }, () => "allowed"));
});
