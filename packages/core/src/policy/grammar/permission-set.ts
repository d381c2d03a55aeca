import type { Rule } from "../../contract/policy/rule.ts";
import { expandBraces } from "../../file-names/text-pattern.ts";

const PERMISSION = /^[\w.:*@/-]{1,200}$/;
const MOST_PERMISSIONS = 32;

/** The permissions that `fs.{read,write}` stands for; `undefined` if it is none. */
export function permissionsOf(written: string): readonly string[] | undefined {
  const permissions = written.length > 400 ? undefined : expandBraces(written);
  if (permissions === undefined || permissions.length > MOST_PERMISSIONS) return undefined;
  return permissions.every((one) => PERMISSION.test(one)) ? [...new Set(permissions)] : undefined;
}

/** One rule for each permission of a set. Whatever else is wrong with a rule is said when it is compiled. */
export function rulesOfSet(rule: Rule): readonly Rule[] {
  if (typeof rule?.permission !== "string" || !rule.permission.includes("{")) return [rule];
  return permissionsOf(rule.permission)?.map((permission) => ({ ...rule, permission })) ?? [rule];
}
