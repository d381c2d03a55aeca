import { randomUUID } from "node:crypto";

/** A schema that no other test has. */
export function newSchema(): string {
  return `t_${randomUUID().replaceAll("-", "").slice(0, 20)}`;
}
