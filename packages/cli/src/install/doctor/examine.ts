import { defined, joinCommand } from "@toolkeep/core/internal";
import { type HostReport, inspectHost } from "@toolkeep/node";
import type { InstallClientName } from "../../clients/install-client.ts";
import type { InstallRecord } from "../../clients/installed/install-record.ts";
import { readRemovedHooks } from "../../clients/installed/removed-hooks.ts";
import { type DroppedAnswer, droppedAnswers, TEST_CALL } from "../../hooks/decide/confine/dropped-answers.ts";
import { isContaining } from "../../project/contain/contained-projects.ts";
import type { Project } from "../../project/read-project.ts";
import type { TrustState } from "../../project/trust-state.ts";
import { VERSION } from "../../terminal/version.ts";
import { findClients } from "../init/found-clients.ts";
import { outsideGateway } from "../outside-gateway.ts";
import { userServerNotes } from "../user-servers.ts";
import { checkHooks } from "./check-hooks.ts";
import { checkLauncher } from "./check-launcher.ts";
import { checkPolicies } from "./check-policies.ts";
import { checkDecider, checkStore } from "./check-stores.ts";
import { checkSwitches, removedElsewhere } from "./check-switches.ts";
import { checkUndecided } from "./check-undecided.ts";
import { type Checked, type Fact, type Finding, NOTHING, part, together } from "./finding.ts";
import { checkManagedHooks, managedHooks } from "./managed-hooks.ts";
import type { playCall } from "./play-call.ts";

/** What `toolkeep doctor` has found in a project. */
export interface Examination {
  readonly project: string;
  readonly version: string;
  /** What the user trusts of the project; missing where its policy cannot be read. */
  readonly trust?: TrustState;
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
  /** Whether containment is proven though it is off. */
  readonly contain?: boolean | undefined;
}

/** Examines the set-up of a project. Changes nothing: the calls that are played are not recorded. */
export async function examine(
  project: string,
  { progress = () => {}, play, probe, contain }: ExamineOptions = {},
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
  const contained = await containedHere(policies.project, { contain, progress });
  const managed = managedHooks();
  const ofManaged = await checkManagedHooks(managed, { project, isObserving, ...playing });
  const checked = together([hooks, ofManaged, launcher, policies, store, decider, sandbox, contained]);
  const findings = [
    ...(await checkClients(project, [...hooks.installed, ...managed])),
    ...switches.flat(),
    ...(await checkDropped(hooks.installed)),
    ...(policies.project === undefined ? [] : await checkUndecided(hooks.installed, policies.project)),
    ...checked.findings,
    ...(await checkServers(project)),
    ...removedElsewhere(await readRemovedHooks(), project),
  ];
  return {
    ...{ project, version: VERSION, findings },
    ...defined({ trust: policies.project?.trust }),
    isLive: findings.every(({ severity }) => severity !== "gap"),
    facts: checked.facts,
  };
}

async function containedHere(
  project: Project | undefined,
  { contain, progress }: Pick<ExamineOptions, "contain"> & Required<Pick<ExamineOptions, "progress">>,
): Promise<Checked> {
  if (project === undefined || !(contain === true || (await isContaining(project)))) return NOTHING;
  progress("Proving containment in a project that is thrown away…");
  const { checkContainment } = await import("./check-containment.ts");
  return checkContainment(project.root);
}

/** Clients that are used here and have no hooks of ours. */
export async function checkClients(
  project: string,
  installed: readonly { readonly client: InstallClientName }[],
): Promise<readonly Finding[]> {
  const has = new Set(installed.map(({ client }) => client));
  const without = (await findClients(project)).filter(({ client }) => !has.has(client));
  const found = without.map(({ client, by, path }) => {
    const fix = joinCommand(["toolkeep", "init", client, "--project", project]);
    const { gap, note } = part(client);
    return by === "user"
      ? note("client_unguarded", `${path} is there, and Toolkeep is not installed for it here.`, fix)
      : gap("client_unguarded", `It is used here (${path}), and Toolkeep is not installed for it.`, fix);
  });
  if (installed.length > 0) return found;
  const message = `Toolkeep is not installed for any client in ${project}.`;
  const fix = joinCommand(["toolkeep", "init", "--project", project]);
  return [part("project").gap("not_installed", message, fix), ...found];
}

/** Clients that ran a command outside of the sandbox, though the hook had confined it, where it still confines. */
async function checkDropped(installed: readonly InstallRecord[]): Promise<readonly Finding[]> {
  const latest = new Map<string, DroppedAnswer>();
  for (const one of await droppedAnswers()) latest.set(one.client, one);
  return installed
    .filter(({ confines }) => confines === true)
    .flatMap(({ client }) => latest.get(client) ?? [])
    .map(({ client, at }) =>
      part(client).gap(
        "answer_dropped",
        at === 0
          ? "The record of answers that clients dropped cannot be read, so its commands ask."
          : `It ran a command outside of the sandbox, though the hook had confined it (${new Date(at).toISOString()}). Its commands ask since then.`,
        `Update the client, and let it run \`${TEST_CALL}\`: if that runs in the sandbox, commands are confined again.`,
      ),
    );
}

type SandboxProbe = () => Promise<Pick<HostReport, "isolation" | "sandboxes" | "advice">>;

/** Probes the sandboxes of this machine: commands in them try to break out. */
async function checkSandbox(
  installed: readonly Pick<InstallRecord, "client" | "confines">[],
  probe: SandboxProbe = inspectHost,
): Promise<Checked> {
  const { isolation, sandboxes, advice } = await probe();
  const best = sandboxes.find((one) => one.isolation === isolation);
  const { is, gap, note } = part("sandbox", "administrator");
  if (isolation === "files-and-network") return is(`${best?.name ?? ""}: proven for files and network`);
  const confined = installed.filter(({ confines }) => confines === true).map(({ client }) => client);
  const why = sandboxes.find(({ error }) => error !== undefined)?.error ?? "a probe broke out of it";
  const text = isolation === "none" ? "none works here" : `${best?.name}: proven for files only`;
  if (confined.length === 0)
    return is(text, note("sandbox_dead", `No sandbox works here: ${why}. Commands run without one.`, advice));
  const message = `The commands of ${confined.join(", ")} are to run in a sandbox, and none works here: ${why}.`;
  return is(text, gap("sandbox_dead", message, advice));
}

/** Servers that a client starts without the gateway. Starts none. */
async function checkServers(project: string): Promise<readonly Finding[]> {
  const { gap, note } = part("servers");
  const outside = (await outsideGateway(project)).map((text) => {
    const [, message = text, fix = "toolkeep servers"] = /^(.*) Run `([^`]+)` again\.$/.exec(text) ?? [];
    return gap("server_outside", message, fix);
  });
  const ofUser = (await userServerNotes(project)).map((text) => {
    const [, message = text, fix = ""] = /^(.*?\.) (For a project alone, .*)$/.exec(text) ?? [];
    return note("server_of_user", message, fix);
  });
  return [...outside, ...ofUser];
}
