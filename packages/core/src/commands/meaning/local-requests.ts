import { isLoopbackAddress } from "../../contract/values/loopback.ts";
import { programOf } from "./command-args.ts";
import { HTTPIE, REQUESTERS, type Requester } from "./request-options.ts";

/** Whether a command sends a request to this machine and to no other, and follows nothing elsewhere. */
export function asksThisMachine(argv: readonly string[]): boolean {
  const program = programOf(argv);
  const known = Object.hasOwn(REQUESTERS, program) ? REQUESTERS[program] : undefined;
  if (known === undefined) return false;
  const operands = operandsOf(argv.slice(1), known);
  if (known !== HTTPIE) return operands.length > 0 && operands.every(isLoopbackAddress);
  const [address = "", ...items] = operands.filter((word) => !/^[A-Z]+$/.test(word));
  return (
    isLoopbackAddress(address.replace(/^:(?=\d)/, "localhost:")) &&
    items.every((item) => !item.startsWith("-"))
  );
}

/** With the options that are not known, which are no address. */
function operandsOf(words: readonly string[], { flags, valued }: Requester): readonly string[] {
  const operands: string[] = [];
  for (let at = 0; at < words.length; at += 1) {
    const word = words[at] as string;
    if (valued.test(word)) at += 1;
    else if (!(word.startsWith("-") && flags.test(word))) operands.push(word);
  }
  return operands;
}
