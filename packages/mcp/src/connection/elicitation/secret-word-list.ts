/** Words that ask for secrets, which must not be entered in a form. */
export const WORDS: ReadonlySet<string> = new Set(
  (
    "password passwords passwd passphrase passcode pwd secret secrets token credential credentials apikey apitoken " +
    "accesskey secretkey privatekey accesstoken authtoken bearer pin otp totp cvv cvc ssn mnemonic"
  ).split(" "),
);

/** The same as two words in a row. */
export const PAIRS: ReadonlySet<string> = new Set(
  (
    "api key,api keys,access key,access tokens,private key,secret key,ssh key,seed phrase,recovery phrase,pass phrase," +
    "pass word,security code,card number,credit card,backup code,recovery code,verification code,pin code,social security"
  ).split(","),
);

/** The same as a part of a longer word. */
export const PARTS =
  /passw(?:or)?[dt]|passphrase|passcode|apikey|credential|privkey|privatekey|pincode|creditcard|cardnumber|(?:token|secret|accesstokens)\d*$/;

/** The same in other languages and writings. */
export const FOREIGN =
  /contrase[nñ]a|mot ?de ?passe|kennwort|\bsenha\b|\bheslo\b|hasło|пароль|密码|密碼|口令|パスワード|暗証|비밀번호|كلمة المرور|סיסמה/u;

/** Characters that are written for letters. */
export const DIGITS: Readonly<Record<string, string>> = {
  ...{ "0": "o", "1": "i", "3": "e", "4": "a", "5": "s", "7": "t", "@": "a", $: "s", "!": "i", "|": "l" },
};
