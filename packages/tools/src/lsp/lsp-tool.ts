import {
  defineTool,
  type ToolContext,
  ToolFailure,
  type ToolOutput,
  textContent,
  toolOutput,
} from "@toolkeep/core";
import { fsRead, quotedWord } from "@toolkeep/core/internal";
import type { EffectResolver } from "@toolkeep/core/ports";
import { PATH } from "../files/path-arguments.ts";
import { commandLineEffects } from "../shell/command-line.ts";
import { fileStates } from "./file-changes.ts";
import { uriOf } from "./file-uris.ts";
import { filesOf, languageOf, rootOf, serverFor, startLine } from "./known-servers.ts";
import type { LanguageServer, ShownFile } from "./language-server.ts";
import { diagnosticsOf, hoverOf, type Place, placesOf, type SymbolPlace, symbolsOf } from "./read-answers.ts";
import { checkWithRuff, ruffLine } from "./ruff-check.ts";
import { RunningServers } from "./running-servers.ts";
import { linesOf, ShownPlaces } from "./shown-places.ts";

const MOST_PLACES = 200;
const LONGEST_HOVER = 20_000;
const TIMEOUT_MS = 90_000;

const ACTIONS = ["definition", "references", "hover", "diagnostics", "symbols", "ruff_check"] as const;

interface LspCall {
  readonly action: (typeof ACTIONS)[number];
  readonly path: string;
  readonly line?: number;
  readonly column?: number;
  readonly symbol?: string;
  readonly query?: string;
}

/** Options of the tool `lsp`. */
export interface LspOptions {
  /** After how long without a call a server is stopped. Default: ten minutes. */
  readonly idleMs?: number;
}

/**
 * The tool `lsp`: what language servers know about code. A server is started in the sandbox of the session when it is
 * first needed; every call is decided about like the command line that starts it. Create it anew for each session:
 * disposing of it stops its servers.
 */
export function lspTool({ idleMs }: LspOptions = {}) {
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
    inputSchema: {
      type: "object",
      properties: {
        action: { enum: ACTIONS },
        path: { ...PATH, description: "The file. Absolute, or relative to the workspace." },
        line: { type: "integer", minimum: 1, description: "Counted from 1." },
        column: { type: "integer", minimum: 1, description: "Counted from 1. Prefer `symbol`." },
        symbol: {
          type: "string",
          minLength: 1,
          maxLength: 500,
          description:
            "The name to ask about, as it is written on the line; without `line`, where it is first.",
        },
        query: { type: "string", minLength: 1, maxLength: 500, description: "For symbols of the project." },
      },
      required: ["action", "path"],
      additionalProperties: false,
    } as const,
    requires: { fs: { read: ["{workspace}/**", "{tmp}/**"] }, capabilities: ["shell.run"] },
    timeoutMs: TIMEOUT_MS,
    dispose: () => servers.close(),
    effects: (call, resolver) => lspEffects(call as LspCall, resolver),
    execute: (call, ctx) => runAction(call as LspCall, ctx, servers),
  });
}

const lineEffects = commandLineEffects({});

/** Those of the command line, after the file and what a server shows of others. */
async function lspEffects({ action, path }: LspCall, resolver: EffectResolver) {
  if (action === "ruff_check") return lineEffects({ command: ruffLine(path) }, resolver);
  const line = await startLine(serverFor(path), path, resolver);
  const others = { ...fsRead("./**"), partial: true, withoutSecrets: true } as const;
  return [fsRead(path), others, ...(await lineEffects({ command: line }, resolver))];
}

async function runAction(call: LspCall, ctx: ToolContext, servers: RunningServers) {
  // The line that was decided about.
  const line = ctx.effects.find(({ capability }) => capability === "shell.run")?.target ?? "";
  const { action } = call;
  if (action === "ruff_check") return checkWithRuff(line, ctx);
  const [path = "", workspace = ""] = ctx.effects.map(({ target }) => target.replace(/\/\*\*$/, ""));
  const known = serverFor(path);
  const text = new TextDecoder().decode((await ctx.io.files.read(path)).bytes);
  const files = await fileStates(ctx.io.files, filesOf(known));
  const wanted = {
    known,
    line,
    files,
    sessionId: ctx.sessionId,
    root: rootOf(known, path, { workspace, has: (one) => files.has(one) }),
    signal: ctx.abortSignal,
    start: () => ctx.io.commands.start({ line }),
  };
  const asked: Asked = {
    call,
    file: { path, text, language: languageOf(known, path) },
    places: new ShownPlaces(workspace, ctx),
    signal: ctx.abortSignal,
  };
  return servers.use(wanted, (server) => ANSWERS[action](server, asked));
}

type Answer = (server: LanguageServer, asked: Asked) => Promise<ToolOutput>;

interface Asked {
  readonly call: LspCall;
  readonly file: ShownFile;
  readonly places: ShownPlaces;
  readonly signal: AbortSignal;
}

const ANSWERS: Readonly<Record<Exclude<LspCall["action"], "ruff_check">, Answer>> = {
  async definition(server, asked) {
    return shownWithLines(placesOf(await askAt(server, "textDocument/definition", asked)), asked);
  },
  async references(server, asked) {
    const more = { context: { includeDeclaration: true } };
    return shownWithLines(placesOf(await askAt(server, "textDocument/references", asked, more)), asked);
  },
  async hover(server, asked) {
    const hover = hoverOf(await askAt(server, "textDocument/hover", asked)).slice(0, LONGEST_HOVER);
    return toolOutput({ data: { hover }, content: [textContent(hover === "" ? nothingAt(asked) : hover)] });
  },
  async diagnostics(server, { file, places, signal }) {
    const found = diagnosticsOf(await server.diagnostics(file, signal), file.path);
    const { kept, note } = bounded(found);
    const diagnostics = kept.map((one) => places.named(one));
    const lines = diagnostics.map(
      ({ severity, message, code, ...place }) =>
        `${placeText(place)}: ${severity}: ${message}${code === undefined ? "" : ` (${code})`}`,
    );
    const none = lines.length === 0 ? ["The language server finds nothing wrong in the file."] : [];
    return toolOutput({
      data: { diagnostics, total: found.length },
      content: [textContent([...lines, ...none, ...note].join("\n"))],
    });
  },
  async symbols(server, { call, file, places, signal }) {
    server.show(file);
    const { query } = call;
    const answer =
      query === undefined
        ? server.ask("textDocument/documentSymbol", { textDocument: { uri: uriOf(file.path) } }, signal)
        : server.ask("workspace/symbol", { query }, signal);
    const found = symbolsOf(await answer, file.path);
    const { kept, note } = bounded(found);
    const symbols = kept.map((one) => places.named(one));
    const lines = symbols.map(symbolText);
    const none = lines.length === 0 ? ["There are no symbols."] : [];
    return toolOutput({
      data: { symbols, total: found.length },
      content: [textContent([...lines, ...none, ...note].join("\n"))],
    });
  },
};

function symbolText({ kind, name, depth, ...place }: SymbolPlace): string {
  return `${placeText(place)}: ${"  ".repeat(depth)}${kind} ${name}`;
}

async function askAt(server: LanguageServer, method: string, asked: Asked, more: object = {}) {
  const { line, column } = positionIn(asked);
  server.show(asked.file);
  const position = { line: line - 1, character: column - 1 };
  const textDocument = { uri: uriOf(asked.file.path) };
  return server.ask(method, { textDocument, position, ...more }, asked.signal);
}

/** @throws ToolFailure `invalid_arguments` where the call names no place in the file. */
function positionIn({ call, file }: Asked): Place {
  const { path } = call;
  const lines = linesOf(file.text);
  const { line, column, symbol } = call;
  if (line !== undefined && line > lines.length)
    throw invalid(`${path} has ${lines.length} lines, and no line ${line}`);
  if (symbol !== undefined) {
    const found = lines.findIndex((text, at) => (line ?? at + 1) === at + 1 && columnOf(symbol, text) > 0);
    if (found < 0) throw notThere(call, lines);
    return { path, line: found + 1, column: columnOf(symbol, lines[found] ?? "") };
  }
  if (line === undefined || column === undefined)
    throw invalid(`The action ${call.action} needs \`symbol\`, or \`line\` and \`column\``);
  return { path, line, column };
}

/** Where a name stands as a whole word, counted from 1; 0 where it does not. */
function columnOf(symbol: string, text: string): number {
  const isPart = (at: number) => /[\p{L}\p{N}_$]/u.test(text.charAt(at));
  for (let at = text.indexOf(symbol); at >= 0; at = text.indexOf(symbol, at + 1))
    if (!isPart(at - 1) && !isPart(at + symbol.length)) return at + 1;
  return 0;
}

function invalid(message: string): ToolFailure {
  return new ToolFailure("invalid_arguments", message);
}

function notThere({ path, line, symbol = "" }: LspCall, lines: readonly string[]): ToolFailure {
  if (line === undefined) return invalid(`${quotedWord(symbol)} is nowhere in ${path}`);
  const text = lines[line - 1]?.trim().slice(0, 200);
  return invalid(`${quotedWord(symbol)} is not on line ${line} of ${path}, which is: ${text}`);
}

async function shownWithLines(found: readonly Place[], asked: Asked) {
  const { kept, note } = bounded(found);
  const places = [];
  for (const place of kept) {
    const text = await asked.places.textAt(place);
    places.push({ ...asked.places.named(place), ...(text === undefined ? {} : { text }) });
  }
  const lines = places.map(
    ({ text, ...place }) => `${placeText(place)}${text === undefined ? "" : `: ${text}`}`,
  );
  const none = lines.length === 0 ? [nothingAt(asked)] : [];
  return toolOutput({
    data: { places, total: found.length },
    content: [textContent([...lines, ...none, ...note].join("\n"))],
  });
}

function placeText({ path, line, column }: Place): string {
  return `${path}:${line}:${column}`;
}

function nothingAt(asked: Asked): string {
  const place = positionIn(asked);
  const text = linesOf(asked.file.text)[place.line - 1]?.trim().slice(0, 200);
  return `The language server knows of no ${asked.call.action} at ${placeText(place)}. The line is: ${text}`;
}

function bounded<Found>(found: readonly Found[]) {
  const rest = found.length - MOST_PLACES;
  return { kept: found.slice(0, MOST_PLACES), note: rest > 0 ? [`(${rest} more are not shown.)`] : [] };
}
