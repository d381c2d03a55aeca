import { readRemovedHooks } from "../../clients/installed/removed-hooks.ts";
import { VERSION } from "../../terminal/version.ts";
import { checkClients } from "./check-clients.ts";
import { checkDropped } from "./check-dropped.ts";
import { checkHooks } from "./check-hooks.ts";
import { checkLauncher } from "./check-launcher.ts";
import { checkPolicies } from "./check-policies.ts";
import { checkSandbox, type SandboxProbe } from "./check-sandbox.ts";
import { checkServers } from "./check-servers.ts";
import { checkDecider, checkStore } from "./check-stores.ts";
import { checkSwitches, removedElsewhere } from "./check-switches.ts";
import { checkUndecided } from "./check-undecided.ts";
import type { Fact, Finding } from "./finding.ts";
import { checkManagedHooks, managedHooks } from "./managed-hooks.ts";
import type { playCall } from "./play-call.ts";

/** What `toolkeep doctor` has found in a project. */
export interface Examination {
  readonly project: string;
  readonly version: string;
  /** Whether nothing was found that does not guard. */
  readonly isLive: boolean;
  readonly facts: readonly Fact[];
  readonly findings: readonly Finding[];
}

export interface ExamineOptions {
  /** Called before what takes time. */
  progress?(text: string): void;
  /** Default: `playCall`. */
  readonly play?: typeof playCall;
  /** Default: `doctor`. */
  readonly probe?: SandboxProbe;
}

/** Examines the set-up of a project. Changes nothing but the audit log, which gets the calls that are played. */
export async function examine(
  project: string,
  { progress = () => {}, play, probe }: ExamineOptions = {},
): Promise<Examination> {
  const policies = await checkPolicies(project);
  const isObserving = policies.project?.policy.mode === "observe";
  const playing = {
    ...(play === undefined ? {} : { play }),
    progress: (client: string) => progress(`Playing a forbidden call through the hook of ${client}…`),
  };
  const hooks = await checkHooks({ project, isObserving, ...playing });
  const switches = await Promise.all(hooks.installed.map(({ client }) => checkSwitches(client, project)));
  const launcher = await checkLauncher(hooks.installed);
  const store = policies.project === undefined ? NOTHING : await checkStore(policies.project.storeFolder);
  const decider = await checkDecider();
  progress("Probing the sandbox…");
  const sandbox = await checkSandbox(hooks.installed, probe);
  const managed = managedHooks();
  const ofManaged = await checkManagedHooks(managed, { project, isObserving, ...playing });
  const checked = [hooks, ofManaged, launcher, policies, store, decider, sandbox];
  const findings = [
    ...(await checkClients(project, [...hooks.installed, ...managed])),
    ...switches.flat(),
    ...(await checkDropped(hooks.installed)),
    ...(policies.project === undefined ? [] : await checkUndecided(hooks.installed, policies.project)),
    ...checked.flatMap((one) => one.findings),
    ...(await checkServers(project)),
    ...removedElsewhere(await readRemovedHooks(), project),
  ];
  return {
    ...{ project, version: VERSION, findings },
    isLive: findings.every(({ severity }) => severity !== "gap"),
    facts: checked.flatMap((one) => one.facts),
  };
}

const NOTHING = { facts: [], findings: [] };
