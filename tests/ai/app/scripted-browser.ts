import {
  AbstractChat,
  type ChatStatus,
  DefaultChatTransport,
  lastAssistantMessageIsCompleteWithApprovalResponses,
  type UIMessage,
} from "ai";

/** The state that a framework would keep for `useChat`. */
class PlainState {
  status: ChatStatus = "ready";
  error: Error | undefined = undefined;
  messages: UIMessage[] = [];

  pushMessage = (message: UIMessage) => {
    this.messages = [...this.messages, message];
  };
  popMessage = () => {
    this.messages = this.messages.slice(0, -1);
  };
  replaceMessage = (index: number, message: UIMessage) => {
    this.messages = this.messages.with(index, message);
  };
  snapshot = <T>(thing: T): T => structuredClone(thing);
}

class PlainChat extends AbstractChat<UIMessage> {}

/** A browser with one chat open: the client of the SDK, without a screen. */
export class ScriptedBrowser {
  readonly chat: AbstractChat<UIMessage>;
  /** The bodies that were sent, so that a test can send one again. */
  readonly sent: string[] = [];

  constructor(chatId: string, urlOf: () => string) {
    this.chat = new PlainChat({
      id: chatId,
      state: new PlainState(),
      transport: new DefaultChatTransport({
        api: "http://127.0.0.1/",
        fetch: (_url, init) => {
          this.sent.push(String(init?.body));
          return fetch(urlOf(), init);
        },
      }),
      sendAutomaticallyWhen: lastAssistantMessageIsCompleteWithApprovalResponses,
    });
  }

  async say(text: string): Promise<void> {
    await this.chat.sendMessage({ text });
    if (this.chat.error !== undefined) throw this.chat.error;
  }

  /** Answers every open request and waits for the result. */
  async answer(approved: boolean, reason?: string): Promise<void> {
    for (const { approval } of this.waiting) {
      await this.chat.addToolApprovalResponse({
        id: approval.id,
        approved,
        ...(reason === undefined ? {} : { reason }),
      });
    }
    while (this.chat.status !== "ready" && this.chat.status !== "error") {
      await new Promise((resolve) => setTimeout(resolve, 5));
    }
    if (this.chat.error !== undefined) throw this.chat.error;
  }

  /** What the user is asked. */
  get waiting() {
    return this.#toolParts.flatMap((part) =>
      part.state === "approval-requested" && part.approval !== undefined
        ? [{ input: part.input, approval: part.approval }]
        : [],
    );
  }

  get states(): readonly string[] {
    return this.#toolParts.map(({ state }) => state);
  }

  /** All text on the screen. */
  get screen(): string {
    return JSON.stringify(this.chat.messages);
  }

  get #toolParts(): ToolPart[] {
    return this.chat.messages
      .flatMap(({ parts }) => parts)
      .filter((part) => "toolCallId" in part) as ToolPart[];
  }
}

interface ToolPart {
  readonly state: string;
  readonly input: unknown;
  readonly approval?: { readonly id: string; readonly requestReason?: string };
}
