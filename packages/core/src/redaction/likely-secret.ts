/** What stands for a value, and is none. */
const PLACEHOLDER =
  /^(?:\$\{|\$\(|\$[A-Za-z_]\w*$|\{|<|\[|\(|%[({]?[\w.]*[)}]?[sd@%]?$|#\{|@\{|[*.•x_?#-]+$|…)|^(?:x{4,}|\*{3,})|(?:^|[-_ .<{])(?:change[-_]?(?:me|it|this)|replace[-_]?(?:me|this|with)|placeholder|redacted|your|insert|example|dummy|sample|todo)(?:$|[-_ .>}\d!])|^(?:your|my)(?=[A-Z])|^(?:pass|password|user|test)123\d{0,3}$|^(?:null|nil|none|undefined|true|false|string|number|boolean)$|\.{3}|…/i;

/** A reference to where the value is kept. */
const REFERENCE =
  /^(?:(?:https?|file|env|op|vault|secret|ref|arn|aws|gcp|azure|sops|data):|\.{0,2}\/(?![A-Za-z0-9+/]{39}$|[A-Za-z0-9+/]{40,100}={1,2}$)|~\/|[A-Za-z]:\\|AWS4-|projects\/|\/?run\/secrets|(?:id|type|src)=[\w./-]+,)/i;

/** A name of code: `config.password`, `Config::token`, `user->name`. */
const CHAIN = /^[A-Za-z_$][\w$]*(?:(?:\??\.|::|->)[A-Za-z_$][\w$]*)+$/;
const CODE = /[()`]|=>|\$\{|\{\{|<%/;
const DATED = /^\d{4}-\d{2}-\d{2}/;
const VERSION = /^[~^<>=v]{0,2}\d+(?:\.[\dx*]+){1,3}(?:[-+][\w.]+)?$/;

/** Whether a value that stands under the name of a secret is one, and not a word, a placeholder or code. */
export function isRandom(value: string): boolean {
  return hasNoWords(value) && !stands(value);
}

/** The same for a password that is written as data: people choose them, so that one digit or sign is enough. */
export function isPassword(value: string): boolean {
  if (value.length < 4) return false;
  const isUnlikeWords = /\d/.test(value) || /[!@#$%^&*+?~]/.test(value.slice(1)) || isMixed(value);
  return isUnlikeWords && !stands(value) && !CHAIN.test(value);
}

/** Whether documentation writes it in the place of a password. */
export function isWordForPassword(value: string): boolean {
  return /^(?:my|your|some)?[-_]?(?:pass|passwd|password|pwd|pw|secret|token|api[-_]?key|key)$|^(?:\*+|x+|\.+|[<{[$%(].*)$/i.test(
    value,
  );
}

/** Whether it stands for something else: a placeholder, a reference, code, a date, a version. */
export function stands(value: string): boolean {
  const isOther = PLACEHOLDER.test(value) || REFERENCE.test(value) || CODE.test(value);
  return isOther || DATED.test(value) || VERSION.test(value);
}

const SHORTEST = 8;
const SHORTEST_LETTERS = 12;
/** Letters and digits at random change their kind every two characters; words do so every four or more. */
const MOST_PER_RUN = 3;
const MOST_PER_RUN_OF_LETTERS = 2.4;
const CONSONANTS = /[bcdfghjklmnpqrstvwxz]{5}/i;

/** Whether letters and digits change as they do at random. */
export function hasNoWords(value: string): boolean {
  if (value.length < SHORTEST || (value.length < SHORTEST_LETTERS && !/\d/.test(value))) return false;
  const head = value.slice(0, 256);
  const runs = head.match(/[A-Z]?[a-z]+|[A-Z]+|\d+/g) ?? [];
  const length = runs.reduce((sum, run) => sum + run.length, 0);
  if (length < SHORTEST) return false;
  const perRun = length / runs.length;
  if (/\d/.test(head) && /[A-Za-z]/.test(head)) return perRun < MOST_PER_RUN || isLongHash(head);
  return length >= SHORTEST_LETTERS && (perRun < MOST_PER_RUN_OF_LETTERS || CONSONANTS.test(head));
}

/** Capital letters where words have none. */
function isMixed(value: string): boolean {
  const runs = value.match(/[A-Z]?[a-z]+|[A-Z]+/g) ?? [];
  return value.length >= SHORTEST && (value.length / runs.length <= MOST_PER_RUN || CONSONANTS.test(value));
}

/** Few letters among many digits, or the other way round. */
function isLongHash(text: string): boolean {
  return text.length >= 20 && /^[a-z0-9]+$|^[A-Z0-9]+$/.test(text) && /\d[a-z]+\d/i.test(text);
}

/** Whether digits are those of a payment card. */
export function isCard(digits: string): boolean {
  const plain = digits.replaceAll(/[ -]/g, "");
  if (!/^\d{13,19}$/.test(plain)) return false;
  let sum = 0;
  for (let index = 0; index < plain.length; index += 1) {
    const digit = Number(plain.at(-1 - index));
    const doubled = index % 2 === 1 ? digit * 2 : digit;
    sum += doubled > 9 ? doubled - 9 : doubled;
  }
  return sum % 10 === 0;
}
