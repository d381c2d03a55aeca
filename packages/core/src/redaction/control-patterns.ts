/**
 * Colours, overprinted letters, line ends and characters without a picture: they say nothing. Any other sequence may hold
 * words that a shell or a database executes, and a mark in its place would hide these from the approver.
 */
export const SAYS_NOTHING = new RegExp(
  `^(?:${[
    String.raw`(?:\x1B\[|\x9B|\\+(?:u001[Bb]|x1[Bb]|033|e)\[)\??\d*(?:;\d+)*[A-Za-z]`,
    String.raw`\x1B(?:\(?[A-Z0-9])?|[\w.+/=~@:%,-]?\x08|[^\x08\x1B\x9B]+`,
  ].join("|")})$`,
);

/** Characters without a picture, which may stand within a secret: the text is worth another reading. */
const NOT_SHOWN = String.raw`\0-\x07\v\f\x0E-\x1A\x1C-\x1F\x7F-\x9A\x9C-\x9F\u00AD\u034F\u061C\u115F\u1160\u180E\u200B-\u200F\u202A-\u202E\u2060-\u206F\u3164\uFE00-\uFE0F\uFEFF\uFFA0`;

const HIDDEN = `[${NOT_SHOWN}]|\\uDB40[\\uDC00-\\uDFFF]`;

/** Control sequences of terminals, as they are and as JSON and programs write them. */
const SEQUENCES = [
  String.raw`(?:\x1B\[|\x9B)[0-?]{0,64}[ -\/]{0,8}[@-~]`,
  String.raw`\x1B[\]PX^_][^\x07\x1B]{0,4096}(?:\x07|\x1B\\)`,
  String.raw`\x1B[ -\/]{0,8}[0-~]?`,
  String.raw`\\{1,16}(?:u001[Bb]|x1[Bb]|033|e)\[[0-?]{0,64}[ -\/]{0,8}[@-~]`,
];

/** A character that the next one is printed over, and a line that continues at its start. */
const OVERPRINTED = String.raw`[^\n\x08]\x08|\x08|(?<=\w)\r(?=\w)`;

export const CONTROLS = new RegExp([...SEQUENCES, OVERPRINTED, HIDDEN].join("|"), "g");

/** One class of characters: an alternative would cost more than the whole search for secrets. */
export const CONTROL = new RegExp(`[${NOT_SHOWN}\\x08\\x1B\\x9B\\uDB40]`);

export const WRITTEN = /\\(?:u001[Bb]|x1[Bb]|033|e\[|b)/;

const ESCAPES = [
  "(?:%[0-9A-Fa-f]{2}){1,64}",
  String.raw`\\+(?:u[0-9A-Fa-f]{4}|x[0-9A-Fa-f]{2})`,
  String.raw`(?:\\+[nrt]|[\r\n]+)[ \t]*`,
  String.raw`\\+[^A-Za-z0-9\s\\]`,
  String.raw`\\{2,}`,
  "&(?:amp|lt|gt|quot|apos|#\\d{1,5}|#x[0-9A-Fa-f]{1,5});",
];

export const ESCAPED = new RegExp([...SEQUENCES, ...ESCAPES, OVERPRINTED, HIDDEN].join("|"), "g");

export const HAS_ESCAPE = /[%\\\r\n&]/;

export const ENTITIES: Readonly<Record<string, string>> = {
  amp: "&",
  lt: "<",
  gt: ">",
  quot: '"',
  apos: "'",
};
