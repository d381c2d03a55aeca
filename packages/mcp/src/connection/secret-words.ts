/** Words that ask for secrets, which must not be entered in a form. */
const WORDS: ReadonlySet<string> = new Set(
  (
    "password passwords passwd passphrase passcode pwd secret secrets token credential credentials apikey apitoken " +
    "accesskey secretkey privatekey accesstoken authtoken bearer pin otp totp cvv cvc ssn mnemonic"
  ).split(" "),
);

/** The same as two words in a row. */
const PAIRS: ReadonlySet<string> = new Set([
  "api key",
  "api keys",
  "access key",
  "access tokens",
  "private key",
  "secret key",
  "ssh key",
  "seed phrase",
  "recovery phrase",
  "pass phrase",
  "pass word",
  "security code",
  "card number",
  "credit card",
  "backup code",
]);

/** Whether a text asks for a secret: a password, a key, a token and the like, however its words are joined. */
export function asksForSecret(text: string): boolean {
  const words = wordsOf(text);
  return words.some((word, at) => WORDS.has(word) || PAIRS.has(`${word} ${words[at + 1]}`));
}

function wordsOf(text: string): readonly string[] {
  return text
    .normalize("NFKC")
    .replaceAll(/\p{Cf}/gu, "")
    .replaceAll(/(\p{Ll})(\p{Lu})/gu, "$1 $2")
    .replaceAll(/(\p{Lu})(\p{Lu}\p{Ll})/gu, "$1 $2")
    .toLowerCase()
    .split(/[^\p{L}\p{N}]+/u)
    .filter((word) => word !== "");
}
