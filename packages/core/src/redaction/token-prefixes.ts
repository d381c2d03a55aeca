/** Tokens of one issuer: each begins with one of the prefixes, and continues as the pattern says. */
export interface TokenPrefix {
  readonly name: string;
  readonly prefixes: readonly string[];
  /** What follows the prefix: a regular expression that takes time in proportion to what it reads. */
  readonly rest: string;
  /** No letter or digit stands before it: the prefix alone is not rare enough. */
  readonly startsWord: boolean;
  /** How many letters, digits and underscores before it belong to it. */
  readonly lead: number;
}

const HEX = "[0-9a-f]";
const WORD = "[A-Za-z0-9]";
const URL_SAFE = "[A-Za-z0-9_-]";
const UUID = `${HEX}{8}-${HEX}{4}-${HEX}{4}-${HEX}{4}-${HEX}{12}`;

type Row = readonly [name: string, prefixes: string, rest: string, start?: "startsWord" | number];

/** Published formats. A short prefix is only taken for one at the start of a word, and with a rest of known length. */
const ROWS: readonly Row[] = [
  // Code hosting, packages and builds.
  ["github-token", "ghp_ gho_ ghu_ ghs_ ghr_", `${WORD}{36,255}`],
  ["github-token", "github_pat_", "[A-Za-z0-9_]{22,255}"],
  [
    "gitlab-token",
    "glpat- gldt- glrt- glptt- glft- glimt- glagent- glsoat- glffct- glcbt- gloas-",
    "[A-Za-z0-9_.-]{20,300}",
  ],
  ["gitlab-token", "GR1348941", `${URL_SAFE}{20,50}`],
  ["bitbucket-token", "ATBB", `${WORD}{32}(?!${WORD})`, "startsWord"],
  ["atlassian-token", "ATATT3xFf ATCTT3xFf", "[A-Za-z0-9=_-]{40,400}"],
  ["trello-token", "ATTA", `${HEX}{64}`, "startsWord"],
  ["npm-token", "npm_", `${WORD}{36}`],
  ["pypi-token", "pypi-AgEIcHlwaS5vcmc pypi-AgENdGVzdC5weXBpLm9yZ", `${URL_SAFE}{50,1000}`],
  ["rubygems-token", "rubygems_", `${HEX}{48}`],
  ["nuget-key", "oy2", "[a-z0-9]{43}(?![a-z0-9])", "startsWord"],
  ["clojars-token", "CLOJARS_", `${HEX}{60}`],
  ["crates-token", "cio", `${WORD}{32}(?!${WORD})`, "startsWord"],
  ["docker-token", "dckr_pat_ dckr_oat_", `${URL_SAFE}{20,64}`],
  ["artifactory-key", "AKCp", `${WORD}{69}`, "startsWord"],
  ["circleci-token", "CCIPAT_ CCIPRJ_", "[A-Za-z0-9_]{40,120}"],
  ["buildkite-token", "bkua_", `${HEX}{40}`],
  ["snyk-token", "snyk_uat. snyk_sat.", "[A-Za-z0-9_.-]{40,200}"],
  ["sonar-token", "sqp_ squ_ sqa_", `${HEX}{40}`, "startsWord"],
  ["sourcegraph-token", "sgp_", `(?:${HEX}{16}_|local_)?${HEX}{40}`],
  ["octopus-key", "API-", "[A-Z0-9]{26,32}(?![A-Za-z0-9])", "startsWord"],
  ["scalingo-token", "tk-us-", `${URL_SAFE}{48}`, "startsWord"],
  ["harness-token", "pat. sat.", `${URL_SAFE}{22}\\.${HEX}{24}\\.${WORD}{20}`, "startsWord"],
  ["prefect-key", "pnu_ pnb_", `${WORD}{36}`, "startsWord"],
  ["postman-key", "PMAK-", `${HEX}{24}-${HEX}{34}`],
  ["readme-key", "rdme_", "[a-z0-9]{70}"],
  // Clouds and platforms.
  ["aws-key", "AKIA ASIA ABIA ACCA", "[0-9A-Z]{16}\\b"],
  ["aws-session-token", "IQoJb3JpZ2luX2Vj FwoGZXIvYXdz", "[A-Za-z0-9+/=%]{40,4000}"],
  ["aws-bedrock-key", "ABSKQmVkcm9ja0FQSUtleS", "[A-Za-z0-9+/=]{40,400}"],
  ["google-key", "AIza", "[0-9A-Za-z_-]{35}"],
  ["google-token", "ya29.", `${URL_SAFE}{20,4000}`],
  ["google-token", "1//0", `${URL_SAFE}{40,200}`, "startsWord"],
  ["google-client-secret", "GOCSPX-", `${URL_SAFE}{28}`],
  ["azure-key", "JQQJ99", "[A-Za-z0-9]{20,90}", 60],
  ["alibaba-key", "LTAI", `${WORD}{12,28}(?!${WORD})`, "startsWord"],
  ["tencent-key", "AKID", `${WORD}{32}(?!${WORD})`, "startsWord"],
  ["yandex-key", "AQVN", `${URL_SAFE}{35,38}`, "startsWord"],
  ["yandex-token", "y0_", `${URL_SAFE}{50,70}`, "startsWord"],
  ["digitalocean-token", "dop_v1_ doo_v1_ dor_v1_", `${HEX}{64}`],
  ["heroku-key", "HRKU-", `(?:${UUID}|AA${URL_SAFE}{50,70})`],
  ["fly-token", "fo1_ fm1r_ fm2_ fm1a_", "[A-Za-z0-9+/=_-]{40,4000}", "startsWord"],
  ["render-key", "rnd_", `${WORD}{28,40}`, "startsWord"],
  ["vercel-token", "vcp_ vck_ vci_ vca_ vcr_", `${WORD}{24,80}`, "startsWord"],
  ["vercel-token", "vercel_blob_rw_", `${WORD}{10,32}_${WORD}{20,64}`],
  ["netlify-token", "nfp_ nfc_ nfo_ nfu_ nfb_", `${WORD}{36}`, "startsWord"],
  ["cloudflare-key", "v1.0-", `${HEX}{24}-${HEX}{146}`, "startsWord"],
  ["cloudflare-token", "cfut_ cfat_ cfk_", `${WORD}{40,60}`, "startsWord"],
  ["tailscale-key", "tskey-", "(?:[a-z]{2,10}-)?[A-Za-z0-9]{8,40}-?[A-Za-z0-9]{16,60}"],
  ["openshift-token", "sha256~", `${URL_SAFE}{43}`, "startsWord"],
  ["defined-key", "dnkey-", "[a-z0-9=_-]{26}-[a-z0-9=_-]{52}"],
  // Data.
  ["databricks-token", "dapi", `${HEX}{32}(?:-\\d)?(?!${WORD})`, "startsWord"],
  ["planetscale-token", "pscale_tkn_ pscale_pw_ pscale_oauth_", "[A-Za-z0-9=._-]{32,64}"],
  ["supabase-token", "sbp_", `(?:oauth_)?${HEX}{40}`],
  ["supabase-key", "sb_secret_", `${URL_SAFE}{20,60}`],
  ["neon-key", "napi_", "[a-z0-9]{64}"],
  ["mongodb-key", "mdb_sa_sk_", `${URL_SAFE}{36,48}`],
  ["airtable-token", "pat", `${WORD}{14}\\.${HEX}{64}`, "startsWord"],
  ["contentful-token", "CFPAT-", `${URL_SAFE}{43}`],
  ["pubnub-key", "sec-c-", `(?:${UUID}|[A-Za-z0-9=]{48})`],
  ["maxmind-key", "_mmk", "(?<=[A-Za-z0-9]{6}_[A-Za-z0-9]{29}_mmk)(?![A-Za-z0-9])", 36],
  ["mapbox-token", "sk.eyJ", `${URL_SAFE}{20,500}\\.${URL_SAFE}{20,40}`],
  // Secrets and infrastructure.
  ["vault-token", "hvs. hvb. hvr.", `${URL_SAFE}{24,300}`, "startsWord"],
  ["terraform-token", ".atlasv1.", "[A-Za-z0-9=_-]{60,70}", 14],
  ["pulumi-token", "pul-", `${HEX}{40}`, "startsWord"],
  [
    "doppler-token",
    "dp.pt. dp.st. dp.sa. dp.ct. dp.scim. dp.audit.",
    "(?:[a-z0-9_-]{2,35}\\.)?[A-Za-z0-9]{40,44}",
    "startsWord",
  ],
  ["onepassword-token", "ops_eyJ", "[A-Za-z0-9+/=_-]{100,2000}"],
  ["age-key", "AGE-SECRET-KEY-1 AGE-PLUGIN-", "[A-Z0-9-]{40,2000}"],
  ["infisical-token", "st.", `${HEX}{24}\\.${HEX}{32}\\.${HEX}{32}`, "startsWord"],
  ["nats-seed", "SUA SAA SOA SNA", "[A-Z2-7]{55}(?![A-Za-z0-9])", "startsWord"],
  // Chat and mail.
  ["slack-token", "xoxa- xoxb- xoxe- xoxo- xoxp- xoxr- xoxs- xoxc- xoxd-", "[A-Za-z0-9%-]{10,255}"],
  ["slack-token", "xoxe.xoxb- xoxe.xoxp-", "[A-Za-z0-9-]{20,255}"],
  ["slack-token", "xapp-", "\\d-[A-Z0-9]{8,20}-\\d{8,20}-[a-z0-9]{32,128}"],
  [
    "slack-webhook",
    "hooks.slack.com/services/ hooks.slack.com/workflows/ hooks.slack.com/triggers/",
    "[A-Z][A-Za-z0-9]{6,20}/[A-Za-z0-9]{6,24}/[A-Za-z0-9/]{16,64}",
  ],
  ["discord-webhook", "discord.com/api/webhooks/ discordapp.com/api/webhooks/", "\\d{15,21}/[\\w-]{50,90}"],
  ["teams-webhook", "webhook.office.com/webhookb2/", "[A-Za-z0-9@/-]{80,250}"],
  ["zapier-webhook", "hooks.zapier.com/hooks/catch/", "\\d{5,12}/[A-Za-z0-9]{5,20}"],
  ["sendgrid-key", "SG.", `${URL_SAFE}{16,32}\\.${URL_SAFE}{30,64}`, "startsWord"],
  ["mailgun-key", "key-", `${HEX}{32}(?!${WORD})`, "startsWord"],
  ["brevo-key", "xkeysib- xsmtpsib-", `${HEX}{64}-${WORD}{16}`],
  ["resend-key", "re_", `${WORD}{8}_${WORD}{24}(?!${WORD})`, "startsWord"],
  ["twilio-key", "SK", `${HEX}{32}(?![A-Za-z0-9])`, "startsWord"],
  // Models.
  ["anthropic-key", "sk-ant-", `${URL_SAFE}{20,255}`, "startsWord"],
  ["openai-key", "sk-", `(?:proj-|svcacct-|admin-)?${URL_SAFE}{32,255}`, "startsWord"],
  ["groq-key", "gsk_", `${WORD}{40,60}`],
  ["xai-key", "xai-", `${WORD}{70,90}`],
  ["huggingface-token", "hf_", `${WORD}{30,40}(?!${WORD})`, "startsWord"],
  ["huggingface-token", "api_org_", `${WORD}{34}`],
  ["replicate-token", "r8_", `${WORD}{37}`, "startsWord"],
  ["perplexity-key", "pplx-", `${WORD}{40,60}`],
  ["nvidia-key", "nvapi-", `${URL_SAFE}{60,80}`],
  ["cerebras-key", "csk-", "[a-z0-9]{40,60}", "startsWord"],
  ["together-key", "tgp_v1_", `${URL_SAFE}{40,50}`],
  ["fireworks-key", "fw_", `${WORD}{22,24}(?!${WORD})`, "startsWord"],
  ["elevenlabs-key", "sk_", `${HEX}{48}(?!${WORD})`, "startsWord"],
  ["langsmith-key", "lsv2_pt_ lsv2_sk_", `${HEX}{32}_${HEX}{10}`],
  ["tavily-key", "tvly-", `(?:dev-|prod-)?${URL_SAFE}{28,64}`],
  ["firecrawl-key", "fc-", `${HEX}{32}(?!${WORD})`, "startsWord"],
  ["pinecone-key", "pcsk_", "[A-Za-z0-9_]{50,80}"],
  ["jina-key", "jina_", `${HEX}{32}${URL_SAFE}{28}`],
  ["voyage-key", "pa-", `${URL_SAFE}{43}(?!${URL_SAFE})`, "startsWord"],
  ["e2b-key", "e2b_", `${HEX}{40}`],
  // Money and shops.
  ["stripe-key", "sk_live_ rk_live_ sk_test_ rk_test_", "[0-9A-Za-z]{16,255}"],
  ["webhook-secret", "whsec_", "[A-Za-z0-9+/=]{24,80}"],
  ["shopify-token", "shpat_ shpca_ shppa_ shpss_ shpua_", "[0-9a-fA-F]{32}"],
  ["square-token", "sq0atp- sq0csp- sq0idp-", `${URL_SAFE}{22,43}`],
  ["square-token", "EAAA", `${URL_SAFE}{60}(?!${URL_SAFE})`, "startsWord"],
  ["razorpay-key", "rzp_live_ rzp_test_", `${WORD}{14}`],
  ["braintree-token", "access_token$production$ access_token$sandbox$", `[0-9a-z]{16}\\$${HEX}{32}`],
  ["plaid-token", "access-production- access-sandbox- access-development-", UUID],
  ["flutterwave-key", "FLWSECK-", `${WORD}{32,40}-X`],
  ["flutterwave-key", "FLWSECK_TEST-", `${WORD}{12,40}`],
  ["shippo-key", "shippo_live_ shippo_test_", `${HEX}{40}`],
  ["easypost-key", "EZAK EZTK", `${WORD}{54}`, "startsWord"],
  ["duffel-key", "duffel_live_ duffel_test_", `${URL_SAFE}{43}`],
  ["lob-key", "live_ test_", `${HEX}{35}(?!${WORD})`, "startsWord"],
  // What watches and what plans.
  ["grafana-token", "glc_", "[A-Za-z0-9+/=]{32,400}", "startsWord"],
  ["grafana-token", "glsa_", `${WORD}{32}_[A-Fa-f0-9]{8}`],
  ["newrelic-key", "NRAK- NRII- NRRA- NRIQ- NRJS-", `${URL_SAFE}{19,42}`, "startsWord"],
  ["sentry-token", "sntrys_", "[A-Za-z0-9+/=_-]{60,500}"],
  ["sentry-token", "sntryu_", `${HEX}{64}`],
  ["dynatrace-token", "dt0c01. dt0s01. dt0s16.", "[A-Z0-9]{24}\\.[A-Z0-9]{64}"],
  ["honeycomb-key", "hcaik_ hcamk_ hcxik_", "[a-z0-9]{40,70}"],
  ["posthog-key", "phx_", `${WORD}{40,60}`, "startsWord"],
  ["launchdarkly-key", "sdk-", `${UUID}(?!${WORD})`, "startsWord"],
  ["linear-key", "lin_api_ lin_oauth_", `${WORD}{32,70}`],
  ["notion-token", "ntn_", `${WORD}{40,60}`, "startsWord"],
  ["notion-token", "secret_", `${WORD}{43}(?!${WORD})`, "startsWord"],
  ["figma-token", "figd_ figo_ figu_", `${URL_SAFE}{40,60}`, "startsWord"],
  ["hubspot-token", "pat-na1- pat-na2- pat-eu1-", UUID],
  ["typeform-token", "tfp_", "[A-Za-z0-9_.-]{40,60}", "startsWord"],
  ["frameio-token", "fio-u-", "[A-Za-z0-9=_-]{64}"],
  ["intercom-token", "dG9rO", "[A-Za-z0-9+/=]{40,80}", "startsWord"],
  ["clickup-token", "pk_", `\\d{6,10}_[A-Z0-9]{32}`, "startsWord"],
  ["dropbox-token", "sl.", `${URL_SAFE}{130,1400}`, "startsWord"],
  ["facebook-token", "EAACEdEose0cBA EAAG EAAB", `${WORD}{80,400}`, "startsWord"],
  ["adobe-secret", "p8e-", `${URL_SAFE}{32}`, "startsWord"],
  ["settlemint-token", "sm_aat_ sm_pat_ sm_sat_", `${WORD}{16,64}`],
  // How passwords are kept.
  ["password-hash", "$2a$ $2b$ $2y$", "\\d\\d\\$[./A-Za-z0-9]{53}"],
  ["password-hash", "$argon2id$ $argon2i$ $argon2d$", "[A-Za-z0-9+/=,$]{40,300}"],
  ["password-hash", "$6$ $5$", "(?:rounds=\\d{1,9}\\$)?[./A-Za-z0-9]{1,16}\\$[./A-Za-z0-9]{43,86}"],
];

/** Known shapes within base64, where the whole secret was encoded. */
const ENCODED = [
  ...["ghp_", "gho_", "ghs_", "github_pat_", "glpat-", "xoxb-", "xoxp-", "sk-ant-", "sk-proj-", "sk_live_"],
  ...["npm_", "hvs.", "dckr_pat_", "AKIA", "AIza"],
];
const ENCODED_KEYS = ["", "RSA ", "EC ", "OPENSSH ", "ENCRYPTED "].map(
  (kind) => `-----BEGIN ${kind}PRIVATE KEY`,
);

/** What base64 of every text with this prefix begins with. */
function encodedPrefix(prefix: string): string {
  return btoa(prefix).slice(0, Math.floor((prefix.length * 8) / 6));
}

const ENCODED_ROWS: readonly Row[] = [
  ["encoded-secret", ENCODED.map(encodedPrefix).join(" "), "[A-Za-z0-9+/_-]{18,400}={0,2}", "startsWord"],
  ["private-key", ENCODED_KEYS.map(encodedPrefix).join(" "), "[A-Za-z0-9+/=_-]{40,12000}"],
];

export const TOKEN_PREFIXES: readonly TokenPrefix[] = [...ROWS, ...ENCODED_ROWS].map(
  ([name, prefixes, rest, start]) => ({
    name,
    prefixes: prefixes.split(" "),
    rest,
    startsWord: start === "startsWord",
    lead: typeof start === "number" ? start : 0,
  }),
);
