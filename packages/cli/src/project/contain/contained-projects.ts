import { join } from "node:path";
import { containFolder } from "@toolkeep/node/internal";
import type { Project } from "../read-project.ts";
import { changeList, listed } from "./state-list.ts";

const projectList = () => ({ file: join(containFolder(), "projects.json"), key: "projects" });

/** Whether commands of a project that no rule knows run contained: its user chose so, or the administrator did. */
export async function isContaining({ root, config }: Pick<Project, "root" | "config">): Promise<boolean> {
  if (config.contain !== undefined) return config.contain === "require";
  return (await listed<string>(projectList())).includes(root);
}

/** Takes effect with the next command. */
export function setContaining(root: string, isOn: boolean): Promise<void> {
  return changeList<string>(projectList(), (projects) => {
    const others = projects.filter((one) => one !== root);
    return isOn ? [...others, root].toSorted() : others;
  });
}
