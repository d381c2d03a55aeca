import { readdirSync, readFileSync } from "node:fs";
import { homedir } from "node:os";
import { join } from "node:path";
import type { Rule } from "@toolkeep/core";
import { splitCommand } from "@toolkeep/core/internal";
import { parsePolicy } from "@toolkeep/policy";
import { addRule } from "@toolkeep/policy/internal";
import { afterAll, beforeAll, expect, test } from "vitest";
import { questionOf } from "../../packages/cli/src/hooks/decide/verdict/hook-question.ts";
import { explainedCall } from "../../packages/cli/src/policy/explained-call.ts";
import { type Project, readProject } from "../../packages/cli/src/project/read-project.ts";
import { ruleLine } from "../../packages/cli/src/project/rule-line.ts";
import { inHome } from "../day/hook/shop.ts";
import { DAYS, stepsOf } from "../day/unseen/days.ts";
import { openProjects, type Projects } from "../day/unseen/open-projects.ts";

let projects: Projects;
beforeAll(async () => {
  projects = await openProjects(DAYS, []);
});
afterAll(() => projects.remove());

/** The rules that a text tells the user to add. */
function offeredIn(text: string): readonly Rule[] {
  const commands = Array.from(
    text.matchAll(/toolkeep allow ((?:'[^']*'|\\'|[^\s`'])+)/g),
    ([, typed = ""]) => typed,
  );
  return commands.flatMap((typed) => {
    const text = addRule(undefined, ruleLine(splitCommand(typed)[0] ?? ""));
    const parsed = parsePolicy(text, { file: "policy.yaml", scope: "manifest", home: homedir() });
    if (parsed.ownRules.length !== 1) throw new Error(`\`toolkeep allow ${typed}\` is not a rule.`);
    return parsed.ownRules.map(({ rule }) => rule);
  });
}

interface Tried {
  readonly offered: number;
  /** Calls that still ask after every rule that was offered for them. */
  readonly unchanged: readonly string[];
}

async function tryOffers(
  commands: readonly string[],
  project: Project,
  offer: typeof questionOf = questionOf,
): Promise<Tried> {
  const unchanged: string[] = [];
  let offered = 0;
  for (const command of commands) {
    const decided = async (rules: readonly Rule[]) => {
      const policy = { ...project.policy, rules: [...(project.policy.rules ?? []), ...rules] };
      const setting = { project: { ...project, policy }, cwd: project.root, isSandboxed: false };
      return explainedCall({ tool: "bash", arguments: { command } }, setting);
    };
    const asks = (await decided([])).flatMap(({ explained: { explanation } }) =>
      explanation?.decision.action === "ask" ? [explanation] : [],
    );
    const rules = asks.flatMap((one) => offeredIn(offer(one, project)));
    if (rules.length === 0) continue;
    offered += 1;
    const after = await decided(rules);
    if (after.some(({ explained: { explanation } }) => explanation?.decision.action !== "allow"))
      unchanged.push(command);
  }
  return { offered, unchanged };
}

function commandsOf(day: string): readonly string[] {
  return stepsOf(day).flatMap(({ call: { input } }) =>
    typeof input["command"] === "string" ? [input["command"]] : [],
  );
}

test.each([
  ["kubectl get pods --frob", "kubectl get pods --frob"],
  ["kubectl get pods; kubectl apply -f pod.yaml", "kubectl apply -f pod.yaml"],
  ["kubectl delete pod api", "kubectl delete pod api"],
  ["go env -w GOFLAGS=-toolexec=planted", "go env -w GOFLAGS=-toolexec=planted"],
  ["shopctl list --all", "shopctl list --all"],
  ["bash deploy.sh now", "bash deploy.sh now"],
])("for %j, the rule %j is offered", async (command, pattern) => {
  const shop = projects.of("operations");
  await inHome(shop, async () => {
    const project = await readProject({ cwd: shop.project });
    const setting = { project, cwd: project.root, isSandboxed: false };
    const [part] = await explainedCall({ tool: "bash", arguments: { command } }, setting);
    if (part?.explained.explanation === undefined) throw new Error("The call cannot be explained.");
    const text = questionOf(part.explained.explanation, project);
    expect(offeredIn(text)[0]).toMatchObject({ permission: "shell.run", pattern });
    expect(text).not.toMatch(/^No policy rule matches/);
  });
});

test.each([
  [
    "shopctl list",
    "Toolkeep does not know the program `shopctl`: `toolkeep catalog show kubectl` shows how one is described.",
  ],
  ["./shopctl list", "Toolkeep does not know the program `./shopctl`."],
  ["nl --frob a", "Toolkeep does not know whether `nl` with these arguments changes anything."],
])("for %j, the reason says what is not known", async (command, words) => {
  const shop = projects.of("operations");
  await inHome(shop, async () => {
    const project = await readProject({ cwd: shop.project });
    const setting = { project, cwd: project.root, isSandboxed: false };
    const [part] = await explainedCall({ tool: "bash", arguments: { command } }, setting);
    expect(part?.explained.explanation?.decision.reason).toContain(words);
  });
});

test.each(DAYS)("on the day %s, every rule that is offered changes the decision", async (day) => {
  const shop = projects.of(day);
  await inHome(shop, async () => {
    const project = await readProject({ cwd: shop.project });
    for (const isTrusted of [true, false]) {
      const { offered, unchanged } = await tryOffers(commandsOf(day), { ...project, isTrusted });
      expect(unchanged).toEqual([]);
      expect(offered).toBeGreaterThan(0);
    }
  });
});

test("a rule that is offered and changes nothing is found", async () => {
  const shop = projects.of("go");
  await inHome(shop, async () => {
    const project = await readProject({ cwd: shop.project });
    const { unchanged } = await tryOffers(
      ["shopctl list"],
      project,
      () => "Run `toolkeep allow 'go mod *'`.",
    );
    expect(unchanged).toEqual(["shopctl list"]);
  });
});

/** Every so many commands of the attack corpus; all of them with `TOOLKEEP_RUNS`. */
const EVERY = process.env["TOOLKEEP_RUNS"] === undefined ? 10 : 1;

const ATTACKS = join(import.meta.dirname, "..", "attacks");

function attackCommands(): readonly string[] {
  const files = readdirSync(ATTACKS).filter((name) => name.endsWith(".jsonl"));
  const records = files.flatMap((name) => readFileSync(join(ATTACKS, name), "utf8").trim().split("\n"));
  const commands = records.flatMap((line) => {
    const { input, calls = [] } = JSON.parse(line);
    return [input?.command, ...calls].filter((one) => typeof one === "string");
  });
  return [...new Set(commands)];
}

test("on the attack corpus, every rule that is offered changes the decision", async () => {
  const shop = projects.of("packages");
  await inHome(shop, async () => {
    const project = await readProject({ cwd: shop.project });
    const { offered, unchanged } = await tryOffers(
      attackCommands().filter((_, index) => index % EVERY === 0),
      project,
    );
    expect(unchanged).toEqual([]);
    expect(offered).toBeGreaterThan(0);
  });
});
