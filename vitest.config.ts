import { globSync } from "node:fs";
import { availableParallelism } from "node:os";
import { join } from "node:path";
import { defineConfig } from "vitest/config";

const conditions = ["@toolkeep/source"];
const resolution = { resolve: { conditions }, ssr: { resolve: { conditions } } };
/** The limits of tests, hooks and polls are set for each file. */
const patience = {
  setupFiles: join(import.meta.dirname, "tests/time-limits/set-limits.ts"),
  teardownTimeout: 20_000,
};

const ALL = ["packages/*/src/**/*.test.ts", "tests/**/*.test.ts", "benchmarks/src/**/*.test.ts"];

/** They measure times or memory, look at all of their processes, change the state of a module, or block threads that read files. */
const ALONE = [
  "packages/node/src/{project/trust,files}/**/*.test.ts",
  "packages/node/src/{sandbox/mounts/open-mounts,processes/large-output,network/net-limits,project/tool-folders/reload-leaks}.test.ts",
  "tests/{growth,resume-speed,file-races,mcp/npx-server,mcp/chaos,tools/pdf-reader}.test.ts",
];

/** They need a server, which is started once for all of them. */
const ON_POSTGRES = ["tests/postgres/**/*.test.ts"];
/** What core does with its journal in memory, it does with one on PostgreSQL: what is about the journal, and in a long check all. */
const CORE_ON_POSTGRES =
  process.env["TOOLKEEP_LONG"] === undefined
    ? [
        "packages/core/src/session/{answers,crashes,durability,open-requests,recovery,store}.test.ts",
        "packages/core/src/{pipeline/{any-batch,stages/approve,parking},replay/replay}.test.ts",
      ]
    : ["packages/core/src/{pipeline,session,replay}/**/*.test.ts", "tests/ports.test.ts"];
const POSTGRES_SETUP = "tests/postgres/global-setup.ts";

/** Loading modules takes as long as most tests do: the files that a worker runs share what it has loaded. */
const SHARING = globSync(ALL, {
  cwd: import.meta.dirname,
  exclude: ["**/node_modules/**", ...ALONE, ...ON_POSTGRES],
});

const JOURNAL_ON_POSTGRES = join(import.meta.dirname, "tests/postgres/core/journal-on-postgres.ts");
const journalOnPostgres = {
  name: "journal-on-postgres",
  enforce: "pre" as const,
  resolveId: (source: string, importer = "") =>
    source.endsWith("/memory-journal.ts") &&
    !/journal-on-postgres|memory-store|stored-session|\/internal\.ts/.test(importer)
      ? JOURNAL_ON_POSTGRES
      : undefined,
};

export default defineConfig({
  test: {
    // Many tests wait for processes and clocks.
    maxWorkers: availableParallelism() + 3,
    projects: [
      { ...resolution, test: { ...patience, name: "sharing", include: SHARING, isolate: false } },
      { ...resolution, test: { ...patience, name: "alone", include: ALONE } },
      {
        ...resolution,
        test: { ...patience, name: "postgres", include: ON_POSTGRES, globalSetup: POSTGRES_SETUP },
      },
      {
        ...resolution,
        plugins: [journalOnPostgres],
        test: {
          ...patience,
          name: "core-on-postgres",
          include: CORE_ON_POSTGRES,
          isolate: false,
          // A module that was kept is resolved without what imports it, which the plugin goes by.
          fsModuleCache: false,
          globalSetup: POSTGRES_SETUP,
        },
      },
    ],
  },
});
