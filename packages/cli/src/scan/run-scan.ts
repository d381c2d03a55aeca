import { resolve } from "node:path";
import type { Policy } from "@toolkeep/core/policy";
import { readPolicies } from "../project/read-policies.ts";
import { claudeHistory } from "./claude-history.ts";
import { codexHistory } from "./codex-history.ts";
import { HistoryDecider } from "./decide-history.ts";
import { geminiHistory } from "./gemini-history.ts";
import { opencodeHistory } from "./opencode-history.ts";
import { ScanCounter, type ScanReport } from "./scan-report.ts";

export interface ScanOptions {
  readonly cwd: string;
  /** Default: the recommended policy. */
  readonly policyFile: string | undefined;
  /** Only calls from this time on are counted. Milliseconds since the epoch. */
  readonly since: number;
  /** Called from time to time with the number of calls so far. */
  onProgress(calls: number): void;
}

/** Decides about every call in the histories of this machine. Reads only. */
export async function runScan(options: ScanOptions): Promise<ScanReport> {
  const { since, onProgress } = options;
  const counter = new ScanCounter();
  const decider = new HistoryDecider(await policyOf(options));
  for (const history of [claudeHistory(), codexHistory(), geminiHistory(), opencodeHistory()]) {
    for await (const conversation of history.conversations(counter)) {
      let counted = 0;
      if (!conversation.calls.some(({ at }) => at >= since)) continue;
      for await (const record of decider.decide(conversation, since)) {
        counter.add(record);
        counted += 1;
        if (counter.calls % STEP === 0) onProgress(counter.calls);
      }
      counter.conversation(conversation.client, counted);
    }
  }
  return counter.report();
}

const STEP = 100;

function policyOf({ cwd, policyFile }: ScanOptions): Promise<Policy["definition"]> {
  const sources =
    policyFile === undefined ? [] : [{ path: resolve(cwd, policyFile), layer: "user" as const }];
  return readPolicies(sources, undefined);
}
