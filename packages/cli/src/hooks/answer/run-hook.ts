import { accessSync, constants } from "node:fs";
import { ToolkeepError } from "@toolkeep/core";
import { joinCommand } from "@toolkeep/core/internal";
import { codeOf, directories } from "@toolkeep/node/internal";
import type { Environment, HookAnswer, HookClientName, HookVerdict } from "../../clients/hook-call.ts";
import { removedHooksNote } from "../../clients/installed/removed-hooks.ts";
import { PayloadError, parsePayload } from "../../clients/payload.ts";
import { type Project, readProject } from "../../project/read-project.ts";
import { ignoredNote } from "../../project/trust-state.ts";
import { CommandError } from "../../terminal/command-error.ts";
import type { HookStores } from "../decide/conversation/hook-stores.ts";
import { decideCall } from "../decide/decide-call.ts";
import { HOOKS } from "../read/hooks-of-clients.ts";
import { answered, blocked } from "./blocked.ts";
import { inTurn } from "./in-turn.ts";
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

/** Answers one hook. Never throws: an error is a denial with a reason. `seen` is called with the call's project. */
export async function runHook(
  request: HookRequest,
  stores?: HookStores,
  seen?: (project: Project) => void,
): Promise<HookAnswer> {
  const client = HOOKS[request.client];
  try {
    const payload = parsePayload(request.text);
    const report = client.report?.(payload, request.environment);
    if (report !== undefined) {
      // A report stops nothing: what cannot be recorded stays unknown.
      const reports = JSON.stringify(["reports", request.client, report.conversation]);
      const alarm = await inTurn(reports, () => recordOutcome(report, { ...request, stores })).catch(
        () => undefined,
      );
      const reason = "The outcome is recorded.";
      const verdict = { action: "none" as const, reason, ...(alarm === undefined ? {} : { alarm }) };
      return answered(client.answer(verdict, payload));
    }
    const call = client.read(payload, request.environment);
    if (call === undefined)
      return answered(client.answer({ action: "none", reason: "This event decides nothing." }, payload));
    const { folder = call.folder, policyFile } = request;
    const project = await readProject({ cwd: folder, policyFile, folder: request.folder });
    seen?.(project);
    const conversation = JSON.stringify([project.storeFolder, request.client, call.conversation]);
    const { environment } = request;
    const verdict = await inTurn(conversation, () =>
      decideCall(call, { client: request.client, project, environment, stores }),
    );
    const reason = ["Toolkeep:", verdict.reason, ...(await notesOf(verdict, project))].join(" ");
    return answered(client.answer({ ...verdict, reason }, payload));
  } catch (error) {
    return blocked(messageOf(error));
  }
}

/** What the user should know, where something is said at all. */
async function notesOf({ action }: HookVerdict, { trust }: Project): Promise<readonly string[]> {
  if (action === "allow") return [];
  const removed = action === "none" ? undefined : await removedHooksNote();
  return [ignoredNote(trust), removed].filter((note) => note !== undefined);
}

/** Whether nothing can be recorded, which is what the error is about. */
function isUnwritable(): boolean {
  try {
    accessSync(directories().state, constants.W_OK);
    return false;
  } catch (error) {
    return /^E(ACCES|PERM|ROFS)$/.test(codeOf(error));
  }
}

function unwritable(): string {
  const state = joinCommand([directories().state]);
  return `its state folder ${state} cannot be written, and a call that cannot be recorded is not allowed. Run \`sudo chown -R "$(id -u)" ${state} && chmod -R u+rwX ${state}\`, or set TOOLKEEP_HOME to another folder.`;
}

function messageOf(error: unknown): string {
  if (error instanceof PayloadError || error instanceof CommandError) return error.message;
  if (isUnwritable()) return unwritable();
  if (ToolkeepError.isInstance(error)) return error.message;
  return `internal error (${error instanceof Error ? error.name : "unknown"}).`;
}
