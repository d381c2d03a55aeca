import type { Session } from "@toolkeep/core";
import { envelope } from "@toolkeep/core/formats";
import { serveContender } from "../contender.ts";
import { argumentTexts, findText } from "../find-text-tool.ts";
import { assertOk, governedSession, governedTool } from "../governed-session.ts";

// The number of calls before the measurement; 0 opens a new session for each sample.
const age = Number(process.argv[2] ?? 0);
const SETTLING_CALLS = 1_000;
const tools = [governedTool(findText.name)];

await serveContender(async () => {
  let session = await governedSession(tools);
  const grownMegabytes = await ageSession(session, age);
  return {
    facts: { grownMegabytes },
    call: (text, id) => session.call({ id, name: findText.name, arguments: text }),
    accept: (result) => envelope.result(assertOk(result)),
    // The untimed calls absorb the garbage of opening a session, which would make the first calls look slower than
    // later ones. No collection is forced: calls cost several times as much right after one.
    async renew() {
      if (age > 0) return;
      await session.close();
      session = await governedSession(tools);
      await makeCalls(session, 0, SETTLING_CALLS);
    },
  };
});

/** Makes the calls and returns the growth of the heap over all but the first thousand. */
async function ageSession(session: Session, calls: number): Promise<number> {
  const settled = Math.min(SETTLING_CALLS, calls);
  await makeCalls(session, 0, settled);
  const before = heapMegabytes();
  await makeCalls(session, settled, calls);
  return heapMegabytes() - before;
}

async function makeCalls(session: Session, from: number, to: number): Promise<void> {
  for (let index = from; index < to; index += 1) {
    const text = argumentTexts[index % argumentTexts.length] ?? "";
    assertOk(await session.call({ id: `aged-${index}`, name: findText.name, arguments: text }));
  }
}

function heapMegabytes(): number {
  globalThis.gc?.();
  const { heapUsed, external } = process.memoryUsage();
  return (heapUsed + external) / 2 ** 20;
}
