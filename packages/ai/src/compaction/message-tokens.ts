import { tokenCounter } from "@toolkeep/core/internal";
import type { ModelMessage, ToolResultPart } from "ai";

/** Roles and separators, which providers add around each message. */
const AROUND_MESSAGE = 4;
/** What a picture or another file costs, whatever its bytes are. */
const FILE = 1_500;

/** Estimates the tokens of messages. What a message has is counted once. */
export class MessageTokens {
  readonly #count: (text: string) => number;
  readonly #known = new WeakMap<object, number>();

  private constructor(count: (text: string) => number) {
    this.#count = count;
  }

  static async load(): Promise<MessageTokens> {
    return new MessageTokens(await tokenCounter());
  }

  ofText(text: string): number {
    return this.#count(text);
  }

  ofAll(messages: readonly ModelMessage[]): number {
    return messages.reduce((sum, message) => sum + this.of(message), 0);
  }

  of(message: ModelMessage): number {
    return this.#once(message, () => {
      const { content } = message;
      if (typeof content === "string") return AROUND_MESSAGE + this.#count(content);
      return content.reduce((sum, part) => sum + this.#ofPart(part), AROUND_MESSAGE);
    });
  }

  ofOutput({ output }: ToolResultPart): number {
    return this.#once(output, () =>
      output.type === "content"
        ? output.value.reduce((sum, part) => sum + this.#ofPart(part), 0)
        : this.#count(textOfOutput(output)),
    );
  }

  #ofPart(part: object & { readonly type: string }): number {
    if (part.type === "tool-result") {
      const result = part as ToolResultPart;
      return this.ofOutput(result) + this.#count(result.toolName);
    }
    if ("text" in part && typeof part.text === "string") return this.#count(part.text);
    if (part.type === "tool-call") {
      const { toolName, input } = part as { readonly toolName?: string; readonly input?: unknown };
      return this.#count(`${toolName} ${JSON.stringify(input) ?? ""}`);
    }
    return part.type.includes("file") || part.type.includes("image")
      ? FILE
      : this.#count(JSON.stringify(part));
  }

  #once(value: object, count: () => number): number {
    const known = this.#known.get(value);
    if (known !== undefined) return known;
    const counted = count();
    this.#known.set(value, counted);
    return counted;
  }
}

/** What a result says, as one text. Files are named and not shown. */
export function textOfOutput(output: ToolResultPart["output"]): string {
  if (output.type === "content")
    return output.value.map((part) => ("text" in part ? String(part.text) : `[${part.type}]`)).join("\n");
  if (output.type === "execution-denied") return output.reason ?? "Denied.";
  return typeof output.value === "string" ? output.value : JSON.stringify(output.value);
}
