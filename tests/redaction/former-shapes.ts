/** The shapes that were known before there was a table of them: what is measured must find more. */
const FORMER = new RegExp(
  [
    "-----BEGIN [A-Z0-9 ]{0,40}PRIVATE KEY(?: BLOCK)?-----[A-Za-z0-9+/=\\s]{0,16000}",
    "(?:AKIA|ASIA)[0-9A-Z]{16}\\b",
    "gh[pousr]_[A-Za-z0-9]{36,255}",
    "github_pat_[A-Za-z0-9_]{22,255}",
    "glpat-[A-Za-z0-9_-]{20,255}",
    "xox[abeprs]-[A-Za-z0-9-]{10,255}",
    "(?<![A-Za-z0-9])sk-[A-Za-z0-9_-]{32,255}",
    "AIza[0-9A-Za-z_-]{35}",
    "npm_[A-Za-z0-9]{36}",
    "[rs]k_live_[0-9A-Za-z]{16,255}",
    "(?<=:\\/\\/[^\\s/:@\"'\\\\]{1,100}:)[^\\s/@\"'\\\\]{3,200}(?=@)",
    "(?<=[Xx]-[Aa]mz-(?:[Ss]ignature|[Cc]redential|[Ss]ecurity-[Tt]oken)=)[^\\s&\"'<>\\\\#]{8,4096}",
    "(?<=[?&;]sig=|[?&;, ]Signature=)[A-Za-z0-9%+/=_~-]{32,4096}",
    "(?<![A-Za-z0-9_-])eyJ[A-Za-z0-9_-]{8,2000}\\.eyJ[A-Za-z0-9_-]{8,8000}\\.[A-Za-z0-9_-]{8,2000}",
  ].join("|"),
  "g",
);

export function redactAsBefore(text: string): string {
  return text.replaceAll(FORMER, "[redacted]");
}
