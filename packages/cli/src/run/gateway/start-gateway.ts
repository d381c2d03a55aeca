import { createHash, randomBytes } from "node:crypto";
import { createRedactor, type Rule, type Session, ToolFailure } from "@toolkeep/core";
import {
  canonicalJson,
  capabilitiesOf,
  type Label,
  markSession,
  onSessionMarks,
  type RegisteredTool,
  rulesFor,
  type SessionMarks,
  sessionMarks,
} from "@toolkeep/core/internal";
import type { Person } from "@toolkeep/core/ports";
import { type Gateway, type GatewayOptions, openGateway } from "@toolkeep/mcp";
import type { SqliteStore } from "@toolkeep/sqlite";
import { GATEWAY_SESSIONS } from "../../approvals/pending-requests.ts";
import {
  type CalledGateway,
  leaveForOthers,
  marksFor,
} from "../../hooks/decide/gateway/conversation-marks.ts";
import { pausable } from "../../project/pause/paused-calls.ts";
import { approversOf, askedUser, verifiedPrincipal } from "../../project/program-principal.ts";
import type { Project } from "../../project/read-project.ts";
import { type OpenProject, openProject } from "../../project/store/open-project.ts";
import { CommandError } from "../../terminal/command-error.ts";
import { VERSION } from "../../terminal/version.ts";
import { decisionOnTool } from "../../tools/listing/decision-on-tool.ts";
import { type ListingProject, offOf } from "../../tools/listing/why-off.ts";
import type { ChosenServers } from "../../tools/servers/choose-servers.ts";
import { serverStart } from "../../tools/servers/server-start.ts";

export interface StartOptions {
  readonly chosen: ChosenServers;
  /** The one server that is served under its own tool names. */
  readonly wrapped?: string | undefined;
  readonly grants: readonly Rule[];
  readonly searchAbove?: "never" | undefined;
  /** The client that started this process, whose gateways share marks. Over HTTP there is none. */
  readonly client?: string | undefined;
  /** Whether its users are at this machine, where a login opens a browser. Default: `false`. */
  readonly isLocal?: boolean;
  readonly onNote: (note: string) => void;
}

export interface StartedGateway {
  readonly gateway: Gateway;
  /** Stops the gateway and its servers. */
  close(): Promise<void>;
}

/** Opens the gateway of a project with its workspace, store, policy and servers. */
export async function startGateway(project: Project, options: StartOptions): Promise<StartedGateway> {
  const { chosen, wrapped, searchAbove, client, isLocal = false, onNote } = options;
  const { workspace, store, close } = await openProject(project);
  const called = { project: project.root, wrapped, client };
  let shared: SharedMarks | undefined;
  try {
    const asked = { project: project.root, chosen, inCalls: isLocal };
    const { servers, refused, options: start } = await serverStart(asked);
    for (const reason of refused.values()) onNote(reason);
    const gateway: Gateway = await openGateway({
      ...start,
      servers,
      info: { name: "toolkeep", version: VERSION },
      onNote,
      naming: wrapped === undefined ? "prefixed" : "plain",
      ...(searchAbove === undefined ? {} : { searchAbove }),
      isListed: listedFor(project),
      open: sessionsOf(project, { workspace, store }, options),
      async beforeCall(session) {
        if (session === gateway.session) await assertSamePrincipal(project);
        const marks = await marksFor(called);
        if (session === gateway.session) shared?.take(marks);
        else markSession(session, marks);
      },
      takeAnswers: (give, { id }) => store.takeAnswers(id, give),
    });
    shared = sharedMarks(gateway.session, called);
    return {
      gateway,
      async close() {
        shared?.stop();
        await gateway.close();
        await close();
      },
    };
  } catch (error) {
    await close();
    throw error;
  }
}

/** Opens the session of the gateway, and those of people. */
function sessionsOf(
  project: Project,
  { workspace, store }: Pick<OpenProject, "workspace" | "store">,
  { wrapped, grants }: StartOptions,
): GatewayOptions["open"] {
  const policy = { ...project.policy, rules: [...(project.policy.rules ?? []), ...grants] };
  return ({ registry, approver, person }) =>
    workspace.createSession({
      id: gatewaySessionId(store, { project: project.root, wrapped, person: person ?? ofToken(project) }),
      registry,
      // The user who lists what waits for all people has to see on whose behalf each request is.
      approver: { ...pausable(approver, project), ...(person === undefined ? askedUser(project) : {}) },
      principal: person?.principal ?? project.principal,
      ...approversOf(project),
      policy,
      redactor: createRedactor(project.config.redaction),
      // No later gateway takes up an older request.
      limits: { approvalDeadlineMs: RESUMED_MS },
    });
}

/** A gateway whose user has a token: another user must not continue what waits for this one. */
function ofToken({ config, principal }: Project): GatewaySession["person"] {
  return config.identity.tokenFile === undefined ? undefined : { id: "", principal };
}

/**
 * A gateway outlives the token that it was started with.
 * @throws ToolFailure `denied` where the token is not valid any more, or is that of another principal.
 */
async function assertSamePrincipal({ config, principal }: Project): Promise<void> {
  if (config.identity.tokenFile === undefined) return;
  const now = await verifiedPrincipal(config).catch((error: unknown) => {
    throw error instanceof CommandError ? new ToolFailure("denied", error.message) : error;
  });
  if (canonicalJson(now) !== canonicalJson(principal))
    throw new ToolFailure("denied", "The token is now that of another principal. Start the gateway again.");
}

const RESUMED_MS = 24 * 60 * 60 * 1_000;

export interface GatewaySession {
  readonly project: string;
  /** Distinguishes the gateways of one project. */
  readonly wrapped?: string | undefined;
  /** Whose session it is, where people log in. */
  readonly person?: Pick<Person, "id" | "principal"> | undefined;
}

/** The id of a parked session of today that nothing uses: an approver may have answered it. Otherwise a new id. */
export function gatewaySessionId(
  store: Pick<SqliteStore, "sessions">,
  { project, wrapped = "", person }: GatewaySession,
): string {
  const whose = person === undefined ? "" : `\n${canonicalJson([person.id, person.principal])}`;
  const hash = createHash("sha256").update(`${project}\n${wrapped}${whose}`).digest("hex").slice(0, 16);
  const prefix = `${GATEWAY_SESSIONS}${hash}.`;
  const since = Date.now() - RESUMED_MS;
  const parked = store
    .sessions({ state: "parked" })
    .find(({ sessionId, isInUse, activeAt }) => sessionId.startsWith(prefix) && !isInUse && activeAt > since);
  return parked?.sessionId ?? `${prefix}${randomBytes(8).toString("hex")}`;
}

/** The marks that the session of a gateway has in common with others. */
interface SharedMarks {
  /** Takes on what others have left. */
  take(marks: SessionMarks): void;
  stop(): void;
}

/**
 * Leaves for the other gateways of the client what calls of this one have marked. What a hook or another gateway has left
 * is not left again: they get it from where it came from, for as long as it holds there.
 */
function sharedMarks(session: Session, called: CalledGateway): SharedMarks {
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

/** The tools that a person is shown: all but those always denied, which can be called and are denied with the reason. */
export function listedFor(project: ListingProject): (tool: RegisteredTool, person: Person) => boolean {
  const known = new WeakMap<Person, readonly Rule[]>();
  return ({ name, tool }, person) => {
    const rules = known.get(person) ?? rulesFor(person.principal, project.policy.rules);
    known.set(person, rules);
    const { remote } = tool;
    const names = remote === undefined ? [name] : [name, `mcp:${remote.serverId}:${remote.tool}`];
    const all = capabilitiesOf(tool.requires);
    // With other effects, the call of the server follows from them.
    const capabilities = all.length > 1 ? all.filter((one) => one !== "mcp.call") : all;
    const decision = decisionOnTool({ names, capabilities, isUngated: tool.gated === false }, rules);
    return offOf(names, decision, project).off === undefined;
  };
}
