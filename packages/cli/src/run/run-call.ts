import { randomUUID } from "node:crypto";
import { text } from "node:stream/consumers";
import {
  type ApprovalRequest,
  type Approver,
  createRedactor,
  createRegistry,
  type Failure,
  type Session,
  type ToolResult,
} from "@toolkeep/core";
import { visible } from "@toolkeep/core/internal";
import { noSandbox, openWorkspace, terminalApprover } from "@toolkeep/node";
import { openSqliteStore, type SqliteStore } from "@toolkeep/sqlite";
import { standardTools } from "@toolkeep/tools";
import { question } from "../hooks/decide/verdict/hook-question.ts";
import { explanationLines, explanationRecord } from "../policy/explanation-lines.ts";
import { type TypedCall, typedCall } from "../policy/typed-call.ts";
import { isContaining } from "../project/contain/contained-projects.ts";
import { networkSettings } from "../project/network-settings.ts";
import { approversOf } from "../project/program-principal.ts";
import { type Project, readProject } from "../project/read-project.ts";
import { agentAbove } from "../terminal/beneath-agent.ts";
import { CommandError, EXIT, type ExitCode, usageError } from "../terminal/command-error.ts";
import type { Terminal } from "../terminal/terminal.ts";

export interface CallOptions {
  readonly tool: string;
  /** JSON, the text of the main argument, or `-` for standard input. */
  readonly input?: string | undefined;
  readonly dryRun?: boolean;
  readonly project?: string | undefined;
  readonly policy?: string | undefined;
}

/** Runs one call of a standard tool under the policy of a project, and records it. */
export async function runCall(options: CallOptions, terminal: Terminal): Promise<number> {
  const { input = "", dryRun = false } = options;
  assertStandard(options.tool);
  const call = typedCall([input === "-" ? await text(process.stdin) : input], options.tool, ["call"]);
  const project = await readProject({
    cwd: terminal.cwd,
    folder: options.project,
    policyFile: options.policy,
  });
  for (const note of project.notes) terminal.note(note);
  // Nothing of a dry run is recorded.
  const store = dryRun ? undefined : openSqliteStore({ path: project.storeFolder });
  try {
    return await inWorkspace(call, { project, store, terminal });
  } finally {
    await store?.close();
  }
}

function assertStandard(tool: string): void {
  const names = standardTools().map(({ name }) => name);
  if (names.includes(tool)) return;
  throw usageError(`There is no standard tool ${JSON.stringify(tool)}.`, `Use one of ${names.join(", ")}.`);
}

interface Calling {
  readonly project: Project;
  /** Missing for a dry run. */
  readonly store: SqliteStore | undefined;
  readonly terminal: Terminal;
}

async function inWorkspace(call: TypedCall, { project, store, terminal }: Calling): Promise<number> {
  const { root, config, policy, isTrusted, principal } = project;
  const notes = new Set<string>();
  await using workspace = await openWorkspace({
    roots: [root, ...config.roots],
    adHoc: config.files,
    catalog: config.catalog,
    network: networkSettings(config),
    ...(store === undefined ? {} : { store }),
    ...((await isContaining(project)) ? { contain: { keptFor: [] } } : {}),
    // Only commands run in the sandbox.
    ...(call.tool === "bash" ? { onNote: (note) => notes.add(note) } : { sandbox: noSandbox() }),
  });
  const asked: ApprovalRequest[] = [];
  const unasked = whyUnasked(terminal);
  const registry = createRegistry({ config: config.tools });
  for (const tool of standardTools()) registry.register(tool);
  await using session = await workspace.createSession({
    id: `call.${randomUUID()}`,
    registry,
    policy,
    isTrusted,
    redactor: createRedactor(config.redaction),
    principal,
    ...approversOf(project),
    approver: unasked === undefined ? terminalApprover() : refusing(asked, unasked),
  });
  if (store === undefined) return await explainCall(call, { session, project, terminal });
  const result = await session.call({ id: "call", name: call.tool, arguments: call.arguments });
  return showResult(result, { asked: asked[0], notes, project, terminal });
}

/** Why no user can answer here: without a terminal, or in the terminal of an agent, which would answer itself. */
function whyUnasked({ isInteractive }: Terminal): string | undefined {
  if (!isInteractive) return "This is not an interactive terminal.";
  const client = agentAbove();
  return client === undefined ? undefined : `This command is run by ${client}, which cannot approve it.`;
}

function refusing(asked: ApprovalRequest[], message: string): Approver {
  return {
    async approve(request) {
      asked.push(request);
      return { verdict: "reject", by: "command line", message };
    },
  };
}

const EXITS = { allow: EXIT.ok, ask: EXIT.needsApproval, deny: EXIT.denied } as const;

async function explainCall(
  call: TypedCall,
  { session, project, terminal }: Pick<Calling, "project" | "terminal"> & { readonly session: Session },
): Promise<ExitCode> {
  const explained = await session.explain({ id: "call", name: call.tool, arguments: call.arguments });
  const part = { ...call, explained, allowing: explained.explanation?.exactRules ?? [] };
  terminal.show(explanationRecord(part, project), explanationLines(part, project));
  if (explained.explanation !== undefined) return EXITS[explained.explanation.decision.action];
  return exitOf(explained.failure);
}

interface Showing extends Pick<Calling, "project" | "terminal"> {
  readonly asked: ApprovalRequest | undefined;
  /** What the sandbox left out: the reason why a command fails, but nothing that every call should repeat. */
  readonly notes: ReadonlySet<string>;
}

function showResult(result: ToolResult, { asked, notes, project, terminal }: Showing): ExitCode {
  const { failure } = result;
  if (failure === undefined) {
    terminal.show(result, [...resultLines(result), ...diffLines(result)]);
    return EXIT.ok;
  }
  if (asked !== undefined)
    throw new CommandError(`This call needs approval: ${question(asked, project)}`, {
      exit: EXIT.needsApproval,
      hint: terminal.isInteractive
        ? "Run it yourself, in a terminal that was not opened by the agent."
        : "Run it in a terminal to be asked.",
    });
  if (result.data !== undefined) {
    terminal.show(result, resultLines(result));
    for (const note of notes) terminal.note(note);
  }
  throw new CommandError(visible(failure.message), {
    exit: exitOf(failure),
    ...(failure.hint === undefined ? {} : { hint: visible(failure.hint) }),
  });
}

function exitOf({ code }: Failure): ExitCode {
  return code === "denied" ? EXIT.denied : EXIT.failure;
}

/** What a model would see. */
function resultLines({ content, data }: ToolResult): readonly string[] {
  const texts = content?.flatMap((part) => (part.type === "text" ? [part.text] : []));
  if (texts !== undefined && texts.length > 0) return texts;
  if (data === undefined) return [];
  return [typeof data === "string" ? data : JSON.stringify(data, undefined, 2)];
}

/** What a write made different, which a model is not told. */
function diffLines({ details }: ToolResult): readonly string[] {
  const { diff, files = [] } = (details ?? {}) as { diff?: unknown; files?: readonly { diff?: unknown }[] };
  const shown = [diff, ...files.map((one) => one.diff)].filter((one) => typeof one === "string");
  return shown.flatMap((text) =>
    text
      .trimEnd()
      .split("\n")
      .map((line) => visible(line)),
  );
}
