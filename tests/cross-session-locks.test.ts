import { expect, test } from "vitest";
import { runProgram } from "./crash/run-program.ts";
import { sleep } from "./scenario.ts";
import { temporaryFolder } from "./temporary-folder.ts";

const FILE = `version: 1
rules: ["allow *"]
locks: [deploy.run]
`;

test.each([
  ["a tool", {}],
  ["a policy file", { file: FILE }],
])(
  "two processes on one store take turns where %s wants it, and one that is killed gives its locks back",
  async (_who, given) => {
    const folder = temporaryFolder();
    const [first, second] = ["one", "two"].map((sessionId) => () => {
      return runProgram("deploy-alone.ts", { folder, sessionId, ...given });
    }) as [() => ReturnType<typeof runProgram>, () => ReturnType<typeof runProgram>];
    const holder = first();
    await holder.saidLines(2);
    const waiter = second();
    await waiter.saidLines(1);
    await sleep(200);
    expect(waiter.lines).toEqual(["asks"]);
    holder.kill();
    await waiter.saidLines(2);
    expect(waiter.lines).toEqual(["asks", "in"]);
    waiter.tell("go on");
    expect(await waiter.ended).toEqual({ code: 0, errors: "" });
    expect(waiter.lines).toEqual(["asks", "in", "out"]);
  },
);
