import type { Approvers } from "@toolkeep/core/policy";
import { readProject } from "../project/read-project.ts";
import { usageError } from "../terminal/command-error.ts";
import { type CommonOptions, openTerminal, type Terminal } from "../terminal/terminal.ts";

export interface AnswerOptions extends CommonOptions {
  readonly id: string;
  readonly yes?: boolean;
}

/** The options of an answer that may be signed. */
export interface SigningOptions extends AnswerOptions {
  readonly sign?: boolean;
  readonly key?: string;
  readonly request?: string;
  readonly signed?: string;
  readonly always?: boolean;
  readonly rule?: boolean;
}

/** Signs the answer, if that was asked for. @throws CommandError for options that contradict each other. */
export async function isSigned(options: SigningOptions, verdict: "once" | "reject"): Promise<boolean> {
  const { sign = false, key, request, signed } = options;
  if (!sign && signed === undefined) {
    if (key === undefined && request === undefined) return false;
    throw usageError("--key and --request need --sign.");
  }
  if (sign && signed !== undefined) throw usageError("--sign and --signed cannot be combined.");
  if (options.always === true || options.rule === true)
    throw usageError("What is signed is approved once.", "Run again without --always and --rule.");
  const { submitSigned } = await import("./sign-answer.ts");
  const { id, yes } = options;
  const terminal = openTerminal(options);
  const approvers = await configuredApprovers(terminal);
  await submitSigned({ id, yes, verdict, key, request, signed, approvers, terminal });
  return true;
}

/** The people whom the administrator's configuration lists. */
export async function configuredApprovers({ cwd }: Terminal): Promise<Approvers> {
  return (await readProject({ cwd })).config.approvers ?? {};
}
