/** Cyrillic, Greek, Armenian, Cherokee, Coptic: a name made of these alone looks Latin from end to end. */
export const LIKE_LATIN_CLASS =
  "асԁеһіјӏорԛѕѵԝхугькАВЕЅІЈКМНОРСТУХҮԌԜҺӀ" +
  "αγηικνορσυχϲϳΑΒΕΖΗΙΚΜΝΟΡΤΥΧϹͿ" +
  "աեհյոսցզօՍՕ" +
  "ᎪᏴᏟᎠᎬᎻᎥᎫᏦᏞᎷᏀᏢᎡᏚᎢᏙᎳᏃ" +
  "ⲟⲣⲥⲭⲕⲙⲛⲓⲁ";

/** Signs that look like those which end a host or divide it: `/ . : @ ? # -`. */
export const LIKE_SIGNS_CLASS =
  "\u2044\u2215\u29F8\u29F9\u2571\u27CB\u30CE\u4E3F\u3033\uFF0F\uFF3C\u2216\u2024\u3002\uFF0E\uFF61\uA78C\uFF1A\u2236\uA789\u0589\u05C3\uFF20\uFE6B\uFF1F\uFF03\u2010\u2011\u2012\u2013\u2212\u02D7\u06D4\uFE58";

/**
 * Latin letters of no everyday orthography, many of them plain ones drawn a little otherwise: phonetic blocks, clicks,
 * small capitals, Latin Extended-C to E, and the dotless `ı` and `ȷ`.
 */
export const PHONETIC_CLASS =
  "\u{131}\u{237}\u{180}-\u{185}\u{18D}\u{1BD}\u{1BF}-\u{1C3}\u{21D}\u{250}-\u{2AF}\u{1D00}-\u{1DBF}\u{2C60}-\u{2C7F}\u{A720}-\u{A7FF}\u{AB30}-\u{AB6F}\u{1EFF}";

/** Ends of file names that are domains too: only a name that poses is marked, and an accent in it is not. */
export const AMBIGUOUS_ENDINGS: ReadonlySet<string> = new Set(
  "md py sh rs pl pm ml mm cc so ps tf in ac am la st zip mov app name".split(" "),
);

/** Longer domains that are common. Those of two letters are countries, and need no list. */
export const COMMON_DOMAINS: ReadonlySet<string> = new Set(
  (
    "com org net edu gov mil int info biz dev xyz online site shop store top club vip tech cloud space website live life " +
    "world today agency digital email services solutions support systems network company center group team works zone " +
    "blog news media art design studio page link click run sh wiki one pro bank finance money pay health game games chat " +
    "social academy school church city london berlin tokyo test example invalid local localhost internal onion"
  ).split(" "),
);
