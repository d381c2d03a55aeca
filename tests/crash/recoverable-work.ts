import { appendFileSync, readFileSync } from "node:fs";
import { createSession } from "@toolkeep/core";
import { stubTool } from "@toolkeep/core/testing";
import { openSqliteStore } from "../../packages/sqlite/src/store/open-sqlite-store.ts";

/**
 * One turn whose calls hang where their process is to be killed: before or after their effect, announced or not. The
 * second life resumes it and says what came of each.
 */
const { folder, marks, life } = JSON.parse(process.argv[2] ?? "{}") as {
  readonly folder: string;
  /** The file that tools leave their marks in. */
  readonly marks: string;
  readonly life: 1 | 2;
};

const store = openSqliteStore({ path: folder });
/** In the first life a call stays where it says that it is. */
const stay = async (name: string) => {
  if (life === 2) return;
  console.log(name);
  await new Promise(() => {});
};
const act = (name: string) => appendFileSync(marks, `${name}\n`);
const happened = (name: string) => readFileSync(marks, "utf8").split("\n").includes(name);

const tools = [
  announced("before-acting", async (acting) => {
    await stay("before-acting");
    await acting();
    act("before-acting");
  }),
  announced("after-acting", async (acting) => {
    await acting();
    await stay("after-acting");
    act("after-acting");
  }),
  recoverable("happened", "after"),
  recoverable("not-yet", "before"),
  recoverable("cannot-tell", "after"),
  stubTool("plain", () => stay("plain"), { idempotent: false }).tool,
];

const session = await createSession({ id: "s", store, tools });
if (life === 1) {
  const calls = tools.map(({ name }) => ({ id: name, name, arguments: {} }));
  await session.run(calls, { id: "turn" });
} else {
  const { results } = await session.resume("turn");
  for (const result of results)
    console.log(`${result?.callId} ${result?.ok ? result.data : result?.failure?.code}`);
  await session.close();
}
await store.close();
process.exit(0);

function announced(name: string, work: (acting: () => Promise<void>) => Promise<void>) {
  const execute = async (_args: unknown, ctx: { acting(): Promise<void> }) => {
    await work(() => ctx.acting());
    return "done now";
  };
  return stubTool(name, execute, { idempotent: false, announces: true }).tool;
}

function recoverable(name: string, hangs: "before" | "after") {
  const execute = async () => {
    if (hangs === "before") await stay(name);
    act(name);
    if (hangs === "after") await stay(name);
    return "done now";
  };
  const recover = () => {
    if (name === "cannot-tell") return undefined;
    return happened(name)
      ? ({ happened: true, value: "done before" } as const)
      : ({ happened: false } as const);
  };
  return stubTool(name, execute, { idempotent: false, recover }).tool;
}
