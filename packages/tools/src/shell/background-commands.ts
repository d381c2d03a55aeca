import { ToolFailure } from "@toolkeep/core";
import type { RunningCommand } from "@toolkeep/core/ports";
import { BackgroundCommand } from "./background-command.ts";

const MOST_RUNNING = 8;
const MOST_OVER = 32;

/** The background commands of sessions. Close it together with the tools that use it. */
export class BackgroundCommands {
  readonly #commands = new Map<string, BackgroundCommand>();
  #starting = 0;

  /** @throws ToolFailure `unavailable` if too many commands run; nothing is started then. */
  async start(sessionId: string, start: () => Promise<RunningCommand>): Promise<BackgroundCommand> {
    const running = this.#of(sessionId).filter(({ outcome }) => outcome === undefined);
    if (running.length + this.#starting >= MOST_RUNNING)
      throw new ToolFailure("unavailable", `${MOST_RUNNING} commands already run in the background.`, {
        hint: `Stop one of them first: ${idsOf(running)}.`,
      });
    this.#starting += 1;
    try {
      const command = new BackgroundCommand(sessionId, await start());
      this.#commands.set(command.id, command);
      this.#forgetOldest(sessionId);
      return command;
    } finally {
      this.#starting -= 1;
    }
  }

  /** @throws ToolFailure `not_found` for a command that this session did not start, or not since it was opened. */
  find(sessionId: string, id: string): BackgroundCommand {
    const found = this.#commands.get(id);
    if (found?.sessionId === sessionId) return found;
    const ids = idsOf(this.#of(sessionId));
    throw new ToolFailure("not_found", `There is no background command ${JSON.stringify(id)}.`, {
      hint: ids === "" ? "No command was started since the session was opened." : `Running: ${ids}.`,
    });
  }

  /** Kills the commands of all sessions and forgets them. May be called again. */
  async close(): Promise<void> {
    const all = [...this.#commands.values()];
    this.#commands.clear();
    await Promise.allSettled(all.map((command) => command.stop()));
  }

  #of(sessionId: string): readonly BackgroundCommand[] {
    return [...this.#commands.values()].filter((command) => command.sessionId === sessionId);
  }

  #forgetOldest(sessionId: string): void {
    const over = this.#of(sessionId).filter(({ outcome }) => outcome !== undefined);
    for (const { id } of over.slice(0, Math.max(0, over.length - MOST_OVER))) this.#commands.delete(id);
  }
}

function idsOf(commands: readonly BackgroundCommand[]): string {
  return commands.map(({ id }) => id).join(", ");
}
