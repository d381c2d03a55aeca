import { parsePayload } from "../../packages/cli/src/clients/payload.ts";
import { hideValues } from "../../packages/cli/src/install/hide-values.ts";
import { hiddenValue } from "../../packages/cli/src/terminal/hidden-value.ts";
import { commandEffects } from "../../packages/core/src/commands/effects/command-effects.ts";
import { commandHosts } from "../../packages/core/src/commands/effects/command-hosts.ts";
import { classOfCommand, classOfLine } from "../../packages/core/src/commands/meaning/command-class.ts";
import { overreachOf } from "../../packages/core/src/commands/meaning/overreaching-commands.ts";
import {
  hostIn,
  isRemotePath,
  isTellingHost,
  reachesOut,
  senderIn,
} from "../../packages/core/src/commands/meaning/sending-commands.ts";
import {
  effect,
  fsWrite,
  joinCommand,
  netFetch,
  shellRun,
  splitCommand,
} from "../../packages/core/src/contract/call/effect.ts";
import { classOfName } from "../../packages/core/src/file-names/name-class.ts";
import { lexicalPath } from "../../packages/core/src/pipeline/stages/effects/lexical-path.ts";
import { canonicalHost } from "../../packages/core/src/pipeline/stages/resolve-effects.ts";
import { promptLines } from "../../packages/core/src/policy/approvals/prompt-lines.ts";
import { suggestRules } from "../../packages/core/src/policy/approvals/suggest-rules.ts";
import { wordsOf } from "../../packages/core/src/policy/patterns/command-pattern.ts";
import { compileGlob } from "../../packages/core/src/policy/patterns/compile-glob.ts";
import { patternError } from "../../packages/core/src/policy/patterns/pattern-error.ts";
import { policyCall, policyContext } from "../../packages/core/src/policy/rules/policy-call.ts";
import { visible } from "../../packages/core/src/policy/shown/visible.ts";
import { builtInWatchdogs } from "../../packages/core/src/policy/watchdogs/built-in.ts";
import { redactStream } from "../../packages/core/src/redaction/redact-stream.ts";
import { createRedactor } from "../../packages/core/src/redaction/redactor.ts";
import { sanitize } from "../../packages/core/src/registry/tool-names.ts";
import { boundData } from "../../packages/core/src/results/bound-data.ts";
import { harmlessText, terminalText } from "../../packages/core/src/results/harmless-text.ts";
import { findJsonError } from "../../packages/core/src/schema/json-error.ts";
import { readArguments } from "../../packages/core/src/schema/read-arguments.ts";
import { asksForSecret } from "../../packages/mcp/src/connection/elicitation/secret-words.ts";
import { lineReader } from "../../packages/mcp/src/connection/link/stdio-link.ts";
import { serverText } from "../../packages/mcp/src/connection/requests/request-failure.ts";
import { expandEntry } from "../../packages/mcp/src/servers/expand-entry.ts";
import { cleanName } from "../../packages/mcp/src/servers/parse-entry.ts";
import {
  checkDefinition,
  imitatedName,
  instructionsIn,
} from "../../packages/mcp/src/source/check-definition.ts";
import { definitionTexts } from "../../packages/mcp/src/source/definition-texts.ts";
import { loadTreeSitterBash } from "../../packages/node/src/commands/bash/tree-sitter-bash.ts";
import { parseWith } from "../../packages/node/src/commands/parse-command.ts";
import { readPlain } from "../../packages/node/src/commands/plain/read-plain.ts";
import { relativeGlob } from "../../packages/node/src/files/relative-glob.ts";
import { blankedSettings } from "../../packages/node/src/git/blanked-settings.ts";
import { gitSettings } from "../../packages/node/src/git/git-config.ts";
import { noNetworkNote } from "../../packages/node/src/processes/refused-hosts.ts";
import { readJsonc } from "../../packages/node/src/project/config/jsonc-tree.ts";
import { readSkill } from "../../packages/node/src/project/skills/read-skill.ts";
import { recordErrors } from "../../packages/node/src/sandbox/scan/git-records.ts";
import { approvalPrompt } from "../../packages/node/src/terminal/approval-prompt.ts";
import { readText } from "../../packages/openapi/src/document/read-text.ts";
import { shownText } from "../../packages/openapi/src/document/shown-text.ts";
import { withoutSecrets } from "../../packages/openapi/src/response/without-secrets.ts";
import { cel } from "../../packages/policy/src/cel/cel.ts";
import { parsePolicy } from "../../packages/policy/src/files/parse-policy.ts";
import { importClaude } from "../../packages/policy/src/imports/import-claude.ts";
import { importGemini } from "../../packages/policy/src/imports/import-gemini.ts";
import { decodeExactly, encodeExactly } from "../../packages/sqlite/src/outputs/exact-text.ts";
import { nearestLines } from "../../packages/tools/src/files/edit-failures.ts";
import { findMatches } from "../../packages/tools/src/files/find-matches.ts";
import { numberLines } from "../../packages/tools/src/files/number-lines.ts";
import { SearchedText } from "../../packages/tools/src/files/searched-text.ts";
import { diffTexts } from "../../packages/tools/src/files/unified-diff.ts";
import { parsePatch } from "../../packages/tools/src/patches/parse-patch.ts";
import { cutLine } from "../../packages/tools/src/search/search-texts.ts";
import { readCargo, readGo, readJest, readPytest } from "../../packages/tools/src/test-runs/read-reports.ts";
import { readTap } from "../../packages/tools/src/test-runs/read-tap.ts";
import { readQuery } from "../../packages/tools/src/tool-search/read-query.ts";
import { splitWords } from "../../packages/tools/src/tool-search/split-words.ts";
import { stemWord } from "../../packages/tools/src/tool-search/stem-word.ts";
import { htmlToText } from "../../packages/tools/src/web/html-to-text.ts";
import type { Measured } from "./measure.ts";

const encoder = new TextEncoder();
const redactor = createRedactor();
redactor.add("declared", "hunter2hunter2");

const definition = (text: string) => ({
  name: "a",
  description: text,
  inputSchema: { type: "object" as const, properties: { a: { type: "string", description: text } } },
});

const request = (text: string) => ({
  id: "t1/c1",
  sessionId: "s1",
  callId: "c1",
  toolName: "write",
  label: "write",
  origin: { layer: "code", source: "code" } as const,
  arguments: { path: "/x", content: text },
  effects: [shellRun(["ls", text])],
  approvalKey: text,
  reason: text,
  askedBy: ["rules"],
  agents: [text],
  principal: { user: text, groups: [text], role: "agent", workspace: "main" },
  treatment: { base: "ask", show: "consent" } as const,
  binding: { arguments: "aa", definition: "bb" },
  mayRemember: true,
  suggestions: [],
  batch: { id: "t1", index: 0, size: 1 },
});

const SCREEN = { columns: 80, rows: 24, now: 0 };

const pathGlobs = ["**/*.env", "/a/**/b/*/c", "**/{a,b}*?/**"].map((pattern) => compileGlob(pattern));

const dogs = builtInWatchdogs();

const expressions = [
  "args.text.contains(args.half)",
  "args.text.matches('^(a+)+$')",
  "args.list.all(x, x.size() < 3)",
  "args.list.exists(x, x in args.list && args.text.contains(x) && x == '')",
  "args.list == args.list && effect.target.startsWith(args.text)",
].map((text) => {
  const compiled = cel.compile(text);
  if (compiled.error !== undefined) throw new Error(compiled.error);
  return compiled.holds;
});

function factsOf(text: string) {
  const args = { text, half: `b${text.slice(text.length / 2)}`, list: [...text] };
  const effects = [effect("payments.send", text)];
  const call = policyCall({ tool: "pay", effects, args });
  const [made = effect("none", "")] = effects;
  return { call, effect: made, context: policyContext(), now: () => 0, rate: () => 0 };
}
const never = new AbortController().signal;

const GIT_RECORDS = [
  ...[
    "strategy",
    "strategy_opts",
    "gpg_sign_opt",
    "opts",
    "apply-opt",
    "author-script",
    "msgnum",
    "head-name",
  ],
  ...[
    "refs-to-delete",
    "update-refs",
    "current-fixups",
    "onto",
    "a-later-one",
    "git-rebase-todo",
    "MERGE_RR",
  ],
  ...["BISECT_START", "BISECT_TERMS", "BISECT_NAMES", "allow_rerere_autoupdate"],
];

/** Whatever takes text that a model, a server, a page or a file of the project wrote. A new one goes in here. */
export const TEXT_FUNCTIONS: Readonly<Record<string, Measured>> = {
  visible,
  "visible, as long as a definition": (text) => visible(text, 1_000_000),
  promptLines: (text) => promptLines(request(text), { isBoundToArguments: true }),
  approvalPrompt: (text) => approvalPrompt({ ...request(text), alwaysAllows: [text], lines: [] }, SCREEN),
  "when of rules": (text) => {
    for (const holds of expressions)
      try {
        holds(factsOf(text));
      } catch {
        // An error is an answer.
      }
  },
  suggestRules: (text) =>
    suggestRules(
      policyCall({ tool: "bash", effects: [shellRun(["rm", text]), fsWrite(`/${text}`), netFetch(text)] }),
      {},
    ),
  "watchdogs that ship": async (text) => {
    const effects = [
      shellRun(["rm", text]),
      effect("shell.dynamic", text),
      fsWrite(`/${text}`),
      netFetch(text),
    ];
    const call = policyCall({ tool: "bash", effects, args: { command: text } });
    for (const dog of dogs) await dog.evaluate(call, policyContext());
  },
  harmlessText,
  terminalText,
  redact: (text) => redactor.redact(text),
  redactJson: (text) => redactor.redactJson(JSON.stringify({ text })),
  "redactJson of a list of arguments": (text) =>
    redactor.redactJson(JSON.stringify(["mysql", ...text.split(/[\s/]/)])),
  redactStream: (text) => {
    const stream = redactStream(redactor);
    for (let at = 0; at < text.length; at += 997) stream.push(text.slice(at, at + 997));
    stream.end();
  },
  hiddenValue: (text) => [hiddenValue(text, "HOST"), hiddenValue(`https://${text}`)],
  readArguments,
  findJsonError,
  boundData: (text) =>
    boundData({ text, list: [text] }, JSON.stringify({ text }), { bytes: 1_000, entries: 10 }),
  splitCommand,
  joinCommand: (text) => joinCommand(text.split(" ")),
  wordsOf,
  commandEffects: (text) =>
    commandEffects(
      { plain: true, commands: [{ argv: ["rm", text, `-${text}`], redirections: [] }] } as never,
      text,
    ),
  "commandEffects of others": (text) => {
    for (const name of ["cp", "sed", "git", "curl", "tar", "cat", "find", "python3", "mv", "tee"])
      commandEffects(
        { plain: true, commands: [{ argv: [name, text, "a"], redirections: [] }] } as never,
        text,
      );
  },
  classOfName,
  classOfCommand: (text) => classOfCommand(`rm ${text}`),
  classOfLine,
  commandHosts: (text) => {
    for (const [name, subcommand] of [
      ["npm", "install"],
      ["curl", "-s"],
      ["git", "fetch"],
      ["pip", "install"],
      ["gh", "api"],
    ])
      commandHosts([name ?? "", subcommand ?? "", text, `https://${text}`, `--registry=https://${text}`]);
    commandHosts([text, text]);
  },
  noNetworkNote: (text) => {
    for (const said of ["Could not resolve host: ", "getaddrinfo ENOTFOUND ", "dial tcp: lookup ", ""])
      noNetworkNote(new TextEncoder().encode(said + text));
  },
  overreachOf: (text) => {
    for (const name of ["rm", "chmod", "find", "docker", "chown", "mount", "git"])
      overreachOf([name, "run", "-r", text, `--mount=${text}`]);
  },
  senders: (text) => {
    for (const name of ["curl", "scp", "ssh", "http", "wget", "nc", "git"]) {
      senderIn([name, text]);
      reachesOut([name, text]);
    }
    isRemotePath(text);
  },
  hosts: (text) => [hostIn(text), isTellingHost(text), canonicalHost(text), hostIn(`x://${text}`)],
  lexicalPath: (text) => lexicalPath(`/${text}`, "/"),
  "patterns on paths": (text) =>
    pathGlobs.map((glob) => [glob.matches(`/${text}`, "path"), glob.mayMatch(text, "path")]),
  "patterns on commands": (text) => compileGlob("npm * --x *").matches(`npm ${text}`, "command"),
  "patterns that a model writes": (text) => [patternError(text, "path"), relativeGlobOf(text)],
  parseCommand: (text) => parseWith(text, { home: "/h", load: loadTreeSitterBash }),
  readPlain: (text) => readPlain(text, { home: "/h" }),
  parsePolicy: (text) => parsePolicy(text, { file: "a.yaml" }),
  "rules in a policy": (text) =>
    parsePolicy(`version: 1\nrules:\n  - ${JSON.stringify(`allow ${text}`)}\n`, { file: "a.yaml" }),
  importGemini: (text) => importGemini(`[[rule]]\ncommandPrefix = ${text}`, { file: "a.toml" }),
  importClaude: (text) =>
    importClaude(JSON.stringify({ permissions: { allow: [`Bash(${text})`, `Read(${text})`] } }), {
      file: "a",
    }),
  "patches in their own format": (text) =>
    parsePatch(`*** Begin Patch\n*** Update File: a\n@@ ${text}\n ${text}\n*** End Patch`),
  "unified diffs": (text) => parsePatch(`--- a\n+++ b\n@@ -1 +1 @@\n-${text}\n+${text}\n${text}`),
  "reports of test runners": (text) =>
    [readTap, readJest, readPytest, readGo, readCargo].map((read) => [read(text), read(`1..1\n${text}\n`)]),
  readSkill: (text) => readSkill(`---\nname: a\ndescription: ${text}\n---\n${text}`, "a"),
  sanitize,
  exactText: (text) => decodeExactly(encodeExactly(text)),
  parsePayload,
  hideValues: (text) =>
    hideValues(JSON.stringify({ mcpServers: { a: { command: text, env: { A: text } } } })),
  "hideValues of no JSON": hideValues,
  readJsonc,
  cleanName,
  expandEntry: (text) =>
    expandEntry(
      { kind: "stdio", name: "a", isOfProject: true, command: text, args: [text], env: { A: text } },
      { environment: {} },
    ),
  lineReader: (text) => {
    const reader = lineReader(1_000_000, () => {});
    const bytes = Buffer.from(text);
    for (let at = 0; at < bytes.length; at += 997) reader.read(bytes.subarray(at, at + 997));
  },
  serverText,
  asksForSecret,
  instructionsIn,
  imitatedName,
  checkDefinition: (text) => checkDefinition(definition(text)),
  definitionTexts: (text) =>
    definitionTexts({ definition: definition(text), before: definition(`${text}x`) } as never),
  "OpenAPI documents": readText,
  "OpenAPI texts": (text) => [shownText(text), withoutSecrets(["hunter2hunter2", "aaaa"])(text)],
  "records of git": (text) => {
    for (const name of GIT_RECORDS) recordErrors(`/nowhere/.git/${name}`, Buffer.from(text));
  },
  "names in the index of git": (text) => recordErrors("/nowhere/.git/index", growingIndex(text)),
  "bytes as the index of git": (text) => recordErrors("/nowhere/.git/index", Buffer.from(`DIRC${text}`)),
  gitSettings,
  "settings without secrets": (text) => blankedSettings(Buffer.from(text)),
  numberLines: (text) =>
    numberLines(encoder.encode(text), { from: 1, most: 2_000, mostBytes: 100_000 } as never),
  findMatches: (text) =>
    findMatches(new SearchedText(encoder.encode(text)), {
      bytes: encoder.encode(text.slice(0, 40)),
      all: true,
    } as never),
  nearestLines: (text) => nearestLines(text, text.slice(0, 2_000)),
  diffTexts: (text) => diffTexts("a", text, text.replaceAll("a", "b")),
  cutLine,
  splitWords,
  stemWord,
  readQuery,
  "htmlToText, Markdown": (text) =>
    htmlToText(text, { url: "https://a.test/", format: "markdown", signal: never }),
  "htmlToText, plain": (text) =>
    htmlToText(`<p>${text}`, { url: "https://a.test/", format: "text", signal: never }),
};

/** An index of the fourth version whose names grow by one letter of the text each, and begin anew after a hundred. */
function growingIndex(text: string): Buffer {
  const bytes = Buffer.from(text, "latin1");
  const index = Buffer.alloc(12 + bytes.length * 65 + 20);
  index.write("DIRC");
  index.writeUInt32BE(4, 4);
  index.writeUInt32BE(bytes.length, 8);
  for (const [number, byte] of bytes.entries()) {
    index[12 + number * 65 + 62] = number > 0 && number % 100 === 0 ? 100 : 0;
    index[12 + number * 65 + 63] = byte;
  }
  return index;
}

function relativeGlobOf(text: string): unknown {
  try {
    return relativeGlob(text);
  } catch {
    return undefined;
  }
}

/** Patterns as they were once written, with a shape they grow on: what the measure must find. */
export const KNOWN_TO_GROW: Readonly<Record<string, readonly [shape: string, run: Measured]>> = {
  "a host by its end": [
    "letters",
    (text) => /[\p{L}\p{N}-]+(?:\.[\p{L}\p{N}-]+)*\.[a-z]{2,24}\b/u.test(text),
  ],
  "slashes at an end": ["slashes", (text) => text.replace(/\/+$/, "")],
  "a scheme anywhere": ["letters with plus", (text) => text.replaceAll(/\b([a-z][a-z0-9+.-]*:\/\/)/gi, "")],
  "a run that an end is looked for in": ["carriage returns", (text) => text.replaceAll(/\r+\n/g, "")],
  "repeats within repeats": ["slashes", (text) => text.replace(/(?:\/+\.?[*?]*)+$/, "")],
};
