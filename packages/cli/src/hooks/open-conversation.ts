import { homedir } from "node:os";
import { setTimeout as wait } from "node:timers/promises";
import { type ApprovalRequest, type Io, type Registry, type Session, ToolkeepError } from "@toolkeep/core";
import { createSessionWithPorts as createSession } from "@toolkeep/core/internal";
import type { Watchdog } from "@toolkeep/core/policy";
import type { EffectResolver, Grant } from "@toolkeep/core/ports";
import { canonicalPath, commandsOnDisk, parseCommand } from "@toolkeep/node/internal";
import type { Store } from "@toolkeep/sqlite";
import type { SqliteJournal } from "@toolkeep/sqlite/internal";
import type { Project } from "../project/read-project.ts";

/** Another hook of the same conversation is at work: so long it is waited for. */
const LEASE_MS = 5_000;
const LEASE_STEP_MS = 25;

export interface Conversation {
  readonly sessionId: string;
  readonly registry: Registry;
  readonly project: Project;
  /** Beside those of the policy. */
  readonly watchdogs?: readonly Watchdog[];
  /** Who asks its own person, as it stands in the journal. */
  readonly by: string;
  /** Told why a person would be asked. */
  asked(request: ApprovalRequest): void;
  /** Told what a call was granted that reads trees. */
  granted(grant: Grant): void;
}

/**
 * Opens the session of a conversation, or goes on with it: as a workspace would, without hands and walls, which
 * nothing here uses and which take time to start.
 *
 * The client puts what is asked to its person; what comes of that, we are not told. The session goes on as if it had
 * been done, so that what it would have taken in or touched counts.
 * @throws ToolkeepError `session_in_use` where another hook does not come to an end.
 */
export async function openConversation(store: Store, conversation: Conversation): Promise<Session> {
  const { sessionId, registry, project, watchdogs = [], by, asked, granted } = conversation;
  const roots = await Promise.all([project.root, ...project.config.roots].map((root) => canonicalPath(root)));
  const journal = await claimJournal(store, sessionId);
  const parts = {
    id: sessionId,
    registry,
    journal,
    pending: store.pending,
    projectApprovals: store.projectApprovals(project.root),
    policy: { ...project.policy, watchdogs: [...(project.policy.watchdogs ?? []), ...watchdogs] },
    resolver: EFFECT_RESOLVER,
    variables: { workspace: roots, "ad-hoc": project.config.files },
    isolation: "none",
    grantIo(grant: Grant) {
      granted(grant);
      return NO_IO;
    },
    approver: async (request: ApprovalRequest) => {
      asked(request);
      return { verdict: "once", by } as const;
    },
  } as const;
  try {
    return await createSession(parts);
  } catch (error) {
    journal.close();
    throw error;
  }
}

/** Nothing here is executed. */
const NO_IO = Object.freeze({}) as Io;

const EFFECT_RESOLVER: EffectResolver = {
  canonicalPath,
  parseCommand: (line) => parseCommand(line, { home: homedir() }),
  commandsOnDisk,
};

async function claimJournal(store: Store, sessionId: string): Promise<SqliteJournal> {
  const until = Date.now() + LEASE_MS;
  for (;;) {
    try {
      return store.journal(sessionId);
    } catch (error) {
      const isInUse = ToolkeepError.isInstance(error) && error.code === "session_in_use";
      if (!isInUse || Date.now() >= until) throw error;
      await wait(LEASE_STEP_MS);
    }
  }
}
