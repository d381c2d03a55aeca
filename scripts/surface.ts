import {
  existsSync,
  globSync,
  mkdirSync,
  mkdtempDisposableSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { parseArgs } from "node:util";
import { ROOT } from "./root.ts";
import { readSurface, type Surface } from "./surface/api-report.ts";
import { type EntryPoint, publicEntryPoints } from "./surface/entry-points.ts";

/*
 * The public surface, read from the built declarations: how many names the main entry points have, whether each has
 * a summary, and whether the API reports in api/ are what the types say. `--update` writes the reports.
 */
const { values: flags } = parseArgs({
  options: { json: { type: "boolean", default: false }, update: { type: "boolean", default: false } },
});

/** Main entry points of these packages, together; a package that comes later has a limit of its own. */
const LIMIT = 150;
const COUNTED: ReadonlySet<string> = new Set([
  ...["core", "sqlite", "policy", "node", "tools", "mcp", "openapi", "ai"].map((name) => `@toolkeep/${name}`),
  "toolkeep",
]);
const LATER_LIMIT = 20;

using temporary = mkdtempDisposableSync(join(tmpdir(), "surface-"));
const surfaces = publicEntryPoints().map((entryPoint) => ({
  entryPoint,
  surface: readSurface(entryPoint, temporary.path),
}));
const main = surfaces.filter(({ entryPoint }) => entryPoint.isMain);
const total = main
  .filter(({ entryPoint }) => COUNTED.has(entryPoint.name))
  .reduce((sum, { surface }) => sum + surface.names.length, 0);
if (flags.update) update();
const errors = [...limitErrors(), ...surfaces.flatMap(reportErrors), ...staleReports()];

if (flags.json) {
  const entryPoints = surfaces.map(
    ({ entryPoint: { name, isMain, report }, surface: { names, undocumented } }) => ({
      name,
      isMain,
      report,
      count: names.length,
      names,
      undocumented,
    }),
  );
  console.log(JSON.stringify({ name: "surface", limit: LIMIT, total, entryPoints, errors }));
} else {
  for (const { entryPoint, surface } of surfaces)
    console.log(`${entryPoint.isMain ? "" : "  "}${entryPoint.name}: ${surface.names.length}`);
  console.log(`main entry points: ${total} names of at most ${LIMIT}`);
}
for (const error of errors) console.error(error);
if (errors.length > 0) process.exitCode = 1;

function limitErrors(): readonly string[] {
  const later = main.filter(
    ({ entryPoint, surface }) => !COUNTED.has(entryPoint.name) && surface.names.length > LATER_LIMIT,
  );
  return [
    ...(total > LIMIT ? [`The main entry points have ${total} names; the limit is ${LIMIT}.`] : []),
    ...later.map(
      ({ entryPoint, surface }) =>
        `${entryPoint.name} has ${surface.names.length} names; the limit is ${LATER_LIMIT}.`,
    ),
  ];
}

function reportErrors({
  entryPoint,
  surface,
}: {
  entryPoint: EntryPoint;
  surface: Surface;
}): readonly string[] {
  const path = join(ROOT, entryPoint.report);
  const isCurrent = existsSync(path) && readFileSync(path, "utf8") === surface.report;
  return [
    ...surface.undocumented.map((name) => `${entryPoint.name}: ${name} has no TSDoc summary.`),
    ...(isCurrent
      ? []
      : [
          `${entryPoint.report} is not what ${entryPoint.name} declares: run \`npm run surface -- --update\`.`,
        ]),
  ];
}

function staleReports(): readonly string[] {
  const current = new Set(surfaces.map(({ entryPoint }) => entryPoint.report));
  return globSync("api/*.api.md", { cwd: ROOT })
    .filter((path) => !current.has(path))
    .map((path) => `${path} belongs to no entry point: run \`npm run surface -- --update\`.`);
}

function update(): void {
  rmSync(join(ROOT, "api"), { recursive: true, force: true });
  for (const { entryPoint, surface } of surfaces) {
    const path = join(ROOT, entryPoint.report);
    mkdirSync(dirname(path), { recursive: true });
    writeFileSync(path, surface.report);
  }
}
