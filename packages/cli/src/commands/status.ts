import { existsSync } from "node:fs";
import { visible } from "@toolkeep/core/internal";
import { containFolder, projectPast } from "@toolkeep/node/internal";
import type { Command } from "commander";
import { byGateway } from "../approvals/pending-requests.ts";
import { brokenNote } from "../audit/evidence/verify-sessions.ts";
import { filterOf, isAsked } from "../audit/records/call-filter.ts";
import { latestCalls } from "../audit/records/logged-calls.ts";
import { heldText } from "../contain/past-lines.ts";
import { checkHooks } from "../install/doctor/check-hooks.ts";
import { checkPolicies } from "../install/doctor/check-policies.ts";
import { checkSwitches } from "../install/doctor/check-switches.ts";
import { checkClients } from "../install/doctor/examine.ts";
import type { Fact, Finding } from "../install/doctor/finding.ts";
import { checkManagedHooks, managedHooks } from "../install/doctor/managed-hooks.ts";
import { isContaining } from "../project/contain/contained-projects.ts";
import { activePause } from "../project/pause/pauses.ts";
import { projectFolder } from "../project/project-folder.ts";
import type { Project } from "../project/read-project.ts";
import { policyLines, policyOrder } from "../project/show/show-config.ts";
import { withStore } from "../project/store/with-store.ts";
import { EXIT } from "../terminal/command-error.ts";
import { commandsOf, type Done, optionsOf } from "../terminal/command-line.ts";
import { localTime } from "../terminal/local-time.ts";
import type { StyledLine } from "../terminal/styled-lines.ts";
import { type CommonOptions, openTerminal } from "../terminal/terminal.ts";

/** `toolkeep status`. */
export function add(program: Command, done: Done): void {
  commandsOf(program, done)("status", (command) => showStatus(optionsOf(command)));
}

/** What `doctor` looks at, without what takes time: no call is played, and no sandbox is probed. */
async function showStatus(options: CommonOptions & { readonly project?: string }): Promise<number> {
  const terminal = openTerminal(options);
  const folder = await projectFolder({ project: options.project, cwd: terminal.cwd });
  const checked = await checkPolicies(folder);
  const guarded = await guardedClients(folder);
  const { project } = checked;
  const ofProject: Partial<Awaited<ReturnType<typeof projectStatus>>> =
    project === undefined ? {} : await projectStatus(project, terminal.cwd);
  const findings = [...guarded.findings, ...checked.findings];
  const isGuarded = guarded.clients.length > 0 && findings.every(({ severity }) => severity !== "gap");
  const { clients, confined } = guarded;
  const status = { project: folder, isGuarded, clients, confined, ...ofProject, findings };
  terminal.show(status, statusLines(status, [...guarded.facts, ...checked.facts]));
  for (const id of status.broken ?? []) terminal.note(brokenNote(id));
  terminal.note("Run `toolkeep doctor` to play a test call through each hook and to probe the sandbox.");
  return EXIT.ok;
}

async function guardedClients(project: string) {
  // Hooks are looked at and not started.
  const unplayed = { project, isObserving: false, play: async () => undefined };
  const hooks = await checkHooks(unplayed);
  const managed = managedHooks();
  const ofManaged = await checkManagedHooks(managed, unplayed);
  const switches = await Promise.all(hooks.installed.map(({ client }) => checkSwitches(client, project)));
  const found = [...hooks.findings, ...ofManaged.findings, ...switches.flat()];
  const isWhole = (client: string) =>
    !found.some(({ about, severity }) => about === client && severity === "gap");
  const own = hooks.installed.map(({ client }) => client).filter(isWhole);
  const whole = managed.filter(({ client }) => isWhole(client));
  const confined = hooks.installed.filter(({ confines }) => confines === true).map(({ client }) => client);
  const inPlace = own.filter((client) => !hooks.facts.some(({ about }) => about === client));
  return {
    clients: [...new Set([...own, ...whole.map(({ client }) => client)])],
    confined,
    facts: [
      ...inPlace.map((about) => ({ about, text: "hooks in place" })),
      ...hooks.facts,
      ...whole.map(({ client: about, file }) => ({ about, text: `hooks in place for all users, ${file}` })),
      {
        about: "sandbox",
        text:
          confined.length === 0
            ? "not used: commands run with your rights"
            : `commands of ${confined.join(", ")} run in one`,
      },
    ],
    findings: [...found, ...(await checkClients(project, [...hooks.installed, ...managed]))],
  };
}

async function projectStatus(project: Project, cwd: string) {
  const { config, policy, trust, storeFolder } = project;
  const midnight = new Date().setHours(0, 0, 0, 0);
  const filter = { ...filterOf({}), since: midnight };
  const last = Number.POSITIVE_INFINITY;
  const broken = new Set<string>();
  const { waiting, calls } = existsSync(storeFolder)
    ? await withStore(cwd, async (store) => {
        const sessions = store.sessions();
        const { open } = byGateway(await store.waiting(), sessions);
        const calls = await latestCalls(store, { sessions, last, filter, onBroken: (id) => broken.add(id) });
        return { waiting: open.length, calls };
      })
    : { waiting: 0, calls: [] };
  const count = (words: readonly string[]) => calls.filter(({ decision }) => words.includes(decision)).length;
  const pause = await activePause(project);
  const { commands } = await projectPast(containFolder(), project.root);
  return {
    contain: await isContaining(project),
    held: commands.filter(({ held }) => held.length > 0).map(({ number }) => number),
    mode: policy.mode ?? "ask",
    policies: policyOrder(config, cwd),
    trust,
    ...(pause === undefined ? {} : { pausedUntil: new Date(pause.until).toISOString() }),
    waiting,
    broken: [...broken],
    today: {
      calls: calls.length,
      allowed: count(["allowed"]),
      asked: calls.filter(isAsked).length,
      denied: count(["denied", "refused"]),
    },
  };
}

interface Status extends Partial<Awaited<ReturnType<typeof projectStatus>>> {
  readonly project: string;
  readonly isGuarded: boolean;
  readonly confined: readonly string[];
  readonly findings: readonly Finding[];
}

function statusLines(
  { project, isGuarded, confined, policies = [], pausedUntil, waiting, today, findings, ...rest }: Status,
  facts: readonly Fact[],
): readonly StyledLine[] {
  const line = (about: string, text: string) => ({ text: `  ${about.padEnd(13)}${visible(text)}` });
  const paused = pausedUntil === undefined ? "not paused" : `until ${localTime(Date.parse(pausedUntil))}`;
  const { contain = false, held = [] } = rest;
  // Containment uses the sandbox: one line says what runs where.
  const isSandboxShown = !contain || confined.length > 0;
  const others = isSandboxShown ? "" : ", other commands run with your rights";
  const contained = contain ? `on: commands that match no rule run contained${others}.` : "off.";
  return [
    {
      text: `${visible(project)}: ${isGuarded ? "guarded" : "NOT GUARDED"}`,
      style: isGuarded ? "green" : "red",
    },
    ...facts
      .filter(({ about }) => about !== "sandbox" || isSandboxShown)
      .map(({ about, text }) => line(about, text)),
    ...(today === undefined
      ? []
      : [
          ...(contain || held.length > 0
            ? [line("containment", `${contained} ${heldText(held.length)}`.trim())]
            : []),
          line("pause", paused),
          line("approvals", waiting === 0 ? "nothing waits" : `${waiting} wait. Run \`toolkeep approvals\`.`),
          line(
            "today",
            `${today.calls} calls: ${today.allowed} allowed, ${today.asked} asked, ${today.denied} denied`,
          ),
        ]),
    ...policyLines(policies).map((text) => ({ text })),
    ...findings.flatMap(({ severity, about, message, fix }): readonly StyledLine[] => [
      { text: `${severity} ${about}: ${visible(message)}`, style: severity === "gap" ? "red" : "yellow" },
      { text: `  > ${visible(fix)}` },
    ]),
  ];
}
