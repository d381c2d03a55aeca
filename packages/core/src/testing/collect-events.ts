import type { SessionEvent } from "../contract/store/event.ts";
import type { Session } from "../session/session.ts";

/** Does something with a session, closes it, and gives every event that was to be seen meanwhile. */
export async function collectEvents<Outcome>(
  session: Session,
  act: () => Promise<Outcome>,
): Promise<{ readonly events: readonly SessionEvent[]; readonly outcome: Outcome }> {
  const events: SessionEvent[] = [];
  const watching = (async () => {
    for await (const event of session.events()) events.push(event);
  })();
  const outcome = await act();
  await session.close();
  await watching;
  return { events, outcome };
}
