import { makeSecret, Numbers } from "./made-secret.ts";
import { SECRET_KINDS, type SecretKind } from "./secret-kinds.ts";

/** A text with a secret in it. */
export interface SecretText {
  readonly kind: string;
  readonly place: string;
  readonly text: string;
  /** Whether the text is JSON. */
  readonly isJson: boolean;
  /** What must not be left. */
  readonly parts: readonly string[];
}

interface Placed {
  readonly value: string;
  /** The name of a secret, as environments write it; `undefined` if it must be known without. */
  readonly name: string | undefined;
  readonly numbers: Numbers;
}

const lower = (name: string) => name.toLowerCase();
const kebab = (name: string) => lower(name).replaceAll("_", "-");
const camel = (name: string) =>
  lower(name).replaceAll(/_([a-z0-9])/g, (_all, letter) => letter.toUpperCase());
const spaced = (name: string) => lower(name).replaceAll("_", " ");
const inAddress = (value: string) => encodeURI(value).replaceAll("#", "%23").replaceAll("&", "%26");
const quoted = (value: string) => (/[\s$;|&<>()]/.test(value) ? `'${value}'` : value);

/** The places in which each kind of secret is tried. */
export const PLACES: Readonly<Record<string, (placed: Placed) => string>> = {
  "plain text": ({ value, name }) =>
    name === undefined
      ? `Yesterday we used ${value}\nand it still works.`
      : `Yesterday it worked.\nThe ${spaced(name)}: ${value}\nIt still does.`,
  "JSON value": ({ value, name, numbers }) =>
    JSON.stringify({
      id: 7,
      nested: { [name === undefined ? "value" : numbers.of([lower, camel, kebab])(name)]: value, last: true },
    }),
  header: ({ value, name }) =>
    `GET / HTTP/1.1\nHost: a.example\n${name === undefined ? "X-Custom" : `X-${kebab(name)}`}: ${value}\nAccept: */*\n`,
  address: ({ value, name }) =>
    /^\w+:\/\//.test(value)
      ? `curl -s ${value} -o x`
      : `curl https://api.example.com/v1/things?limit=3&${name === undefined ? "q" : lower(name)}=${inAddress(value)}&page=2`,
  "environment assignment": ({ value, name = "VALUE" }) =>
    `export A=1 ${name}=${quoted(value)} && ./run --fast`,
  "command option": ({ value, name = "VALUE" }) =>
    `deploy --region eu --${kebab(name)} ${quoted(value)} --wait`,
  "list of arguments": ({ value, name = "VALUE" }) =>
    JSON.stringify({ command: "deploy", args: ["--region", "eu", `--${kebab(name)}`, value, "--wait"] }),
};

const JSON_PLACES = ["JSON value", "list of arguments"];

/** Every kind of secret in every place. The same texts in every run. */
export function* secretTexts(rounds = 1): Generator<SecretText> {
  const numbers = new Numbers(18);
  for (let round = 0; round < rounds; round += 1)
    for (const kind of SECRET_KINDS)
      for (const [place, put] of Object.entries(PLACES)) {
        const { value, parts } = secretOf(kind, numbers);
        const text = put({ value, name: kind.name, numbers });
        yield { kind: kind.kind, place, text, isJson: JSON_PLACES.includes(place), parts };
      }
}

function secretOf({ format, form }: SecretKind, numbers: Numbers): ReturnType<typeof makeSecret> {
  const made = makeSecret(format, numbers);
  if (form === "base64") {
    const value = Buffer.from(made.value).toString("base64");
    return { value, parts: [value.slice(12, -3)] };
  }
  if (form !== "luhn") return made;
  const value = withCheckDigit(made.value);
  return { value, parts: [value] };
}

function withCheckDigit(digits: string): string {
  const sum = [...digits].toReversed().reduce((total, char, index) => {
    const digit = Number(char) * (index % 2 === 0 ? 2 : 1);
    return total + (digit > 9 ? digit - 9 : digit);
  }, 0);
  return `${digits}${(10 - (sum % 10)) % 10}`;
}
