import { looksLike } from "./lookalikes.ts";

/** Words that ask for secrets, which must not be entered in a form. */
const WORDS: ReadonlySet<string> = new Set(
  (
    "password passwords passwd passphrase passcode pwd secret secrets token credential credentials apikey apitoken " +
    "accesskey secretkey privatekey accesstoken authtoken bearer pin otp totp cvv cvc ssn mnemonic"
  ).split(" "),
);

/** The same as two words in a row. */
const PAIRS: ReadonlySet<string> = new Set(
  (
    "api key,api keys,access key,access tokens,private key,secret key,ssh key,seed phrase,recovery phrase,pass phrase," +
    "pass word,security code,card number,credit card,backup code,recovery code,verification code,pin code,social security"
  ).split(","),
);

/** The same as a part of a longer word. */
const PARTS =
  /passw(?:or)?[dt]|passphrase|passcode|apikey|credential|privkey|privatekey|pincode|creditcard|cardnumber|(?:token|secret|accesstokens)\d*$/;
/** The same in other languages and writings. */
const FOREIGN =
  /contrase[nñ]a|mot ?de ?passe|kennwort|\bsenha\b|\bheslo\b|hasło|пароль|密码|密碼|口令|パスワード|暗証|비밀번호|كلمة المرور|סיסמה/u;

/**
 * Whether a text asks for a secret: a password, a key, a token and the like, however its words are joined, and also with
 * accents, letters of other alphabets or digits that look like its own.
 */
export function asksForSecret(text: string): boolean {
  const plain = (one: string) => one.replaceAll(/[013457@$!|]/g, (char) => DIGITS[char] ?? char);
  // A mark may make the text read from right to left.
  const seen = text.includes("\u202e") ? [text, [...text].reverse().join("")] : [text];
  return (
    FOREIGN.test(text.normalize("NFKC").toLowerCase()) ||
    seen.flatMap((one) => [one, plain(one), plain(one.toLowerCase())]).some((one) => isSecret(wordsOf(one)))
  );
}

/** Characters that are written for letters. */
const DIGITS: Readonly<Record<string, string>> = {
  ...{ "0": "o", "1": "i", "3": "e", "4": "a", "5": "s", "7": "t", "@": "a", $: "s", "!": "i", "|": "l" },
};

function isSecret(words: readonly string[]): boolean {
  return words.some(
    (word, at) => WORDS.has(word) || PARTS.test(word) || PAIRS.has(`${word} ${words[at + 1]}`),
  );
}

function wordsOf(text: string): readonly string[] {
  const split = text
    // Before the letters are taken apart, which changes some that are not shown.
    .replaceAll(/\p{Default_Ignorable_Code_Point}/gu, "")
    .normalize("NFKD")
    .replaceAll(/[\p{Cf}\p{M}]/gu, "")
    .replaceAll(/(\p{Ll})(\p{Lu})/gu, "$1 $2")
    .replaceAll(/(\p{Lu})(\p{Lu}\p{Ll})/gu, "$1 $2");
  // Letters that stand alone are read as one word.
  return looksLike(split)
    .replaceAll("ß", "ss")
    .replaceAll(/(?<![\p{L}\p{N}])\p{L}(?:[^\p{L}\p{N}]\p{L}(?![\p{L}\p{N}]))+/gu, (letters) =>
      letters.replaceAll(/[^\p{L}]/gu, ""),
    )
    .split(/[^\p{L}\p{N}]+/u)
    .filter((word) => word !== "");
}
