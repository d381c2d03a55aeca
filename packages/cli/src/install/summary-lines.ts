import { visible } from "@toolkeep/core/internal";
import { CLIENTS, type InstallClientName } from "../clients/install-client.ts";
import { readProject } from "../project/read-project.ts";
import { ignoredNote } from "../project/trust-state.ts";
import { atHome } from "../terminal/at-home.ts";

export interface Summarized {
  readonly clients: readonly InstallClientName[];
  readonly servers: readonly string[];
  readonly project: string;
  /** Whether the mode is to become `observe`. */
  readonly observes: boolean;
}

const MODES: Readonly<Record<string, string>> = {
  ask: "what no rule allows or denies asks you",
  observe: "calls are recorded, and nothing is stopped yet. Remove `mode` from your configuration to begin",
  yolo: "nothing asks; what is denied stays denied",
};

/**
 * The last four lines of an installation: what is guarded, in which mode, how to answer, and how to undo it. Before
 * them, what of the project does not apply.
 */
export async function summaryLines(
  done: string,
  { clients, servers, project, observes }: Summarized,
): Promise<readonly string[]> {
  const hooked = clients.filter((client) => CLIENTS[client].hooks !== undefined);
  const guarded = [
    ...(hooked.length === 0 ? [] : [`the calls of ${hooked.join(", ")}`]),
    ...(servers.length === 0 ? [] : [`the servers ${visible(servers.join(", "))}`]),
  ];
  const read = await readProject({ cwd: project, folder: project }).catch(() => undefined);
  const mode = observes ? "observe" : read === undefined ? "invalid" : (read.policy.mode ?? "ask");
  const ignored = read === undefined ? undefined : ignoredNote(read.trust);
  const [only, ...more] = clients;
  return [
    ...(ignored === undefined ? [] : [ignored]),
    `${done} Guarded in ${visible(atHome(project))}: ${guarded.join("; ") || "nothing yet"}. Run \`toolkeep doctor\` to try it.`,
    mode === "invalid"
      ? "Mode: the configuration is invalid, so every call is blocked. Run `toolkeep config show`."
      : `Mode ${mode}${MODES[mode] === undefined ? "" : `: ${MODES[mode]}`}.`,
    "Answer where the client asks, or run `toolkeep approvals`. `toolkeep status` shows what waits.",
    `Undo with \`toolkeep uninstall ${only === undefined || more.length > 0 ? "CLIENT" : only}\`, which restores the files byte for byte.`,
  ];
}
