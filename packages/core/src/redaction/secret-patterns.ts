import type { Around } from "./pairs.ts";

/** What ends before a word begins, also where a line end or a sign is written out: `\n`, `%3D`. */
export const STARTS_WORD = String.raw`(?<!(?<!%[0-9A-Fa-f]|\\)[A-Za-z0-9])`;

export const DIGITS = "0123456789";
const SIGNED = "(?:[Ss]ignature|[Cc]redential|[Ss]ecurity-[Tt]oken)";
/** After the first letter of a token of Discord. */
const DISCORD = "[A-Za-z0-9_-]{23,27}\\.[A-Za-z0-9_-]{6}\\.";
const DISCORD_END = "[A-Za-z0-9_-]{27,45}";

/** A secret that an expression finds, by pairs of characters: any of the first ones before any of the second ones. */
export interface SecretPattern {
  readonly firsts: string;
  readonly seconds: string;
  readonly around?: Around;
  readonly name: string;
  /** How far before the end of the pair the pattern begins. */
  readonly back: number;
  /** What a hint has at least, from there on. */
  readonly hint: string;
  /** What is found; if it has a group, the group is the secret. */
  readonly pattern: string;
  /** How many letters, digits and underscores before it belong to the secret. */
  readonly lead?: number;
}

export const SECRET_PATTERNS: readonly SecretPattern[] = [
  {
    firsts: "Xx",
    seconds: "-",
    name: "signed-address",
    back: 1,
    hint: "[Xx]-(?:[Aa]mz|[Gg]oog)-",
    pattern: `[Xx]-(?:[Aa]mz|[Gg]oog)-${SIGNED}=([^\\s&"'<>\\\\#]{8,4096})`,
  },
  {
    firsts: "ge",
    seconds: "=",
    name: "signed-address",
    back: 0,
    hint: "=(?<=[?&;]sig=|[?&;, ]Signature=)",
    pattern: "=([A-Za-z0-9%+/=_~-]{32,4096})",
  },
  {
    firsts: "y",
    seconds: "J",
    name: "jwt",
    back: 2,
    hint: "eyJ",
    pattern: String.raw`(?<![A-Za-z0-9_-])eyJ[A-Za-z0-9_-]{8,2000}\.(?:eyJ[A-Za-z0-9_-]{8,8000}\.[A-Za-z0-9_-]{8,2000}|[A-Za-z0-9_-]{0,2000}\.[A-Za-z0-9_-]{8,200}\.[A-Za-z0-9_-]{1,8000}\.[A-Za-z0-9_-]{16,64})`,
  },
  {
    firsts: DIGITS,
    seconds: ":",
    name: "telegram-token",
    back: 0,
    hint: ":AA(?<=\\d{8}:AA)",
    pattern: ":AA[A-Za-z0-9_-]{33}(?![A-Za-z0-9_-])",
    lead: 10,
  },
  {
    firsts: DIGITS,
    seconds: ":",
    name: "asana-token",
    back: 0,
    hint: ":[0-9a-f]{8}(?<=/\\d{12,20}:.{8})",
    pattern: ":[0-9a-f]{32}",
    lead: 20,
  },
  {
    firsts: "M",
    seconds: "Tjz",
    name: "discord-token",
    back: 1,
    hint: `${STARTS_WORD}M${DISCORD}`,
    pattern: `M${DISCORD}${DISCORD_END}`,
  },
  {
    firsts: "N",
    seconds: "DTjz",
    name: "discord-token",
    back: 1,
    hint: `${STARTS_WORD}N${DISCORD}`,
    pattern: `N${DISCORD}${DISCORD_END}`,
  },
  {
    firsts: "O",
    seconds: "DT",
    name: "discord-token",
    back: 1,
    hint: `${STARTS_WORD}O${DISCORD}`,
    pattern: `O${DISCORD}${DISCORD_END}`,
  },
  {
    firsts: "Q",
    seconds: "~",
    name: "azure-secret",
    back: 5,
    hint: "...\\dQ~",
    pattern: "[A-Za-z0-9_~.-]{3}\\dQ~[A-Za-z0-9_~.-]{31,34}",
  },
  {
    firsts: "-",
    seconds: "u",
    name: "mailchimp-key",
    back: 1,
    hint: "-us\\d(?<=[0-9a-f]{32}-us\\d)",
    pattern: "-us\\d{1,2}",
    lead: 32,
  },
  {
    firsts: "e",
    seconds: "S",
    around: { before: "r", after: "t" },
    name: "password",
    back: 6,
    hint: "SecureString\\s",
    pattern: String.raw`SecureString\s{1,4}(?:-String\s{1,4})?["']([^"'$<{\s][^"'\s]{3,255})`,
  },
];
