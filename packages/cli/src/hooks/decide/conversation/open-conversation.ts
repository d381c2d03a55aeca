import { homedir } from "node:os";
import {
  type ApprovalRequest,
  createRedactor,
  createSession,
  type Io,
  type Registry,
  type Session,
  type SessionStore,
} from "@toolkeep/core";
import { needsText } from "@toolkeep/core/internal";
import type { Watchdog } from "@toolkeep/core/policy";
import type { EffectResolver, IsolationLevel } from "@toolkeep/core/ports";
import {
  canonicalPath,
  commandsOnDisk,
  fileLabels,
  findBeneath,
  labelsFileIn,
  parseCommand,
  type SandboxedDecisions,
  temporaryFolders,
} from "@toolkeep/node/internal";
import { approversOf, askedUser } from "../../../project/program-principal.ts";
import type { Project } from "../../../project/read-project.ts";
import { untilFree } from "./until-free.ts";

export interface Conversation {
  readonly sessionId: string;
  readonly registry: Registry;
  readonly project: Project;
  /** How commands are decided about that will run in a sandbox. Default: without one. */
  readonly confined?: SandboxedDecisions;
  /** The isolation of what the call leads to. Default: that of `confined`, or none. */
  readonly isolation?: IsolationLevel;
  /** In addition to those of the policy. */
  readonly watchdogs?: readonly Watchdog[];
  /** The approver in the journal: the client that asks its own user. */
  readonly by: string;
  /** Receives the requests that the client is told to ask. Returns another approver for the journal, if there is one. */
  asked?(request: ApprovalRequest): string | undefined;
}

/**
 * Opens the session of a conversation, new or resumed: as a workspace does, but without I/O and sandbox, which
 * take time to start and are not used here.
 *
 * The client asks its user, and we do not learn the answer. The session continues as if the call ran, so that the
 * taint of everything that it would have read applies.
 * Without a store, nothing is kept of it.
 * @throws ToolkeepError `session_in_use` if another hook does not finish.
 */
export async function openConversation(
  store: SessionStore | undefined,
  conversation: Conversation,
): Promise<Session> {
  const { sessionId, registry, project, watchdogs = [], by } = conversation;
  const decisions = conversation.confined ?? (await unconfined(project));
  return untilFree(() =>
    createSession({
      id: sessionId,
      ...(store === undefined ? {} : { store }),
      registry,
      project: project.root,
      policy: { ...project.policy, watchdogs: [...(project.policy.watchdogs ?? []), ...watchdogs] },
      ...decisions,
      ...(store === undefined ? {} : { resolver: remembering(decisions.resolver, project) }),
      ...(conversation.isolation === undefined ? {} : { isolation: conversation.isolation }),
      isTrusted: project.isTrusted,
      redactor: createRedactor(project.config.redaction),
      principal: project.principal,
      ...approversOf(project),
      grantIo: () => NO_IO,
      approver: {
        ...askedUser(project),
        async approve(request) {
          if (request.needs !== undefined)
            return { verdict: "reject", message: signedOnly(request), by: "toolkeep" };
          return { verdict: "once", by: conversation.asked?.(request) ?? by, isElsewhere: true };
        },
      },
    }),
  );
}

/** The client's own prompt is answered by its user, and a hook cannot wait for signatures. */
function signedOnly({ needs = [], principal }: ApprovalRequest): string {
  return `Denied: this call must be approved by ${needsText(needs, principal.user)}. The client cannot ask them: make the call through \`toolkeep gateway\`, where it waits for their signatures.`;
}

/** How commands are decided about that run without a sandbox. */
export async function unconfined({
  root,
  config,
}: Pick<Project, "root" | "config">): Promise<SandboxedDecisions> {
  const roots = await Promise.all([root, ...config.roots].map((one) => canonicalPath(one)));
  const tmp = await temporaryFolders(roots);
  const variables = { workspace: roots, "ad-hoc": config.files, tmp };
  return { variables, resolver: resolverFor(root, config.catalog), isolation: "none" };
}

/** Another conversation that reads what this one writes has its labels as well. */
function remembering(resolver: EffectResolver, { root, storeFolder }: Project): EffectResolver {
  return { ...resolver, fileLabels: fileLabels({ file: labelsFileIn(storeFolder), project: root }) };
}

/** Nothing here is executed. */
const NO_IO = Object.freeze({}) as Io;

function resolverFor(folder: string, catalog: Project["config"]["catalog"]): EffectResolver {
  return {
    canonicalPath,
    findBeneath,
    parseCommand: (line) => parseCommand(line, { home: homedir(), folder, catalog }),
    commandsOnDisk,
  };
}
