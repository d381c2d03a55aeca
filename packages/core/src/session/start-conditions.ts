import { type Approver, headlessApprover } from "../contract/approval/approval.ts";
import type { Variables } from "../contract/call/effect.ts";
import { isKnownVariable } from "../contract/call/variables.ts";
import { invalidOption, mapNamingAll, ToolkeepError } from "../contract/values/error.ts";
import { assertNoneCritical } from "../registry/critical-diagnostics.ts";
import { createRegistry, type Registry } from "../registry/registry.ts";
import type { SessionOptions, SessionPorts } from "./options.ts";
import { contextOf, type ParentContextParts, partsOf } from "./parent-context.ts";

/** The registry of a session, with the tools of its options. @throws ToolkeepError that names every mistake. */
export function registryOf({ registry: given, tools = [] }: SessionOptions, variables: Variables): Registry {
  const registry = given ?? createRegistry({ variables: Object.keys(variables) });
  const missing = registry.variables.find((name) => !isKnownVariable(name, Object.keys(variables)));
  if (missing !== undefined)
    throw invalidOption(
      `The registry declares {${missing}}. Give it to the session: \`variables: { ${missing}: [] }\`.`,
    );
  mapNamingAll(tools, (tool) => {
    const error = registry.register(tool);
    // A tool that a source registers is left out; a tool in the options is a mistake of the host application.
    if (error === undefined) return;
    const { subject, path, message } = error;
    throw new ToolkeepError("invalid_tool", `Tool ${JSON.stringify(subject)}, ${path || "/"}: ${message}`);
  });
  return registry;
}

/** Everything that keeps the session from starting is named at once: the policy, the manifest and the tools. */
export function contextAmong(options: SessionOptions & SessionPorts): ParentContextParts {
  const checkTools = (): unknown => assertNoneCritical(options.registry?.critical ?? []);
  const readContext = () => contextOf(options, approverOf(options));
  return mapNamingAll([checkTools, readContext], (step) => step())[1] as ParentContextParts;
}

/** A subagent asks the approver of its root. */
function approverOf({ approver: given, parent }: SessionOptions): Approver {
  if (parent !== undefined) return partsOf(parent).approver;
  if (given === undefined) return headlessApprover;
  return typeof given === "function" ? { approve: given } : given;
}
