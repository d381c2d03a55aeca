/** The folders of core, lowest first: imports go down only, and neighbours on a line never import each other. */
export const CORE_LAYERS: readonly (readonly string[])[] = [
  ["contract"],
  ["redaction", "commands", "signatures", "telemetry"],
  ["schema", "results", "journal"],
  ["registry", "policy", "locks"],
  ["pipeline", "formats"],
  ["replay", "session"],
  ["testing"],
];

/** Which of our packages each package may import. */
export const PACKAGE_IMPORTS: Readonly<Record<string, readonly string[]>> = {
  "@toolkeep/core": [],
  "@toolkeep/sqlite": ["@toolkeep/core"],
  "@toolkeep/policy": ["@toolkeep/core"],
  "@toolkeep/node": ["@toolkeep/core", "@toolkeep/policy", "@toolkeep/sqlite"],
  "@toolkeep/tools": ["@toolkeep/core"],
  "@toolkeep/mcp": ["@toolkeep/core", "@toolkeep/node", "@toolkeep/tools"],
  "@toolkeep/openapi": ["@toolkeep/core", "@toolkeep/node"],
  "@toolkeep/ai": ["@toolkeep/core"],
  "@toolkeep/acp": ["@toolkeep/core", "@toolkeep/ai"],
  "@toolkeep/postgres": ["@toolkeep/core"],
  "@toolkeep/fleet": ["@toolkeep/core", "@toolkeep/node", "@toolkeep/ai", "@toolkeep/postgres"],
  "@toolkeep/inspector": ["@toolkeep/core"],
  toolkeep: [
    "@toolkeep/core",
    "@toolkeep/policy",
    "@toolkeep/sqlite",
    "@toolkeep/node",
    "@toolkeep/tools",
    "@toolkeep/mcp",
    "@toolkeep/openapi",
    "@toolkeep/ai",
    "@toolkeep/acp",
    "@toolkeep/postgres",
    "@toolkeep/fleet",
    "@toolkeep/inspector",
  ],
};
