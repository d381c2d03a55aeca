import { basename, extname } from "node:path";
import { closestName, visible } from "@toolkeep/core/internal";
import { allowCommand } from "../../project/policy-advice.ts";
import { CommandError, EXIT } from "../../terminal/command-error.ts";
import type { ClosedSource, ListedTool, ToolDecision, ToolList } from "./listed-tool.ts";
import { originText } from "./tool-lines.ts";

/** Everything that has a name: tools, and the sources whose tools are not known. */
export interface FoundTools {
  readonly tools: readonly ListedTool[];
  readonly sources: readonly ClosedSource[];
}

/** What a name stands for: a tool, a server, the address of one's tool, or a file of tools. @throws CommandError */
export function foundTools(name: string, { tools, sources }: ToolList): FoundTools {
  const address = /^mcp:([^:]+):/.exec(name)?.[1];
  const found = {
    tools: tools.filter((tool) => namesOf(tool).includes(name)),
    sources: sources.filter((source) => sourceNames(source).includes(address ?? name)),
  };
  if (found.tools.length > 0 || found.sources.length > 0) return found;
  // The beginning of a server's tool is the name of its server.
  const ofServer = sources.filter(
    ({ name: server, origin }) => origin.server !== undefined && name.startsWith(`${server}_`),
  );
  if (ofServer.length > 0) return { tools: [], sources: ofServer };
  const known = [...tools.flatMap(namesOf), ...sources.flatMap(sourceNames)];
  const near = closestName(name, known);
  throw new CommandError(`No tool, server or tool file here has the name ${JSON.stringify(name)}.`, {
    exit: EXIT.usage,
    hint:
      near === undefined
        ? "Run `toolkeep tools` to list them. Tools that an application registers itself are not known here."
        : `Did you mean ${visible(near)}?`,
  });
}

function namesOf({ name, origin: { server, tool } }: ListedTool): readonly string[] {
  return server === undefined ? [name] : [name, `mcp:${server}:${tool}`];
}

function sourceNames({ name, origin: { server, file = name } }: ClosedSource): readonly string[] {
  if (server !== undefined) return [name];
  return [name, basename(file), basename(file, extname(file))];
}

/** What is known of a name, for people. */
export function whyLines({ tools, sources }: FoundTools, { mode }: ToolList): readonly string[] {
  return [
    ...tools.flatMap((tool) => lines(tool, mode)),
    ...sources.flatMap(({ name, origin, state, why, fix }) => [
      `${visible(name)}  ${state}`,
      `  from      ${visible(originText(origin))}`,
      `  because   ${visible(why)}`,
      ...(fix === undefined ? [] : [`  do        ${visible(fix)}`]),
    ]),
  ];
}

function lines(tool: ListedTool, mode: ToolList["mode"]): readonly string[] {
  const { name, origin, effects, decision, off, shadows, shadowedBy } = tool;
  const fix = off?.fix ?? adviceFor(tool);
  return [
    `${visible(name)}  ${off === undefined ? "on" : "off"}`,
    `  from      ${visible(originText(origin))}`,
    ...(effects.length === 0 ? [] : [`  does      ${effects.join(", ")}`]),
    ...(off === undefined ? [] : [`  because   ${visible(off.why)}`]),
    ...(off === undefined ? [`  decision  ${decisionText(decision)}${modeText(decision, mode)}`] : []),
    ...shadows.map((one) => `  replaces  ${visible(originText(one))}`),
    ...(shadowedBy === undefined ? [] : [`  hidden by ${visible(originText(shadowedBy))}`]),
    ...(fix === undefined ? [] : [`  do        ${visible(fix)}`]),
  ];
}

function decisionText({ action, by, at }: ToolDecision): string {
  const place = at === undefined ? "" : ` (${visible(at)})`;
  const texts = {
    allow: `every call is allowed: ${visible(by)}${place}`,
    ask: `every call asks: ${visible(by)}${place}`,
    deny: `every call is denied: ${visible(by)}${place}`,
    depends: "depends on the arguments of the call",
  };
  return texts[action];
}

function modeText({ action }: ToolDecision, mode: ToolList["mode"]): string {
  const isOpen = mode === "observe" || (mode === "yolo" && action === "ask");
  return isOpen && action !== "allow" ? `; it runs all the same in the mode ${mode}` : "";
}

/** What to type about the decision on a tool that is on. */
function adviceFor({ origin: { server, tool }, decision: { action } }: ListedTool): string | undefined {
  if (action === "depends") return "Run `toolkeep policy explain` with a call to see the decision on it.";
  if (action === "ask" && server !== undefined && tool !== undefined)
    return `To allow it with any arguments, run \`${allowCommand({ action: "allow", permission: `mcp:${server}:${tool}` })}\`.`;
  return undefined;
}
