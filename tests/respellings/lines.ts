import operations from "../catalog/operations.json" with { type: "json" };
import { MACHINE_THINGS } from "../day/dangerous/things-machine.ts";
import { NEAR_THINGS } from "../day/dangerous/things-near.ts";
import { WORLD_THINGS } from "../day/dangerous/things-world.ts";
import { COMMAND_PAYLOADS } from "../day/hook/payloads-commands.ts";
import type { ClientCall } from "../day/step.ts";
import { MORE_DAYS, stepsOf } from "../day/unseen/days.ts";
import { recordedLines } from "../wrappers/lines.ts";

/** Every command line of the days, of the dangerous things, of the commands of operations and of the attack corpus. */
export function allLines(): readonly string[] {
  const calls = [...MORE_DAYS.flatMap(stepsOf), ...MACHINE_THINGS, ...NEAR_THINGS, ...WORLD_THINGS];
  const { reads, changes, destructions } = operations;
  return [
    ...new Set(
      [
        ...recordedLines(),
        ...[...calls, ...COMMAND_PAYLOADS].flatMap(({ call }) => lineOf(call)),
        ...[...reads, ...changes, ...destructions].flat(),
      ].map((line) => line.replaceAll("{project}", ".").replaceAll("{home}", "~")),
    ),
  ];
}

function lineOf({ tool, input }: ClientCall): readonly string[] {
  return tool === "Bash" ? [String(input["command"])] : [];
}
