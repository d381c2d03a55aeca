import { visible } from "@toolkeep/core/internal";
import { withStore } from "../project/store/with-store.ts";
import { type ExitCode, usageError } from "../terminal/command-error.ts";
import { type CommonOptions, openTerminal, type Terminal } from "../terminal/terminal.ts";
import { unsignedUser } from "../terminal/user-name.ts";
import { byGateway } from "./pending-requests.ts";

export interface OpenInboxOptions extends CommonOptions {
  readonly watch?: boolean;
  readonly ended?: boolean;
}

/**
 * Lets the user answer the pending requests in this terminal. Undefined where there is no terminal, or nothing waits
 * and `watch` is not set: then they are listed.
 * @throws CommandError for `watch` without a terminal.
 */
export async function openInbox(options: OpenInboxOptions): Promise<ExitCode | undefined> {
  const terminal = openTerminal(options);
  const { watch = false, ended: withEnded = false } = options;
  if (!canAsk(terminal)) {
    if (!watch) return undefined;
    throw usageError(
      "`toolkeep approvals --watch` needs an interactive terminal.",
      "Run `toolkeep approvals list` to list what is pending now.",
    );
  }
  const outcome = await withStore(terminal.cwd, async (store) => {
    const list = async () => {
      const { open, ended } = byGateway(await store.waiting(), store.sessions());
      return withEnded ? [...open, ...ended] : open;
    };
    if (!watch && (await list()).length === 0) return undefined;
    const { runInbox } = await import("./run-inbox.ts");
    return runInbox(store, { watch, by: unsignedUser(), list });
  });
  if (outcome === undefined) return undefined;
  const { answers, exit } = outcome;
  terminal.show(
    answers,
    answers.map(({ id, answer }) => `${visible(id)} ${"verdict" in answer ? answer.verdict : "answered"}`),
  );
  return exit;
}

function canAsk({ isInteractive, json, isQuiet }: Terminal): boolean {
  const isCi = !["", "0", "false"].includes(process.env["CI"] ?? "");
  return isInteractive && process.stdout.isTTY === true && !json && !isQuiet && !isCi;
}
