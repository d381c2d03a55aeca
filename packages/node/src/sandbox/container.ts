import { ToolFailure, ToolkeepError } from "@toolkeep/core";
import type { Sandbox } from "@toolkeep/core/ports";
import { containerArgs } from "./container-args.ts";
import { findProgram } from "./find-program.ts";
import { checkedLimits, type Limits } from "./limits.ts";
import { mountPlan } from "./mount-plan.ts";
import { planWithOpenMount } from "./open-mounts.ts";
import { carriedEnvironment } from "./private-environment.ts";
import { type SandboxUser, sandboxUser } from "./sandbox-user.ts";
import { startingShell } from "./starting-shell.ts";
import { surveyProfile } from "./survey.ts";
import { type ProtectionOptions, watchProtected } from "./watch-protected.ts";

export interface ContainerOptions {
  readonly engine: "docker" | "podman";
  /** The image that commands run in, best by its digest. It must be there: nothing is pulled. */
  readonly image: string;
  readonly limits?: Limits;
  /** Whom commands run as; whoever we are where it is left out, unless that is root. */
  readonly runAs?: SandboxUser;
  readonly protection?: ProtectionOptions;
}

/**
 * Walls by a container for each command, with `docker` or `podman`. Only its words were tested, never a daemon:
 * its grade is `none` until `openSandbox` has tried it here.
 */
export function container(options: ContainerOptions): Sandbox {
  const limits = checkedLimits(options.limits);
  const { protection = {} } = options;
  if (!/^[\w][\w./:@-]*$/.test(options.image))
    throw new ToolkeepError("invalid_option", "`image` is the name of an image.");
  return Object.freeze({
    name: `container (${options.engine})`,
    isolation: "none",
    async wrap(argv, profile) {
      if (profile.hosts !== "any" && profile.hosts.length > 0)
        throw new ToolFailure(
          "unavailable",
          "A container reaches all hosts or none; `sandboxRuntime` filters by host.",
        );
      return planWithOpenMount(profile, async (openMount) => {
        const engine = await findProgram(options.engine);
        if (engine === undefined)
          throw new ToolFailure("unavailable", `\`${options.engine}\` is not installed.`);
        const before = await surveyProfile(profile, protection.mostFolders);
        const user = options.runAs ?? sandboxUser(profile, undefined) ?? ourselves();
        const { builder, script } = carriedEnvironment(profile.environment);
        const prefix = startingShell("/bin/sh", [{ script, words: [] }]);
        const mounts = mountPlan(profile, before);
        const words = containerArgs({
          ...{ ...options, limits, profile, user, mounts },
          carried: Object.keys(builder),
        });
        return {
          argv: [engine, ...words, ...prefix, ...argv],
          environment: { ...builder, PATH: "/usr/bin:/bin" },
          cwd: "/",
          done: watchProtected({ profile, before, protection, openMount }),
        };
      });
    },
  } satisfies Sandbox);
}

function ourselves(): SandboxUser {
  return { uid: process.getuid?.() ?? 65_534, gid: process.getgid?.() ?? 65_534 };
}
