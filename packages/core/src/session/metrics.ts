import type { Observer } from "../contract/stages/call.ts";

/** How one tool has done so far. */
export interface ToolMetrics {
  readonly calls: number;
  readonly failures: number;
  readonly attempts: number;
  readonly meanMs: number;
  readonly maxMs: number;
}

/** Counts and times the calls of each tool. */
export interface Metrics {
  /** To be put among a session's observers. */
  readonly observer: Observer;
  report(): Readonly<Record<string, ToolMetrics>>;
}

/** Counts calls, failures and durations per tool. Add it to `observers` of a session. */
export function createMetrics(): Metrics {
  const tools = new Map<
    string,
    { calls: number; failures: number; attempts: number; totalMs: number; maxMs: number }
  >();

  function of(name: string) {
    const known = tools.get(name);
    if (known !== undefined) return known;
    const fresh = { calls: 0, failures: 0, attempts: 0, totalMs: 0, maxMs: 0 };
    tools.set(name, fresh);
    return fresh;
  }

  function attempt({ toolName, duration = 0 }: { toolName: string; duration?: number }): void {
    const tool = of(toolName);
    tool.attempts += 1;
    tool.totalMs += duration;
    tool.maxMs = Math.max(tool.maxMs, duration);
  }

  return {
    observer: {
      name: "metrics",
      onAfterTool: attempt,
      onToolError: attempt,
      afterExecution({ toolName, isError }) {
        const tool = of(toolName);
        tool.calls += 1;
        if (isError) tool.failures += 1;
      },
    },
    report: () =>
      Object.fromEntries(
        [...tools].map(([name, { totalMs, ...counted }]) => [
          name,
          { ...counted, meanMs: counted.attempts === 0 ? 0 : totalMs / counted.attempts },
        ]),
      ),
  };
}
