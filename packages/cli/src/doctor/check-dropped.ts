import { droppedAnswers, TEST_CALL } from "../exec/dropped-answers.ts";
import type { InstallRecord } from "../install/install-record.ts";
import { type Finding, gap } from "./finding.ts";

/** Clients that ran a command outside of the sandbox, though the hook had confined it. */
export async function checkDropped(installed: readonly InstallRecord[]): Promise<readonly Finding[]> {
  const clients = new Set<string>(installed.map(({ client }) => client));
  return (await droppedAnswers())
    .filter(({ client }) => clients.has(client))
    .map(({ client, at }) =>
      gap({
        ...{ code: "answer_dropped", about: client, who: "you" },
        message: `It ran a command outside of the sandbox, though the hook had confined it (${new Date(at).toISOString()}). Its commands ask since then.`,
        fix: `Update the client, and let it run \`${TEST_CALL}\`: if that runs in the sandbox, commands are confined again.`,
      }),
    );
}
