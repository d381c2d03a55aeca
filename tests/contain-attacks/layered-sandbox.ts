import type { ContainedOutcome, Sandbox, SandboxedCommand, SandboxProfile } from "@toolkeep/core/ports";
import { endPlace } from "../../packages/node/src/sandbox/contain/end-place.ts";

interface Layering {
  /** The state of places and layers. On the mount of the project. */
  readonly folder: string;
  /** Leaves what runs in the place. Default: it ends with each command. */
  readonly keepsPlace?: boolean;
  readonly contained?: Partial<Pick<NonNullable<SandboxProfile["contained"]>, "hosts" | "ports" | "through">>;
  onOutcome?(outcome: ContainedOutcome): void;
}

/**
 * Runs every command in a layer of its project, with a policy that objects to nothing. What is held is a complaint, as
 * what a sandbox without a layer takes away.
 */
export function layered(sandbox: Sandbox, { folder, keepsPlace, contained, onOutcome }: Layering): Sandbox {
  return {
    ...sandbox,
    async wrap(argv, profile): Promise<SandboxedCommand> {
      const project = profile.cwd;
      let seen: ContainedOutcome | undefined;
      const command = await sandbox.wrap(argv, {
        ...profile,
        contained: {
          ...{ folder, project, line: argv.join(" "), callId: "attack", hosts: [], ports: [], ...contained },
          evaluate: async (effects) => effects.map(() => undefined),
          onOutcome: (outcome) => {
            seen = outcome;
          },
        },
      });
      return {
        ...command,
        async done(end) {
          try {
            await command.done?.(end);
          } finally {
            if (keepsPlace !== true) await endPlace(folder, project);
            if (seen !== undefined) onOutcome?.(seen);
          }
          const { held = [], refused = [] } = seen ?? {};
          const said = [...held.map(({ path, why }) => `${path}: ${why}`), ...refused];
          if (said.length > 0) throw new Error(said.join("\n"));
        },
      };
    },
  };
}
