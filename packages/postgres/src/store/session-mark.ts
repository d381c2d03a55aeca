import { hash } from "node:crypto";

/** Stands for a session in notifications, whose length is limited. */
export function markOf(name: string): string {
  return hash("sha256", name).slice(0, 40);
}
