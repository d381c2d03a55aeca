import { isLoopbackAddress } from "../../contract/values/loopback.ts";
import { systemName } from "../forms/command-forms.ts";
import { programOf } from "./command-args.ts";
import { CONTROL_PORTS, HTTPIE, REQUESTERS, type Requester } from "./request-options.ts";

/** Whether a command sends a request to this machine and to no other, and follows nothing elsewhere. */
export function asksThisMachine(argv: readonly string[]): boolean {
  const known = requesterOf(argv);
  if (known === undefined) return false;
  const { operands } = wordsOf(argv.slice(1), known);
  if (known !== HTTPIE) return operands.length > 0 && operands.every(isLoopbackAddress);
  const [address = "", ...items] = operands.filter((word) => !/^[A-Z]+$/.test(word));
  return (
    isLoopbackAddress(address.replace(/^:(?=\d)/, "localhost:")) &&
    items.every((item) => !item.startsWith("-"))
  );
}

/** Whether it also sends nothing but the address and headers, and shows the answer without keeping it. */
export function readsThisMachine(argv: readonly string[]): boolean {
  // In another folder it is any file of that name.
  const known = Object.hasOwn(REQUESTERS, systemName(argv[0] ?? "")) ? requesterOf(argv) : undefined;
  if (known?.reading === undefined || !asksThisMachine(argv)) return false;
  const { reading, printing } = known;
  const { options, operands } = wordsOf(argv.slice(1), known);
  return (
    !operands.some((address) => CONTROL_PORTS.test(address)) &&
    options.every((option) => reading.test(option)) &&
    (printing === undefined || options.some((option) => printing.test(option)))
  );
}

function requesterOf(argv: readonly string[]): Requester | undefined {
  const program = programOf(argv);
  return Object.hasOwn(REQUESTERS, program) ? REQUESTERS[program] : undefined;
}

interface RequestWords {
  /** Each with its value, after a space. */
  readonly options: readonly string[];
  /** With the options that are not known, which are no address. */
  readonly operands: readonly string[];
}

function wordsOf(words: readonly string[], { flags, valued }: Requester): RequestWords {
  const options: string[] = [];
  const operands: string[] = [];
  for (let at = 0; at < words.length; at += 1) {
    const word = words[at] as string;
    if (valued.test(word)) {
      at += 1;
      options.push(`${word} ${words[at] ?? ""}`);
    } else if (word.startsWith("-") && flags.test(word)) options.push(word);
    else operands.push(word);
  }
  return { options, operands };
}
