import { defineTool, type ToolContext, ToolFailure, textContent, toolOutput } from "@toolkeep/core";
import { effect, terminalText } from "@toolkeep/core/internal";
import type { CodeOutcome, CodeProgram } from "@toolkeep/core/ports";
import { CODE_INPUT, TIMEOUT_MS } from "./code-input.ts";

/** Four figures, and texts as JSON. */
const MOST_BYTES = 8_000_000;

type CodeCall = Pick<CodeProgram, "code"> & Partial<CodeProgram>;

/** The tool `code_exec`: runs a program where it reaches nothing. Its error is data, not a failure. */
export function codeExecTool() {
  return defineTool({
    name: "code_exec",
    label: "Run code",
    description:
      "Runs a Python or JavaScript program and returns what it prints, the value of its last expression and its error with the line. " +
      "The program cannot reach the project, the network or other programs, and nothing is kept between calls: run a command for that. " +
      "Python has its standard library, and numpy and matplotlib where they are installed; open figures are returned as images. " +
      "JavaScript has the language alone and `console.log`.",
    mode: "local",
    kind: "execute",
    inputSchema: CODE_INPUT,
    requires: { capabilities: ["code.run"] },
    maxOutput: { bytes: MOST_BYTES },
    effects: (call) => [
      { ...effect("code.run", (call as CodeCall).language ?? "python"), known: "enforced" as const },
    ],
    execute: (call, ctx) => runCode(call as CodeCall, ctx),
  });
}

async function runCode({ code, language = "python", timeoutMs = TIMEOUT_MS }: CodeCall, { io }: ToolContext) {
  if (io.code === undefined)
    throw new ToolFailure("unavailable", "This session has nothing that could contain a program.", {
      hint: "Create the session with `openWorkspace` of @toolkeep/node.",
    });
  const { figures = [], ...told } = await io.code.run({ language, code, timeoutMs });
  const outcome = { ...told, output: terminalText(told.output), figures: figures.length };
  const images = figures.map((data, index) => {
    return { type: "image", data, mimeType: "image/png", alt: `figure ${index + 1}` } as const;
  });
  return toolOutput({ data: { language, ...outcome }, content: [textContent(shown(outcome)), ...images] });
}

type Told = Omit<CodeOutcome, "figures"> & { readonly figures: number };

function shown({ output, value, error, figures }: Told): string {
  const place = error?.line === undefined ? "" : ` (line ${error.line})`;
  const parts = [
    ...(output === "" ? [] : [output.trimEnd()]),
    ...(value === undefined ? [] : [`Value: ${value}`]),
    ...(error === undefined ? [] : [`Error${place}: ${error.message}`]),
    ...(figures === 0 ? [] : [`Figures: ${figures}`]),
  ];
  return parts.length === 0 ? "The program printed nothing and has no value." : parts.join("\n");
}
