import type { NamedKind } from "./secret-name-kinds.ts";

export const DECLARED = /(?:^|\s)(?:const|let|var|val|auto|final|static|return)\s/;

export const SCHEME =
  /(?:bearer|basic|token|digest|negotiate|apikey|api-key|bot|splunk|genie-?key)(?:[ \t+]|%20){1,4}/iy;

export const BARE = /[A-Za-z0-9+/_.~!@#%^*?$-]{1,4096}={0,2}/y;

export const QUOTED = /[^"'`\\\s]{1,4096}/y;

/** What may still belong to a secret that was found, up to where a command or a list continues. */
export const REST_OF_BARE = /[^\s"'`&;|<>(){}[\],\\$]{0,256}/y;

/** Bounded in all: it is looked at behind every name of a cookie. */
const COOKIES = /[^\s:;"'`|&<>()]{1,1024}(?:; ?[\w.-]{1,64}=[^\s:;"'`|&<>()]{0,64}){0,8}/y;

const CARD = /(?:\d{4}(?:[ -]\d{4}){3}|\d{4}[ -]\d{6}[ -]\d{5}|\d{13,19})(?!\d)/y;

const CODES = /(?:[A-Za-z0-9]{4,8}-[A-Za-z0-9]{4,8}(?:[ ,;\t\r\n]{1,4}(?=[A-Za-z0-9]{4,8}-))?){1,24}/y;

const SSN = /\d{3}-?\d{2}-?\d{4}(?!\d)/y;

/** What is not written as other values are. */
export const BODIES: Partial<Record<NamedKind, RegExp>> = {
  card: CARD,
  ssn: SSN,
  cookie: COOKIES,
  codes: CODES,
};
