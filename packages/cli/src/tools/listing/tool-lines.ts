import { defined, visible } from "@toolkeep/core/internal";
import { atHome } from "../../terminal/at-home.ts";
import type { ClosedSource, ListedTool, ToolList, ToolOrigin } from "./listed-tool.ts";

const WIDEST_NAME = 28;

/** All tools for people: by origin, what they may do, what the rules say, and at the end what is off. */
export function toolLines({ tools, sources, mode, discoveryRules }: ToolList): readonly string[] {
  const on = tools.filter(({ off }) => off === undefined);
  const width = Math.min(WIDEST_NAME, Math.max(...on.map(({ name }) => name.length)));
  const groups = Map.groupBy(on, ({ origin }) => groupName(origin));
  return [
    ...[...groups].flatMap(([name, some]) => [name, ...some.map((tool) => toolLine(tool, width))]),
    ...offLines(tools, sources),
    ...discoveryLines(discoveryRules),
    ...(mode === "ask" ? [] : [MODES[mode]]),
  ];
}

const MODES = {
  observe: "The mode is observe: what would ask or be denied is recorded, and runs.",
  yolo: "The mode is yolo: what would ask runs.",
  allowlist: "The mode is allowlist: what is on the list of the policy runs without asking.",
} as const;

function discoveryLines(rules: ToolList["discoveryRules"]): readonly string[] {
  const { folders, extensions, skipped, limits } = rules;
  const beginnings = skipped.beginnings.map((one) => `${one}*`);
  const endings = skipped.endings.map((one) => `*${one}.*`);
  return [
    "Where tool files are looked for",
    ...folders.map(({ folder, loaded }) => `  ${visible(atHome(folder))}, ${loaded}`),
    `  Names end in ${extensions.join(", ")}. Names like ${[...beginnings, ...endings].join(", ")} are skipped.`,
    `  At most ${limits.files} files in a folder, each up to ${limits.bytes} bytes.`,
  ];
}

function groupName({ layer, source, server, file }: ToolOrigin): string {
  if (layer === "bundled") return "Standard tools";
  if (source === "mcp")
    return visible(`${layer === "user" ? "Your server" : "Server"} ${server} (${atHome(file ?? "")})`);
  return layer === "user" ? "Your tools" : "Tools of the project";
}

function toolLine(tool: ListedTool, width: number): string {
  const { name, effects, decision, shadows } = tool;
  const hides = shadows.length === 0 ? "" : `; replaces ${shadows.map(originText).join(", ")}`;
  return `  ${visible(name).padEnd(width)}  ${WORDS[decision.action].padEnd(WORD)}  ${effects.join(", ")}${hides}`;
}

const WORD = 7;
const WORDS = { allow: "allowed", ask: "asks", deny: "denied", depends: "depends" } as const;

function offLines(tools: readonly ListedTool[], sources: readonly ClosedSource[]): readonly string[] {
  const off = tools.flatMap(({ name, origin, off: why }) =>
    why === undefined ? [] : [{ what: `${name} (${originText(origin)})`, ...why }],
  );
  const closed = sources.map(({ name, origin, why, category, fix }) => ({
    what: origin.server === undefined ? atHome(name) : `server ${name} (${atHome(origin.file ?? "")})`,
    ...defined({ why, category, fix }),
  }));
  const all = [...off, ...closed];
  if (all.length === 0) return [];
  return [
    "Off",
    ...all.flatMap(({ what, why, category, fix }) => [
      `  ${visible(what)}`,
      `    ${visible([why, category && `No session starts with it (${category}).`, fix].filter(Boolean).join(" "))}`,
    ]),
  ];
}

/** Where a tool comes from, in words. */
export function originText({ layer, source, server, file }: ToolOrigin): string {
  if (layer === "bundled") return "standard tool";
  const whose = layer === "user" ? "yours" : "of the project";
  const where = file === undefined ? "" : `, ${atHome(file)}`;
  return source === "mcp" && server !== undefined ? `server ${server}, ${whose}${where}` : `${whose}${where}`;
}
