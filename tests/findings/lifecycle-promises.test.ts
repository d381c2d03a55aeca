import { globSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";

const ROOT = join(import.meta.dirname, "../..");

/** Promises that are thrown away because what they stand for catches everything itself. */
const CATCHES_ITSELF: ReadonlySet<string> = new Set([
  "cli/src/hooks/decider/hook-watch.ts: this.#look()",
  "cli/src/hooks/decider/kept-stores.ts: closed(",
  "cli/src/hooks/answer/hard-deadline.ts: worker.terminate()",
  "core/src/registry/registry.ts: before.idle()",
  "mcp/src/connection/requests/open-client.ts: signOfLife(client)",
  "mcp/src/connection/link/stdio-link.ts: process.ended.then((end) => {",
  "mcp/src/serving/left-answers.ts: this.#lookAgain()",
  "mcp/src/serving/legacy-sessions.ts: response.body.pipeTo(writable).then(over, over)",
  "node/src/processes/attach-command.ts: process.init.then((init) => {",
  "node/src/processes/run-command.ts: process.kill(graceMs)",
  "node/src/processes/run-process.ts: init.then((known) => {",
  "node/src/processes/spawner-link.ts: this.#abandon(id, one)",
  "node/src/processes/spawner-process.ts: Promise.allSettled([...running.values()].map(endNow))",
  "node/src/processes/spawner-process.ts: init.then((known) => {",
  "node/src/processes/spawner-process.ts: kill(request.id, request.graceMs)",
  "node/src/processes/spawner-process.ts: start(request)",
  "node/src/processes/start-command.ts: kill()",
  "node/src/workspace/open-workspace.ts: removeOldOutputs(checked.sidecars, options.store)",
  "postgres/src/approvals/serve-approvals.ts: serve(req, res, parts)",
  "postgres/src/approvals/webhooks.ts: Promise.allSettled(sent).then(() => {",
  "postgres/src/store/group-writer.ts: this.#run(this.#queue.splice(",
  "postgres/src/store/owner.ts: this.#comeBack()",
  "postgres/src/store/postgres-journal.ts: this.#request()",
  "postgres/src/store/postgres-journal.ts: this.#settle()",
  "postgres/src/store/postgres-store.ts: this.#lookAround(",
]);
/** What gives no promise: `void` says that its value is not meant. */
const NO_PROMISE =
  /^(?:[\w#.?]+\.(?:add|clear|delete|end|kill|off|push|set|splice|write)\(|setTimeout\(|jiti\.evalModule\(|kept\.get\(|stop\(|ctx\.io;)/;

function thrownAway(path: string): readonly string[] {
  const text = readFileSync(join(ROOT, path), "utf8");
  const found = text.matchAll(/(?:^|[\s(>;])void (?<what>[\w#.]+[(.;].*)/g);
  return [...found].flatMap(({ groups, index }) => {
    const what = (groups?.["what"] ?? "").split(/;|\n/)[0]?.trim() ?? "";
    const line = text.slice(text.lastIndexOf("\n", index) + 1, index);
    const isComment = /^\s*(?:\*|\/\/|\/\*)/.test(line);
    return isComment || NO_PROMISE.test(`${what};`) ? [] : [what];
  });
}

test("[reading 1.9] no promise is thrown away with `void`, but those that catch everything themselves", () => {
  const files = globSync("packages/*/src/**/*.ts", { cwd: ROOT }).filter(
    (path) => !/\.test\.|\.kit\.|\/testing\//.test(path),
  );
  expect(files.length).toBeGreaterThan(500);
  const found = files.flatMap((path) =>
    thrownAway(path).map((what) => `${path.slice("packages/".length)}: ${what}`),
  );
  const isKnown = (one: string) => [...CATCHES_ITSELF].some((known) => one.startsWith(known));
  expect(found.filter((one) => !isKnown(one))).toEqual([]);
});
