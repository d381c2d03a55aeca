/** Only bounded repeats, so matching time is bounded for any text. */
export const PATTERNS: readonly (readonly [what: string, pattern: RegExp])[] = [
  [
    "has a tag that imitates an instruction",
    /<\/?(?:important|instructions?|system(?:[-_ ]\w{1,20})?|hidden)\b[^<>]{0,60}>/i,
  ],
  [
    "says what to do before the tool is used",
    /\b(?:before|prior to)\s+(?:you\s+)?(?:us(?:e|ing)|call(?:ing)?|invok(?:e|ing)|runn?(?:ing)?)\b[^.]{0,120}\b(?:read|cat|send|pass|include|print|export|attach|upload)\b/i,
  ],
  [
    "asks to hide something from the user",
    /\b(?:do not|don['’]?t|never|without)\s+(?:ever\s+)?(?:tell|mention|inform|notify|reveal|show|alert|say|explain)(?:ing)?\b[^.]{0,60}\b(?:user|person|human|anyone|anybody|them)\b/i,
  ],
  [
    "names files that hold keys",
    /(?:[/\\~.](?:ssh|aws|gnupg|kube|azure)(?:[/\\]|\b)|\bid_(?:rsa|ed25519|ecdsa|dsa)\b|\.(?:netrc|npmrc|pypirc|git-credentials|pgpass)\b|\/etc\/(?:passwd|shadow)\b|(?:\.mcp|\.claude|\.cursor\/mcp|claude_desktop_config)\.json\b|\b(?:read|cat|open|contents? of)\b[^.]{0,30}\.env\b)/i,
  ],
  [
    "asks to ignore earlier instructions",
    /\b(?:ignore|disregard|forget|override|bypass)\b[^.]{0,40}\b(?:instructions?|prompts?|rules|guidelines|policies|policy)\b/i,
  ],
  [
    "asks for more than its arguments",
    /\b(?:side[-_ ]?note|system prompt|(?:entire|full|whole|complete) (?:conversation|chat|context)|(?:conversation|chat) history)\b/i,
  ],
  [
    "asks to send something to another recipient",
    /\b(?:always|also|must|silently|secretly)\b[^.]{0,40}\b(?:bcc|forward|exfiltrat\w{0,5}|leak)\b/i,
  ],
  ["has a long encoded text", /[A-Za-z0-9+/]{160,}={0,2}/],
];
