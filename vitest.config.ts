import { availableParallelism } from "node:os";
import { defineConfig } from "vitest/config";

const conditions = ["@toolkeep/source"];

export default defineConfig({
  resolve: { conditions },
  ssr: { resolve: { conditions } },
  test: {
    include: ["packages/*/src/**/*.test.ts", "tests/**/*.test.ts", "benchmarks/src/**/*.test.ts"],
    testTimeout: 30_000,
    // Many tests wait for processes and clocks; with one worker, which is the default for two cores, so does everybody.
    maxWorkers: Math.max(2, availableParallelism() - 1),
  },
});
