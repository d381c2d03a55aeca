import { createSession, type Tool } from "@toolkeep/core";
import { sessionRecord } from "@toolkeep/core/internal";
import { loadModel } from "../providers/load-model.ts";
import { agentSpans } from "../telemetry/agent-spans.ts";
import type { Agent } from "./agent.ts";
import { type AgentOptions, readOptions } from "./agent-options.ts";
import { AgentRuns } from "./agent-runs.ts";
import { leavingApprover } from "./leaving-approver.ts";

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
): Promise<Agent> {
  const read = readOptions(options as unknown as AgentOptions);
  const model = await loadModel(read.model);
  const leaving = new AbortController();
  const { approver, ...others } = read.session;
  const sessionOptions = {
    ...others,
    ...(approver === undefined ? {} : { approver: leavingApprover(approver, leaving.signal) }),
  };
  const create = read.workspace === undefined ? createSession : read.workspace.createSession;
  const session = await create.call(read.workspace, sessionOptions);
  const runs = new AgentRuns({
    ...read,
    model,
    session,
    record: sessionRecord(session),
    leaving: leaving.signal,
    spans: await agentSpans(session, model),
  });
  const cancel = () => runs.cancel();
  read.signal?.addEventListener("abort", cancel, { once: true });
  if (read.signal?.aborted === true) cancel();
  const ended = async (end: () => Promise<void>) => {
    read.signal?.removeEventListener("abort", cancel);
    await runs.over();
    await end();
  };
  const close = async () => {
    runs.cancel();
    await ended(() => session.close());
  };
  return Object.freeze<Agent>({
    id: session.id,
    session,
    run: (prompt) => runs.start(prompt),
    resume: () => runs.resume(),
    steer: (text) => runs.steer(text),
    cancel,
    leave: async () => {
      leaving.abort();
      await ended(() => session.leave());
    },
    close,
    [Symbol.asyncDispose]: close,
  });
}
