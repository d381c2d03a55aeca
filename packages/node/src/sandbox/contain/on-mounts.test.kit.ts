import { spawnSync } from "node:child_process";
import { mkdirSync } from "node:fs";
import { join } from "node:path";
import { containedProject } from "./contained-project.test.kit.ts";
import { whyNoLayer } from "./layer/open-layer.ts";

/*
 * Tries containment on file systems that are mounted for it. Only ever started in a mount namespace of its own, with an
 * empty folder; prints what became of each as JSON.
 */

const [base = ""] = process.argv.slice(2);
const folder = (name: string) => {
  mkdirSync(join(base, name), { recursive: true });
  return join(base, name);
};

function mount(type: string, name: string, options: string): string {
  const at = folder(name);
  const { status, stderr } = spawnSync("mount", ["-t", type, "-o", options, type, at], { encoding: "utf8" });
  if (status !== 0) throw new Error(stderr);
  spawnSync("chmod", ["1777", at]);
  return at;
}

async function ranOn(beneath: string, line: string, before: (project: string) => void = () => {}) {
  const project = containedProject({ beneath });
  try {
    project.write("a", "one\n");
    before(project.project);
    const { exitCode, output, complaint, outcome } = await project.run(line);
    const { kept, held } = outcome;
    const why = whyNoLayer(project.folder, project.project)?.replace(project.project, "PROJECT");
    return { exitCode, output, complaint, kept, held, files: project.bare("ls; cat a"), why };
  } finally {
    spawnSync("umount", [join(project.project, "in")]);
    await project.remove();
  }
}

const tmpfs = mount("tmpfs", "tmpfs", "size=64m");
const layers = ["lower", "upper", "work"].map((name) => `${name}dir=${folder(`tmpfs/${name}`)}`).join(",");
const overlay = mount("overlay", "overlay", `userxattr,${layers}`);
const small = mount("tmpfs", "small", "size=6m");
console.log(
  JSON.stringify({
    tmpfs: await ranOn(tmpfs, 'echo two > a; rm -rf d; mkdir d; perl -e \'rename("d", "e") or die $!\''),
    overlay: await ranOn(overlay, "echo two > a"),
    small: await ranOn(small, "head -c 20000000 /dev/zero > big; echo $?; rm big; echo two > a"),
    inner: await ranOn(
      tmpfs,
      "echo two > a",
      (project) => void mount("tmpfs", `${project.slice(base.length)}/in`, "size=1m"),
    ),
  }),
);
