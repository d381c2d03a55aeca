import type { Rule } from "@toolkeep/core";
import { capabilitiesOf, type RegisteredTool, rulesFor } from "@toolkeep/core/internal";
import type { Person } from "@toolkeep/core/ports";
import { decisionOnTool } from "../../tools/listing/decision-on-tool.ts";
import { type ListingProject, offOf } from "../../tools/listing/off-of.ts";

/**
 * Which tools a person is shown: not those that the policy denies this person in every call. A tool that is not shown
 * can still be called by its name, and is denied with the reason.
 */
export function listedFor(project: ListingProject): (tool: RegisteredTool, person: Person) => boolean {
  const known = new WeakMap<Person, readonly Rule[]>();
  return ({ name, tool }, person) => {
    const rules = known.get(person) ?? rulesFor(person.principal, project.policy.rules);
    known.set(person, rules);
    const { remote } = tool;
    const names = remote === undefined ? [name] : [name, `mcp:${remote.serverId}:${remote.tool}`];
    const all = capabilitiesOf(tool.requires);
    // With other effects, the call of the server follows from them.
    const capabilities = all.length > 1 ? all.filter((one) => one !== "mcp.call") : all;
    const decision = decisionOnTool({ names, capabilities, isUngated: tool.gated === false }, rules);
    return offOf(names, decision, project).off === undefined;
  };
}
