import { defineTool, type ToolContext, ToolFailure, textContent, toolOutput } from "@toolkeep/core";
import { fsRead, isBeneath, terminalText } from "@toolkeep/core/internal";
import type { EffectResolver } from "@toolkeep/core/ports";
import { commandLineEffects } from "../shell/command-line.ts";
import { fileStates } from "./file-changes.ts";
import {
  diagnosticsOf,
  type Finding,
  findingsOutput,
  hoverOf,
  placesOf,
  symbolsOf,
  uriOf,
} from "./findings.ts";
import type { LanguageServer } from "./language-server.ts";
import { type LSP_ACTIONS, LSP_INPUT } from "./lsp-input.ts";
import { checkWithRuff, ruffLine } from "./ruff-check.ts";
import { RunningServers } from "./running-servers.ts";
import { filesOf, foldersAbove, rootOf, serverFor, startLine } from "./server-table.ts";

const LONGEST_HOVER = 20_000;
const LONGEST_LINE = 300;
const MOST_FILES = 100;
const TIMEOUT_MS = 90_000;

interface LspCall {
  readonly action: (typeof LSP_ACTIONS)[number];
  readonly path: string;
  readonly line?: number;
  readonly column?: number;
  readonly symbol?: string;
  readonly query?: string;
}

/**
 * The tool `lsp`: what language servers know about code. A server is started in the sandbox of the session when it is
 * first needed, and stopped after `idleMs` without a call. Every call is decided about like the command line that
 * starts it. Create the tool anew for each session: disposing of it stops its servers.
 */
export function lspTool({ idleMs }: { readonly idleMs?: number } = {}) {
  const servers = new RunningServers(idleMs);
  return defineTool({
    name: "lsp",
    label: "Ask a language server",
    description:
      "Asks the language server of a file (TypeScript, JavaScript, Python, shell, Go): definition, references or hover of the name at a position, diagnostics of the file as it is on the disk, symbols of the file, or of the project with `query`. ruff_check lints Python with ruff.",
    mode: "local",
    kind: "execute",
    idempotent: true,
    actionArgument: "action",
    inputSchema: LSP_INPUT,
    requires: { fs: { read: ["{workspace}/**", "{tmp}/**"] }, capabilities: ["shell.run"] },
    timeoutMs: TIMEOUT_MS,
    dispose: () => servers.close(),
    effects: (call, resolver) => lspEffects(call as LspCall, resolver),
    execute: (call, ctx) => runAction(call as LspCall, ctx, servers),
  });
}

const lineEffects = commandLineEffects({});

/** The file, what is shown of others, and the command line. */
async function lspEffects({ action, path }: LspCall, resolver: EffectResolver) {
  const command = action === "ruff_check" ? ruffLine(path) : await startLine(serverFor(path), path, resolver);
  const others = { ...fsRead("./**"), partial: true, withoutSecrets: true } as const;
  return [fsRead(path), others, ...(await lineEffects({ command }, resolver))];
}

async function runAction(call: LspCall, ctx: ToolContext, servers: RunningServers) {
  const { action } = call;
  const [path = "", workspace = ""] = ctx.effects.map(({ target }) => target.replace(/\/\*\*$/, ""));
  // What was decided about is what runs.
  const line = ctx.effects.find(({ capability }) => capability === "shell.run")?.target ?? "";
  if (action === "ruff_check")
    return findingsOutput(await checkWithRuff(line, ctx), workspace, "ruff finds nothing.");
  const lines = await linesOf(path, ctx);
  const entry = serverFor(path);
  const files = await fileStates(ctx.io.files, filesOf(entry));
  const above = foldersAbove(path, workspace);
  const wanted = {
    ...{ entry, line, path, files, sessionId: ctx.sessionId, signal: ctx.abortSignal },
    root: rootOf(entry, above, (one) => files.has(one)) ?? path.slice(0, path.lastIndexOf("/")),
    start: () => ctx.io.commands.start({ line }),
  };
  const asked: Asked = { call, path, lines, signal: ctx.abortSignal };
  const answer = await servers.use(wanted, (server) => ANSWERS[action](server, asked));
  const none = `The language server knows of no ${action} there.`;
  if (typeof answer !== "string")
    return findingsOutput(await withLines(answer, workspace, ctx), workspace, none);
  const hover = terminalText(answer).trim().slice(0, LONGEST_HOVER);
  return toolOutput({ data: { hover }, content: [textContent(hover || none)] });
}

interface Asked {
  readonly call: LspCall;
  readonly path: string;
  readonly lines: readonly string[];
  readonly signal: AbortSignal;
}

type Answer = (server: LanguageServer, asked: Asked) => Promise<readonly Finding[] | string>;

const ANSWERS: Readonly<Record<Exclude<LspCall["action"], "ruff_check">, Answer>> = {
  definition: async (server, asked) => placesOf(await askAt(server, "definition", asked)),
  references: async (server, asked) => placesOf(await askAt(server, "references", asked)),
  hover: async (server, asked) => hoverOf(await askAt(server, "hover", asked)),
  diagnostics: async (server, { path, lines, signal }) =>
    diagnosticsOf(await server.diagnostics(path, lines.join(""), signal), path),
  async symbols(server, { call: { query }, path, lines, signal }) {
    server.show(path, lines.join(""));
    const params = query === undefined ? { textDocument: { uri: uriOf(path) } } : { query };
    const method = query === undefined ? "textDocument/documentSymbol" : "workspace/symbol";
    return symbolsOf(await server.ask(method, params, signal), path);
  },
};

function askAt(server: LanguageServer, what: string, { call, path, lines, signal }: Asked): Promise<unknown> {
  const position = positionOf(call, lines);
  server.show(path, lines.join(""));
  const params = { textDocument: { uri: uriOf(path) }, position, context: { includeDeclaration: true } };
  return server.ask(`textDocument/${what}`, params, signal);
}

/** @throws ToolFailure `invalid_arguments` where the call names no place in the file. */
function positionOf({ action, path, line, column, symbol }: LspCall, lines: readonly string[]) {
  const text = line === undefined ? undefined : lines[line - 1];
  if (line !== undefined && text === undefined) throw invalid(`${path} has ${lines.length} lines.`);
  if (symbol === undefined) {
    if (line !== undefined && column !== undefined) return { line: line - 1, character: column - 1 };
    throw invalid(`The action ${action} needs \`symbol\`, or \`line\` and \`column\`.`);
  }
  const columns = (text === undefined ? lines : [text]).map((one) => columnOf(symbol, one));
  const isCode = (at: number) => text !== undefined || !COMMENT.test(lines[at] ?? "");
  const inCode = columns.findIndex((one, at) => one >= 0 && isCode(at));
  const found = inCode >= 0 ? inCode : columns.findIndex((one) => one >= 0);
  if (found >= 0) return { line: line === undefined ? found : line - 1, character: columns[found] };
  const where = text === undefined ? "" : ` on line ${line}, which is: ${text.trim().slice(0, LONGEST_LINE)}`;
  throw invalid(`${path} has no ${JSON.stringify(symbol)}${where}.`);
}

/** A line that is a comment, in most languages. */
const COMMENT = /^\s*(?:\/\/|\/\*|\*|#(?!include|define|\[))/;

/** Where a name stands as a whole word; -1 where it does not. */
function columnOf(symbol: string, text: string): number {
  const isPart = (at: number) => /[\p{L}\p{N}_$]/u.test(text.charAt(at));
  let at = text.indexOf(symbol);
  while (at >= 0 && (isPart(at - 1) || isPart(at + symbol.length))) at = text.indexOf(symbol, at + 1);
  return at;
}

function invalid(message: string): ToolFailure {
  return new ToolFailure("invalid_arguments", message);
}

/** With their ends. */
async function linesOf(path: string, { io }: ToolContext): Promise<readonly string[]> {
  return new TextDecoder().decode((await io.files.read(path)).bytes).split(/(?<=\n)/);
}

/** Places say what is on their lines, in files of the workspace that the call may read. */
async function withLines(found: readonly Finding[], workspace: string, ctx: ToolContext) {
  const read = new Map<string, readonly string[]>();
  const bare = found.filter(({ path, says }) => says === undefined && isBeneath(path, workspace));
  for (const path of [...new Set(bare.map((one) => one.path))].slice(0, MOST_FILES))
    read.set(path, await linesOf(path, ctx).catch(() => []));
  return found.map((one) => {
    const says = one.says ?? read.get(one.path)?.[one.line - 1]?.trim().slice(0, LONGEST_LINE);
    return says === undefined ? one : { ...one, says };
  });
}
