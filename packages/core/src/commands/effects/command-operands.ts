/** Words by what they are: operands, and options with their values. */
export interface Words {
  readonly operands: readonly string[];
  /** As they are written. */
  readonly options: readonly string[];
  /** The values of options that take one, by the option: `-o` and `--output` as they are written here. */
  readonly values: readonly (readonly [option: string, value: string])[];
}

/** Takes words apart. `valued` names the options whose value may be the next word, as `-s --size`. */
export function takeApart(words: readonly string[], valued = ""): Words {
  const names = new Set(valued.split(" ").filter((name) => name !== ""));
  const operands: string[] = [];
  const options: string[] = [];
  const values: (readonly [string, string])[] = [];
  for (let at = 0; at < words.length; at += 1) {
    const word = words[at] ?? "";
    if (word === "--") {
      operands.push(...words.slice(at + 1));
      break;
    }
    if (!word.startsWith("-") || word === "-") operands.push(word);
    else {
      options.push(word);
      const value = valueIn(word, words[at + 1] ?? "", names);
      if (value !== undefined) values.push([value.option, value.text]);
      if (value?.isNext === true) at += 1;
    }
  }
  return { operands, options, values };
}

interface Value {
  readonly option: string;
  readonly text: string;
  readonly isNext: boolean;
}

function valueIn(word: string, next: string, names: ReadonlySet<string>): Value | undefined {
  if (word.startsWith("--")) {
    const equals = word.indexOf("=");
    const name = equals === -1 ? word : word.slice(0, equals);
    // GNU takes any beginning of an option that is clear enough.
    const option = [...names].find((one) => one.startsWith("--") && name.length > 2 && one.startsWith(name));
    if (option === undefined) return undefined;
    return equals === -1
      ? { option, text: next, isNext: true }
      : { option, text: word.slice(equals + 1), isNext: false };
  }
  for (let at = 1; at < word.length; at += 1) {
    const option = `-${word.charAt(at)}`;
    if (!names.has(option)) continue;
    const rest = word.slice(at + 1);
    return rest === "" ? { option, text: next, isNext: true } : { option, text: rest, isNext: false };
  }
  return undefined;
}
