import { expect, test } from "vitest";
import { createRegistry } from "../registry/registry.ts";
import { stubTool } from "../testing/stub-tool.ts";
import { createSession } from "./create-session.ts";

/** A tool that records when it is disposed. */
function leaving(name: string, put: string[], dispose: () => unknown = () => {}) {
  return stubTool(name, () => "done", {
    deactivate: () => void put.push(`${name} off`),
    dispose: () => {
      put.push(`${name} away`);
      return dispose() as Promise<void>;
    },
  }).tool;
}

test("closing a session disposes its own tools, once; one that fails or hangs delays no other", async () => {
  const put: string[] = [];
  const fail = () => {
    throw new Error("no");
  };
  const tools = [
    leaving("failing", put, fail),
    leaving("hanging", put, () => new Promise(() => {})),
    leaving("good", put),
  ];
  const session = await createSession({ tools, limits: { graceMs: 50 } });
  await session.close();
  await session.close();
  expect(put.toSorted()).toEqual([
    ...["failing away", "failing off", "good away", "good off", "hanging away", "hanging off"],
  ]);
});

test("the tools of a registry that was given are not disposed: others may use them", async () => {
  const put: string[] = [];
  const registry = createRegistry();
  registry.register(leaving("several", put));
  const session = await createSession({ registry });
  await session.close();
  expect(put).toEqual([]);
  registry.clear();
  await registry.settled();
  expect(put).toEqual(["several off", "several away"]);
});
