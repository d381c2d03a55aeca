import { defineConfig } from "vitest/config";

const conditions = ["@toolkeep/source"];

export default defineConfig({
  resolve: { conditions },
  ssr: { resolve: { conditions } },
  test: {
    include: ["packages/*/src/**/*.test.ts", "tests/**/*.test.ts", "benchmarks/src/**/*.test.ts"],
    testTimeout: 30_000,
  },
});
