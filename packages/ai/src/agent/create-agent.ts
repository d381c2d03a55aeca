import { type Approver, createSession, memoryStore, type Session, type Tool } from "@toolkeep/core";
import { invalidOption, sessionRecord } from "@toolkeep/core/internal";
import { loadModels } from "../providers/load-model.ts";
import { AgentRuns } from "./agent-runs.ts";
import type { Delegation } from "./delegation/delegation.ts";
import { delegationFor, withAgentIndex } from "./delegation/delegation-for.ts";
import type { Inherited } from "./delegation/run-child.ts";
import { agentSpans } from "./loop/agent-spans.ts";
import type { Agent } from "./options/agent.ts";
import { type AgentOptions, readOptions } from "./options/agent-options.ts";

/**
 * Creates an agent: a model that works step by step, with every tool call governed by a session. With an `id` and a
 * `store` it continues where it was, in any process. Needs the package `ai`, and the package of the model's provider.
 * @throws ToolkeepError `invalid_option`, and the errors of `createSession`.
 *
 * @example
 * await using agent = await createAgent({
 *   model: "anthropic/claude-sonnet-4-5",
 *   workspace,
 *   tools: standardTools(),
 *   policy: ["allow fs.read {workspace}/**", "ask fs.write", "ask shell.run"],
 *   approver: terminalApprover(),
 *   instructions: "You fix bugs.",
 * });
 * for await (const event of agent.run("Fix the failing test.")) render(event);
 */
export async function createAgent<const Tools extends readonly Tool[] = readonly Tool[]>(
  options: AgentOptions<Tools>,
): Promise<Agent<Tools>> {
  return (await openAgent(options as unknown as AgentOptions)) as unknown as Agent<Tools>;
}

/** An agent, or one within another. */
async function openAgent(given: AgentOptions, inherited?: Inherited): Promise<Agent> {
  const options = withSharedStore(given);
  const read = readOptions(options);
  const models = await loadModels(read.model);
  const leaving = new AbortController();
  const left = AbortSignal.any([leaving.signal, ...(inherited === undefined ? [] : [inherited.leaving])]);
  const delegation = delegationFor(
    { options, models, leaving: left, open: openAgent },
    inherited !== undefined,
  );
  const { approver, ...others } = read.session;
  const sessionOptions = {
    ...others,
    ...(approver === undefined ? {} : { approver: leavingApprover(approver, left) }),
    ...(delegation === undefined ? {} : { tasks: delegation }),
  };
  const create = read.workspace === undefined ? createSession : read.workspace.createSession;
  const session = await create.call(read.workspace, sessionOptions);
  const runs = new AgentRuns({
    ...read,
    models,
    session,
    delegation,
    prompt: withAgentIndex(read.prompt, session, delegation),
    parentBudget: inherited?.budget,
    record: sessionRecord(session),
    leaving: left,
    spans: await agentSpans(session, models),
  });
  delegation?.attach({ session, budget: () => runs.budget, report: (text) => runs.report(text) });
  return agentOver(session, runs, { leaving, delegation, signal: read.signal });
}

/** A child that waits for a person is found again in the store of its parent. */
function withSharedStore(options: AgentOptions): AgentOptions {
  const isAlone = options.agents === undefined || options.workspace !== undefined;
  return isAlone || options.store !== undefined ? options : { ...options, store: memoryStore() };
}

interface AgentEnds {
  readonly leaving: AbortController;
  readonly delegation: Delegation | undefined;
  readonly signal: AbortSignal | undefined;
}

function agentOver(session: Session, runs: AgentRuns, { leaving, delegation, signal }: AgentEnds): Agent {
  const cancel = () => runs.cancel();
  signal?.addEventListener("abort", cancel, { once: true });
  if (signal?.aborted === true) cancel();
  const ended = async (end: () => Promise<void>) => {
    signal?.removeEventListener("abort", cancel);
    await runs.over();
    await delegation?.over();
    await end();
  };
  const close = async () => {
    runs.cancel();
    await ended(() => session.close());
  };
  return Object.freeze<Agent>({
    id: session.id,
    session,
    run: (prompt) => runs.start(textOf("run", prompt)),
    resume: () => runs.resume(),
    steer: (text) => runs.steer(textOf("steer", text)),
    cancel,
    leave: async () => {
      leaving.abort();
      await ended(() => session.leave());
    },
    close,
    [Symbol.asyncDispose]: close,
  });
}

/** Messages and parts of a conversation are for `compact` and the model; the user speaks in text. */
function textOf(method: string, given: unknown): string {
  if (typeof given === "string") return given;
  const what = Array.isArray(given) ? "an array" : given === null ? "null" : typeof given;
  throw invalidOption(
    `\`agent.${method}\` takes the text of the user, not ${what}. Give one string; for earlier messages, continue the session by its \`id\` and \`store\`.`,
  );
}

/**
 * The approver of an agent that can leave while a person is asked: the request stays open in the store, and the answer
 * may come from anywhere.
 */
function leavingApprover(given: Approver | Approver["approve"], leaving: AbortSignal): Approver {
  const approver = typeof given === "function" ? { approve: given } : given;
  const { answer, user } = approver;
  return {
    ...(user === undefined ? {} : { user }),
    approve: (request, signal) =>
      orLater(leaving, (left) => approver.approve(request, AbortSignal.any([signal, left]))),
    ...(answer === undefined
      ? {}
      : {
          answer: (request, signal) =>
            orLater(leaving, (left) => answer.call(approver, request, AbortSignal.any([signal, left]))),
        }),
  };
}

async function orLater<Answer>(
  leaving: AbortSignal,
  ask: (leaving: AbortSignal) => Promise<Answer>,
): Promise<Answer | "later"> {
  if (leaving.aborted) return "later";
  const { promise, resolve } = Promise.withResolvers<"later">();
  const leave = () => resolve("later");
  leaving.addEventListener("abort", leave, { once: true });
  const asked = ask(leaving);
  // After the agent left it is too late for an answer of this process, and for its failure.
  asked.catch(() => undefined);
  try {
    return await Promise.race([asked, promise]);
  } finally {
    leaving.removeEventListener("abort", leave);
  }
}
