import { mkdirSync, mkdtempSync, realpathSync, symlinkSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { createProjectTrust, findSkills, type TrustRequest } from "@toolkeep/node";
import { trustStore } from "@toolkeep/node/internal";

interface Linked {
  /** By the name of a link, where it leads. */
  readonly links: Readonly<Record<string, string>>;
  readonly file: string;
  /** Put there instead of being changed. */
  readonly added?: string;
}

const LINKED: Readonly<Record<string, Linked>> = {
  "skills in another folder": { links: { ".toolkeep/skills": "../skills" }, file: "skills/s/SKILL.md" },
  "a skill that is added there": {
    links: { ".toolkeep/skills": "../skills" },
    file: "skills/s/SKILL.md",
    added: "skills/t/SKILL.md",
  },
  "a link behind a link": {
    links: { ".toolkeep/skills": "../one", one: "two" },
    file: "two/s/SKILL.md",
  },
  "one file": { links: { ".toolkeep/AGENTS.md": "../docs/agents.md" }, file: "docs/agents.md" },
  "the policy": { links: { "toolkeep.yaml": "conf/policy.yaml" }, file: "conf/policy.yaml" },
  "the servers": { links: { ".mcp.json": "conf/servers.json" }, file: "conf/servers.json" },
  "the whole folder": { links: { ".toolkeep": "conf" }, file: "conf/skills/s/SKILL.md" },
  "a link to itself": {
    links: { ".toolkeep/skills": "../skills", "skills/again": "." },
    file: "skills/a.md",
  },
};

/** What is asked about a trusted project when what its links lead to changes. */
export async function linkedThings(): Promise<Readonly<Record<string, readonly string[]>>> {
  const found: Record<string, readonly string[]> = {};
  for (const [name, linked] of Object.entries(LINKED)) found[name] = await askedAbout(linked);
  return found;
}

async function askedAbout({ links, file, added }: Linked): Promise<readonly string[]> {
  const base = realpathSync(mkdtempSync("/tmp/linked-"));
  const at = (name: string) => {
    mkdirSync(dirname(join(base, "project", name)), { recursive: true });
    return join(base, "project", name);
  };
  writeFileSync(at(file), "one");
  for (const [name, to] of Object.entries(links)) symlinkSync(to, at(name));
  const asked: string[] = [];
  const decide = ({ why, things }: TrustRequest) => {
    asked.push([why, ...things].join(" "));
    return "trust" as const;
  };
  const evaluate = () =>
    createProjectTrust({ store: trustStore(join(base, "trust.json")), decide }).of(join(base, "project"));
  await evaluate();
  await evaluate();
  writeFileSync(at(added ?? file), "two");
  await evaluate();
  return asked;
}

/** What a skill behind a link says when it is wanted, before and after it was changed in the same session. */
export async function linkedSkill(): Promise<readonly string[]> {
  const base = realpathSync(mkdtempSync("/tmp/linked-"));
  const project = join(base, "project");
  mkdirSync(join(project, "skills/s"), { recursive: true });
  mkdirSync(join(project, ".toolkeep"));
  const file = join(project, "skills/s/SKILL.md");
  const text = (body: string) => `---\nname: s\ndescription: Says a word.\n---\n${body}`;
  writeFileSync(file, text("good"));
  symlinkSync("../skills", join(project, ".toolkeep/skills"));
  const trust = createProjectTrust({ store: trustStore(join(base, "trust.json")), decide: () => "trust" });
  const skills = await findSkills({ project, trust, user: false });
  const before = await skills.load("s");
  writeFileSync(file, text("EVIL"));
  return [before, await skills.load("s")].map((said) => said?.trim() ?? "nothing");
}
