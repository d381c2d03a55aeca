import { changeState, readState } from "@toolkeep/node/internal";
import type { Project } from "../read-project.ts";
import { containList } from "./state-list.ts";

const projectList = () => containList<string>("projects.json", "projects");

/** Whether commands of a project that no rule knows run contained: its user chose so, or the administrator did. */
export async function isContaining({ root, config }: Pick<Project, "root" | "config">): Promise<boolean> {
  if (config.contain !== undefined) return config.contain === "require";
  return (await readState(projectList())).includes(root);
}

/** Takes effect with the next command. */
export async function setContaining(root: string, isOn: boolean): Promise<void> {
  await changeState(projectList(), (projects) => {
    const others = projects.filter((one) => one !== root);
    return isOn ? [...others, root].toSorted() : others;
  });
}
