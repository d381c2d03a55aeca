import type { Repository } from "./open-repositories.ts";

/** How a command ended. */
export interface Ended {
  readonly exitCode: number | null;
  readonly output: string;
  readonly milliseconds: number;
}

/** A command that behaves differently in the sandbox. */
export interface Difference {
  readonly repository: string;
  readonly command: string;
  readonly inside: Pick<Ended, "exitCode" | "output">;
  readonly outside: Pick<Ended, "exitCode" | "output">;
  /** Why that is as it should be. */
  readonly explained?: string;
}

/** Which commands differ, and why they should. */
const EXPLAINED: readonly { readonly command: RegExp; readonly because: string }[] = [];

export function differenceOf(
  command: string,
  repository: Repository,
  { inside, outside }: { readonly inside: Ended; readonly outside: Ended },
): Difference | undefined {
  const one = { exitCode: inside.exitCode, output: settled(inside.output, repository) };
  const other = { exitCode: outside.exitCode, output: settled(outside.output, repository) };
  if (one.exitCode === other.exitCode && one.output === other.output) return undefined;
  const explained = EXPLAINED.find((entry) => entry.command.test(command))?.because;
  return {
    ...{ repository: repository.name, command, inside: one, outside: other },
    ...(explained === undefined ? {} : { explained }),
  };
}

/** Without what differs from one run to the next. */
function settled(output: string, { inside, outside }: Repository): string {
  return output
    .replaceAll(inside, "{project}")
    .replaceAll(outside, "{project}")
    .replaceAll(/\b[0-9a-f]{7,40}\b/g, "{hash}")
    .replaceAll(/\b\d+(?:\.\d+)? ?m?s\b/g, "{time}")
    .trimEnd();
}
