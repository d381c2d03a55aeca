import type { Session } from "@toolkeep/core";
import {
  type Label,
  markSession,
  onSessionMarks,
  type SessionMarks,
  sessionMarks,
} from "@toolkeep/core/internal";
import { type CalledGateway, leaveForOthers } from "./conversation-marks.ts";

/** The marks that the session of a gateway has in common with others. */
export interface SharedMarks {
  /** Takes on what others have left. */
  take(marks: SessionMarks): void;
  stop(): void;
}

/**
 * Leaves for the other gateways of the client what calls of this one have marked. What a hook or another gateway has left
 * is not left again: they get it from where it came from, for as long as it holds there.
 */
export function sharedMarks(session: Session, called: CalledGateway): SharedMarks {
  const taken = new Set<Label>();
  const leave = () =>
    leaveForOthers(called, new Map([...sessionMarks(session)].filter(([label]) => !taken.has(label))));
  leave();
  return {
    take(marks) {
      const own = sessionMarks(session);
      for (const label of marks.keys()) if (!own.has(label)) taken.add(label);
      markSession(session, marks);
    },
    stop: onSessionMarks(session, leave),
  };
}
