import { ToolkeepError } from "@toolkeep/core";
import { readProject } from "../project/read-project.ts";
import { CommandError } from "../terminal/command-error.ts";
import { blocked } from "./blocked.ts";
import { decideCall } from "./decide-call.ts";
import type { Environment, HookAnswer, HookClientName } from "./hook-call.ts";
import type { HookStores } from "./hook-stores.ts";
import { HOOKS } from "./hooks-of-clients.ts";
import { inTurn } from "./in-turn.ts";
import { PayloadError, parsePayload } from "./payload.ts";
import { recordOutcome } from "./record-outcome.ts";

export interface HookRequest {
  readonly client: HookClientName;
  /** The standard input. */
  readonly text: string;
  readonly environment: Environment;
  /** Overrides the project that the client names. */
  readonly folder?: string | undefined;
  readonly policyFile?: string | undefined;
}

/** Answers one hook. Never throws: an error is a denial with a reason. */
export async function runHook(request: HookRequest, stores?: HookStores): Promise<HookAnswer> {
  const client = HOOKS[request.client];
  try {
    const payload = parsePayload(request.text);
    const report = client.report?.(payload, request.environment);
    if (report !== undefined) {
      // A report stops nothing: what cannot be recorded stays unknown.
      const reports = JSON.stringify(["reports", request.client, report.conversation]);
      await inTurn(reports, () => recordOutcome(report, { ...request, stores })).catch(() => undefined);
      return client.answer({ action: "none", reason: "The outcome is recorded." }, payload);
    }
    const call = client.read(payload, request.environment);
    if (call === undefined)
      return client.answer({ action: "none", reason: "This event decides nothing." }, payload);
    const { folder = call.folder, policyFile } = request;
    const project = await readProject({ cwd: folder, policyFile, folder: request.folder });
    const conversation = JSON.stringify([project.storeFolder, request.client, call.conversation]);
    const { environment } = request;
    const verdict = await inTurn(conversation, () =>
      decideCall(call, { client: request.client, project, environment, stores }),
    );
    const changed = verdict.action === "allow" || project.changed === undefined ? "" : ` ${project.changed}`;
    return client.answer({ ...verdict, reason: `Toolkeep: ${verdict.reason}${changed}` }, payload);
  } catch (error) {
    return blocked(messageOf(error));
  }
}

function messageOf(error: unknown): string {
  if (error instanceof PayloadError || error instanceof CommandError) return error.message;
  if (ToolkeepError.isInstance(error)) return error.message;
  return `internal error (${error instanceof Error ? error.name : "unknown"}).`;
}
