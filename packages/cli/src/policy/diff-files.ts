import { visible } from "@toolkeep/core/internal";
import { type NamedFile, policyFiles } from "../project/policy-files.ts";
import { withStore } from "../project/store/with-store.ts";
import { EXIT } from "../terminal/command-error.ts";
import { counted } from "../terminal/counted.ts";
import type { Terminal } from "../terminal/terminal.ts";
import {
  type CallDifference,
  comparedExamples,
  comparedFiles,
  comparedSessions,
  comparedTrial,
  type FileDifferences,
  validFile,
} from "./compared-files.ts";
import { recordedSessions } from "./recorded-sessions.ts";

export interface DiffOptions {
  readonly before: string;
  readonly after: string;
  /** Whether the calls of recorded sessions are compared. */
  readonly sessions?: boolean;
  readonly store?: string | undefined;
  /** Whether a difference fails. */
  readonly exitCode?: boolean;
}

/** Shows what two policy files say and decide differently. */
export async function diffFiles(options: DiffOptions, terminal: Terminal): Promise<number> {
  const [before, after] = (await policyFiles([options.before, options.after], terminal)) as [
    NamedFile,
    NamedFile,
  ];
  const [one, other] = [validFile(before), validFile(after)];
  const differences = comparedFiles(one, other);
  const decisions = await comparedExamples(one, other);
  const recorded =
    options.sessions === true ? await overSessions(before, after, options, terminal) : undefined;
  terminal.show({ ...differences, decisions, ...(recorded === undefined ? {} : { sessions: recorded }) }, [
    ...fileLines(differences),
    ...(decisions.length === 0
      ? ["Tests and examples: decided the same."]
      : ["Tests and examples that are decided differently:", ...decisions.flatMap(decisionLines)]),
    ...(recorded === undefined
      ? []
      : [
          `Recorded: ${recorded.differences.length} of ${counted(recorded.calls, "call")} in ${counted(recorded.count, "session")} are decided differently.`,
          ...grouped(recorded.differences).flatMap(decisionLines),
          ...trialLines(recorded),
        ]),
  ]);
  const isDifferent = decisions.length > 0 || (recorded?.differences.length ?? 0) > 0;
  return options.exitCode === true && isDifferent ? EXIT.failure : EXIT.ok;
}

async function overSessions(
  before: NamedFile,
  after: NamedFile,
  { store: folder }: DiffOptions,
  terminal: Terminal,
) {
  return withStore(
    terminal.cwd,
    async (store) => {
      const { sessions, skipped } = await recordedSessions(store, terminal);
      const differences = await comparedSessions(before, after, sessions);
      const calls = sessions.reduce((sum, one) => sum + one.calls.length, 0);
      const trial = (validFile(after).definition?.shadow ?? []).length > 0;
      return {
        ...{ count: sessions.length, calls, skipped, differences },
        ...(trial ? { shadow: await comparedTrial(after, sessions) } : {}),
      };
    },
    folder,
  );
}

function fileLines({ settings, added, removed }: FileDifferences): readonly string[] {
  const lines = [
    ...settings.map(({ name, before, after }) => `~ ${name}: ${visible(before)} -> ${visible(after)}`),
    ...removed.map((line) => `- ${visible(line)}`),
    ...added.map((line) => `+ ${visible(line)}`),
  ];
  return lines.length === 0 ? ["The rules and settings are the same."] : lines;
}

/** What rules on trial would change. It is no difference between the files. */
function trialLines({
  shadow,
  calls,
}: {
  shadow?: readonly CallDifference[];
  calls: number;
}): readonly string[] {
  if (shadow === undefined) return [];
  return [
    `On trial (\`shadow\`): ${shadow.length} of ${counted(calls, "call")} would be decided differently.`,
    ...grouped(shadow).flatMap(decisionLines),
  ];
}

function decisionLines({ call, before, after, by }: CallDifference): readonly string[] {
  return [`  ${before} -> ${after}  ${visible(call)}`, `    by ${visible(by)}`];
}

/** The same call of several sessions once, with the number of times. */
function grouped(differences: readonly CallDifference[]): readonly CallDifference[] {
  const groups = Map.groupBy(differences, ({ call, before, after }) => JSON.stringify([call, before, after]));
  return [...groups.values()].flatMap(([first, ...more]) =>
    first === undefined
      ? []
      : [more.length === 0 ? first : { ...first, call: `${more.length + 1} x ${first.call}` }],
  );
}
