import type { PersonRequest, Tool, ToolCall } from "@toolkeep/core";
import type { SessionResult } from "@toolkeep/core/internal";
import type { StepUsage } from "./model-reply.ts";

/**
 * Why a run ended. `done`: the model answered without calls. `terminal`: a tool said that the run ends here. `steps`,
 * `tokens`, `calls`: a limit is reached. `cancelled`: by the host application. These five end the run for good.
 * `waiting`: a person has to answer. `left`: the agent left the process. `failed`: the model could not be asked.
 * After these three `agent.resume()` continues the run.
 */
export type EndReason =
  | "done"
  | "terminal"
  | "steps"
  | "tokens"
  | "calls"
  | "cancelled"
  | "waiting"
  | "left"
  | "failed";

/** What an agent reports while it works, in order. The last event of a run is `end`. */
export type AgentEvent<Tools extends readonly Tool[] = readonly Tool[]> =
  | { readonly type: "step-start"; readonly step: number }
  /** A piece of what the model writes. */
  | { readonly type: "text"; readonly step: number; readonly text: string }
  /** A piece of what the model thinks, where the provider shows it. */
  | { readonly type: "reasoning"; readonly step: number; readonly text: string }
  /** A model failed before it wrote anything, and the next one of the list is asked. */
  | {
      readonly type: "fallback";
      readonly step: number;
      readonly model: string;
      readonly next: string;
      readonly error: unknown;
    }
  /** The reply is complete and kept. `isRecorded`: it was read back, and nothing was paid. */
  | {
      readonly type: "step-end";
      readonly step: number;
      readonly text: string;
      readonly calls: readonly ToolCall[];
      readonly usage: StepUsage;
      readonly finishReason: string;
      /** The model that wrote it, if that is not the first one of the agent. */
      readonly model?: string;
      readonly isRecorded: boolean;
    }
  /** A call is allowed and starts to execute. */
  | { readonly type: "call-start"; readonly step: number; readonly callId: string; readonly toolName: string }
  /** Something that a tool reports while it runs. A subagent reports its own events this way. */
  | {
      readonly type: "call-update";
      readonly step: number;
      readonly callId: string;
      readonly toolName: string;
      readonly update: unknown;
    }
  /** The result of a call, in the order in which calls are settled. */
  | { readonly type: "result"; readonly step: number; readonly result: SessionResult<Tools> }
  /** A person is asked: an approval has `effects`, a question has `questions`. */
  | { readonly type: "request"; readonly step: number; readonly request: PersonRequest }
  /** Messages of the user that the next step sees. */
  | { readonly type: "message"; readonly step: number; readonly text: string }
  /** The conversation was too long: what was left out is in the journal. */
  | { readonly type: "compaction"; readonly step: number; readonly dropped: unknown }
  | {
      readonly type: "end";
      readonly reason: EndReason;
      /** The last text of the model. */
      readonly text: string;
      readonly steps: number;
      /** Of this run, with what was paid in earlier processes. */
      readonly usage: StepUsage;
      /** What waits for an answer. */
      readonly requests: readonly PersonRequest[];
      /** Why the model could not be asked. */
      readonly error?: unknown;
    };
