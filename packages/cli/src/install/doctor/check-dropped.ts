import type { InstallRecord } from "../../clients/installed/install-record.ts";
import { type DroppedAnswer, droppedAnswers, TEST_CALL } from "../../hooks/decide/confine/dropped-answers.ts";
import { type Finding, gap } from "./finding.ts";

/** Clients that ran a command outside of the sandbox, though the hook had confined it, where it still confines. */
export async function checkDropped(installed: readonly InstallRecord[]): Promise<readonly Finding[]> {
  const latest = new Map<string, DroppedAnswer>();
  for (const one of await droppedAnswers()) latest.set(one.client, one);
  return installed
    .filter(({ confines }) => confines === true)
    .flatMap(({ client }) => latest.get(client) ?? [])
    .map(({ client, at }) =>
      gap({
        ...{ code: "answer_dropped", about: client, who: "you" },
        message:
          at === 0
            ? "The record of answers that clients dropped cannot be read, so its commands ask."
            : `It ran a command outside of the sandbox, though the hook had confined it (${new Date(at).toISOString()}). Its commands ask since then.`,
        fix: `Update the client, and let it run \`${TEST_CALL}\`: if that runs in the sandbox, commands are confined again.`,
      }),
    );
}
