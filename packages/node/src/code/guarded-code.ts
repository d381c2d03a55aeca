import { defined, effect } from "@toolkeep/core/internal";
import type { CodeOutcome, CodeRunner, Grant } from "@toolkeep/core/ports";
import { refuseStopped } from "../processes/prepare-command.ts";
import { BOUNDS } from "./bounds.ts";
import { runJavaScript } from "./run-javascript.ts";
import { type PythonParts, runPython } from "./run-python.ts";

/** Runs the programs of one call: each is checked against the grant by its language. */
export function guardedCode(grant: Grant, parts: PythonParts): CodeRunner {
  return {
    async run(program) {
      grant.check(effect("code.run", program.language));
      refuseStopped(grant.abortSignal);
      return bounded(
        program.language === "python"
          ? await runPython(program, grant, parts)
          : await runJavaScript(program, grant.abortSignal),
      );
    },
  };
}

/** Cuts what a program returned. */
function bounded({ output, value, error, figures = [] }: CodeOutcome): CodeOutcome {
  const kept = figures.filter(isFigure).slice(0, BOUNDS.figures);
  return {
    output: cut(output, BOUNDS.outputCharacters),
    ...defined({
      value: value === undefined ? undefined : cut(value, BOUNDS.valueCharacters),
      error: error && { ...error, message: cut(error.message, BOUNDS.messageCharacters) },
      figures: kept.length === 0 ? undefined : kept,
    }),
  };
}

function cut(text: string, most: number): string {
  return text.length <= most ? text : `${text.slice(0, most)}\n[cut: ${text.length - most} characters more]`;
}

const PNG = Buffer.from("\x89PNG\r\n\x1a\n", "latin1").toString("base64").slice(0, 10);
const BASE64 = /^[A-Za-z0-9+/]+={0,2}$/;

function isFigure(figure: string): boolean {
  return figure.startsWith(PNG) && figure.length <= (BOUNDS.figureBytes * 4) / 3 + 4 && BASE64.test(figure);
}
