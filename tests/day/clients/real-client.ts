import type { Shop } from "../hook/shop.ts";
import type { ClientCall } from "../step.ts";
import type { ClientPackage } from "./client-package.ts";
import type { ModelCall } from "./protocols/protocol.ts";
import type { ScriptedModel } from "./scripted-model.ts";
import type { Texts } from "./texts.ts";

/** The client alone, with Toolkeep, and with its commands in the sandbox as well. */
export type Setup = "alone" | "installed" | "confined";

/** One conversation of a client with the scripted model. */
export interface Session {
  /** The program of the client. */
  readonly program: string;
  readonly shop: Shop;
  readonly mode: string;
  readonly model: ScriptedModel;
  /** A person is asked, in these words, whether the call that the model made last may run. */
  decide(words: string): boolean;
}

/** A client as its makers publish it, and how it is driven without a person at a terminal. */
export interface RealClient {
  readonly name: string;
  readonly package: ClientPackage;
  /** The mode of most of its users comes first. */
  readonly modes: readonly [string, ...string[]];
  /** A mode in which it asks about nothing by itself. */
  readonly permissive: string;
  /** The mode in which a conversation is recorded. Default: that of most of its users. */
  readonly recorded?: string;
  /** Writes the settings that it needs, after Toolkeep was installed, or not. */
  arrange?(shop: Shop, setup: Setup): void;
  /** The file that its hooks are in. */
  settings(shop: Shop): string;
  /** A call in the words of this client, after the calls that it needs before; empty if it has no such tool. */
  calls(call: ClientCall, texts: Texts): readonly ModelCall[];
  /** Whether the result of a call says that it did not run because something refused it. */
  isRefused(result: string): boolean;
  /** Plays the script of the model. Returns what it wrote, for a message about a failure. */
  play(session: Session): Promise<string>;
}
