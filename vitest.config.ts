import { globSync } from "node:fs";
import { availableParallelism } from "node:os";
import { defineConfig } from "vitest/config";

const conditions = ["@toolkeep/source"];
const resolution = { resolve: { conditions }, ssr: { resolve: { conditions } } };
/** What is waited for comes at once, but not on a busy machine. */
const patience = { testTimeout: 30_000, expect: { poll: { timeout: 10_000 } } };

const ALL = ["packages/*/src/**/*.test.ts", "tests/**/*.test.ts", "benchmarks/src/**/*.test.ts"];

/** They measure times or memory, look at all of their processes, change the state of a module, or block threads that read files. */
const ALONE = [
  "packages/node/src/{trust,files}/**/*.test.ts",
  "packages/node/src/{sandbox/open-mounts,processes/large-output,network/net-limits,tool-folders/reload-leaks}.test.ts",
  "tests/{growth,resume-speed,file-races,mcp/npx-server,mcp/chaos,tools/pdf-reader}.test.ts",
];

/** Loading modules takes as long as most tests do: the files that a worker runs share what it has loaded. */
const SHARING = globSync(ALL, { cwd: import.meta.dirname, exclude: ["**/node_modules/**", ...ALONE] });

export default defineConfig({
  test: {
    // Many tests wait for processes and clocks.
    maxWorkers: availableParallelism() + 2,
    projects: [
      { ...resolution, test: { ...patience, name: "sharing", include: SHARING, isolate: false } },
      { ...resolution, test: { ...patience, name: "alone", include: ALONE } },
    ],
  },
});
