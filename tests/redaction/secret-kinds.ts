/** A kind of secret in its published format. */
export interface SecretKind {
  readonly kind: string;
  /** For `makeSecret`. */
  readonly format: string;
  /** The name that it stands under, if nothing in the secret itself tells what it is. */
  readonly name?: string;
  /** What is done to the secret afterwards. */
  readonly form?: "base64" | "luhn";
}

/** Known by their looks: `kind format`. */
const SHAPED = `
github classic token|ghp_{w36}
github oauth token|gho_{w36}
github user token|ghu_{w36}
github app token|ghs_{w36}
github refresh token|ghr_{w36}
github fine-grained token|github_pat_{w22}_{w59}
gitlab personal token|glpat-{u20}
gitlab deploy token|gldt-{u20}
gitlab runner token|glrt-{u20}
gitlab trigger token|glptt-{h40}
gitlab feed token|glft-{u20}
gitlab mail token|glimt-{u25}
gitlab agent token|glagent-{u50}
gitlab job token|glcbt-64_{u20}
gitlab scim token|glsoat-{u20}
gitlab runner registration|GR1348941{u20}
bitbucket app password|ATBB{w32}
atlassian token|ATATT3xFfGF0{u150}
trello token|ATTA{h64}
npm token|npm_{w36}
pypi token|pypi-AgEIcHlwaS5vcmc{u120}
rubygems key|rubygems_{h48}
nuget key|oy2{l43}
clojars token|CLOJARS_{h60}
crates token|cio{w32}
docker personal token|dckr_pat_{u27}
docker organisation token|dckr_oat_{u32}
artifactory key|AKCp{w69}
circleci token|CCIPAT_{w22}_{h40}
buildkite token|bkua_{h40}
snyk token|snyk_uat.{h8}.{u60}
sonar token|squ_{h40}
sourcegraph token|sgp_{h16}_{h40}
octopus key|API-{U28}
harness token|pat.{u22}.{h24}.{w20}
prefect key|pnu_{w36}
postman key|PMAK-{h24}-{h34}
readme key|rdme_{l70}
aws access key|AKIA{B16}
aws temporary key|ASIA{B16}
aws session token|IQoJb3JpZ2luX2Vj{w200}
aws bedrock key|ABSKQmVkcm9ja0FQSUtleS{b110}
google api key|AIza{u35}
google access token|ya29.{u100}
google refresh token|1//0{u60}
google client secret|GOCSPX-{u28}
azure client secret|{w3}8Q~{w34}
azure ai key|{w52}JQQJ99{w26}
alibaba key|LTAI{w20}
tencent key|AKID{w32}
yandex key|AQVN{u36}
digitalocean token|dop_v1_{h64}
digitalocean oauth|doo_v1_{h64}
heroku key|HRKU-{uuid}
fly token|fo1_{u43}
render key|rnd_{w32}
vercel token|vcp_{w56}
netlify token|nfp_{w36}
tailscale key|tskey-auth-{w16}-{w32}
openshift token|sha256~{u43}
databricks token|dapi{h32}
planetscale token|pscale_tkn_{u43}
planetscale password|pscale_pw_{u43}
supabase token|sbp_{h40}
supabase secret key|sb_secret_{u31}
neon key|napi_{l64}
mongodb service key|mdb_sa_sk_{u40}
airtable token|pat{w14}.{h64}
contentful token|CFPAT-{u43}
pubnub secret|sec-c-{uuid}
maxmind key|{w6}_{w29}_mmk
mapbox secret token|sk.eyJ{w80}.{w22}
vault service token|hvs.{u95}
vault batch token|hvb.{u120}
terraform token|{w14}.atlasv1.{w67}
pulumi token|pul-{h40}
doppler token|dp.pt.{w43}
doppler service token|dp.st.prod.{w43}
onepassword service token|ops_eyJ{w300}
age key|AGE-SECRET-KEY-1{B58}
infisical token|st.{h24}.{h32}.{h32}
nats seed|SUA{B55}
slack bot token|xoxb-{d12}-{d12}-{w24}
slack user token|xoxp-{d12}-{d12}-{d12}-{h32}
slack app token|xapp-1-A{U10}-{d13}-{h64}
slack webhook|https://hooks.slack.com/services/T{U9}/B{U9}/{w24}
discord bot token|MT{w22}.{w6}.{w38}
discord webhook|https://discord.com/api/webhooks/{d18}/{u68}
telegram bot token|{d9}:AA{w33}
sendgrid key|SG.{u22}.{u43}
mailgun key|key-{h32}
mailchimp key|{h32}-us12
brevo key|xkeysib-{h64}-{w16}
resend key|re_{w8}_{w24}
twilio key|SK{h32}
zapier webhook|https://hooks.zapier.com/hooks/catch/{d7}/{w12}
anthropic key|sk-ant-api03-{u95}
anthropic oauth token|sk-ant-oat01-{u86}AA
openai project key|sk-proj-{w48}
openai service key|sk-svcacct-{w48}
openai key|sk-{w48}
openrouter key|sk-or-v1-{h64}
groq key|gsk_{w52}
xai key|xai-{w80}
hugging face token|hf_{w34}
hugging face organisation token|api_org_{w34}
replicate token|r8_{w37}
perplexity key|pplx-{w48}
nvidia key|nvapi-{u64}
cerebras key|csk-{l48}
together key|tgp_v1_{u43}
fireworks key|fw_{w24}
elevenlabs key|sk_{h48}
langsmith key|lsv2_pt_{h32}_{h10}
tavily key|tvly-dev-{w32}
firecrawl key|fc-{h32}
pinecone key|pcsk_{w5}_{w60}
e2b key|e2b_{h40}
stripe live key|sk_live_{w24}
stripe restricted key|rk_live_{w24}
stripe test key|sk_test_{w24}
webhook signing secret|whsec_{w32}
shopify token|shpat_{h32}
shopify secret|shpss_{h32}
square token|sq0atp-{u22}
razorpay key|rzp_live_{w14}
braintree token|access_token$production{D}{l16}{D}{h32}
plaid token|access-production-{uuid}
flutterwave key|FLWSECK-{h32}-X
shippo token|shippo_live_{h40}
easypost key|EZAK{w54}
duffel token|duffel_live_{u43}
grafana cloud token|glc_{b100}
grafana service token|glsa_{w32}_{h8}
new relic key|NRAK-{U27}
sentry organisation token|sntrys_{w140}
sentry user token|sntryu_{h64}
dynatrace token|dt0c01.{U24}.{U64}
honeycomb key|hcaik_{l58}
posthog key|phx_{w43}
launchdarkly key|sdk-{uuid}
linear key|lin_api_{w40}
notion token|ntn_{w46}
notion integration|secret_{w43}
figma token|figd_{u43}
hubspot token|pat-na1-{uuid}
typeform token|tfp_{w44}
clickup token|pk_{d8}_{U32}
dropbox token|sl.{u140}
facebook token|EAAG{w120}
asana token|1/{d16}:{h32}
json web token|eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxMjM0NTY3ODkwIn0.{u43}
encrypted web token|eyJhbGciOiJkaXIifQ..{u16}.{u40}.{u22}
address of a database|postgres://app:{p14}@db.internal:5432/x
address of a cache|redis://:{w20}@cache.internal:6379/0
address with a login|https://deploy:{w16}@git.example.com/a.git
presigned S3 address|https://b.s3.amazonaws.com/k?X-Amz-Date=20260101T000000Z&X-Amz-Signature={h64}
azure shared access|https://a.blob.core.windows.net/c?sv=2022-11-02&sig={w43}%3D
rsa private key|{pem:RSA PRIVATE KEY}
private key|{pem:PRIVATE KEY}
encrypted private key|{pem:ENCRYPTED PRIVATE KEY}
openssh private key|{pem:OPENSSH PRIVATE KEY}
pgp private key|{pem:PGP PRIVATE KEY BLOCK}
putty private key|PuTTY-User-Key-File-3: ssh-rsa{N}Private-Lines: 2{N}{b64}{N}{b64}{N}Private-MAC: {h64}
bcrypt hash|$2b$12{D}{w53}
`;

/** Known by the name that they stand under alone: `kind|NAME|format`. */
const NAMED = `
aws secret access key|AWS_SECRET_ACCESS_KEY|{b40}
datadog api key|DD_API_KEY|{h32}
datadog application key|DD_APP_KEY|{h40}
cloudflare api token|CLOUDFLARE_API_TOKEN|{u40}
azure storage key|ACCOUNT_KEY|{b86}==
azure shared access key|SHARED_ACCESS_KEY|{b43}=
azure client secret, old|AZURE_CLIENT_SECRET|{uuid}
mistral key|MISTRAL_API_KEY|{w32}
cohere key|COHERE_API_KEY|{w40}
weights and biases key|WANDB_API_KEY|{h40}
algolia key|ALGOLIA_ADMIN_KEY|{h32}
pagerduty token|PAGERDUTY_TOKEN|u+{u18}
okta token|OKTA_API_TOKEN|00{u40}
auth0 secret|AUTH0_CLIENT_SECRET|{u64}
paypal secret|PAYPAL_SECRET|E{u79}
twilio auth token|TWILIO_AUTH_TOKEN|{h32}
twitter secret|TWITTER_CONSUMER_SECRET|{w50}
spotify secret|SPOTIFY_CLIENT_SECRET|{h32}
codecov token|CODECOV_TOKEN|{uuid}
jenkins token|JENKINS_API_TOKEN|11{h32}
elastic password|ELASTIC_PASSWORD|{w20}
postgres password|PGPASSWORD|{p14}
mysql password|MYSQL_PWD|{w12}
database password|DB_PASSWORD|{p12}
redis password|REDIS_PASSWORD|{w24}
smtp password|SMTP_PASS|{l16}
ldap password|LDAP_BIND_PASSWORD|{p12}
wifi key|WIFI_PSK|{w12}
key of a session|SESSION_SECRET|{h64}
django key|DJANGO_SECRET_KEY|{u50}
rails master key|RAILS_MASTER_KEY|{h32}
laravel key|APP_KEY|base64:{b43}=
next auth secret|NEXTAUTH_SECRET|{b43}=
encryption key|ENCRYPTION_KEY|{h64}
signing key|SIGNING_KEY|{b43}=
secret of web tokens|JWT_SECRET|{w32}
wireguard key|WG_PRIVATE_KEY|{b43}=
access token|ACCESS_TOKEN|{w40}
refresh token|REFRESH_TOKEN|{u60}
csrf token|X_CSRF_TOKEN|{w32}
vault unseal key|VAULT_UNSEAL_KEY|{b43}=
connection string|CONNECTION_STRING|Server=tcp:db.example.com;User=sa;Password={p16}
payment card|CARD_NUMBER|4{d14}
social security number|SSN|123-45-6789
`;

const shaped = SHAPED.trim()
  .split("\n")
  .map((line): SecretKind => {
    const [kind = "", format = ""] = line.split("|");
    return { kind, format: format.replaceAll("{N}", "\n").replaceAll("{D}", "$") };
  });
const named = NAMED.trim()
  .split("\n")
  .map((line): SecretKind => {
    const [kind = "", name = "", format = ""] = line.split("|");
    return { kind, name, format, ...(kind === "payment card" ? { form: "luhn" as const } : {}) };
  });
const ENCODED = ["github classic token", "slack bot token", "anthropic key", "aws access key"];
const encoded = shaped
  .filter(({ kind }) => ENCODED.includes(kind))
  .map((one): SecretKind => ({ ...one, kind: `${one.kind} in base64`, form: "base64" }));

/** Every kind of secret that is tried. */
export const SECRET_KINDS: readonly SecretKind[] = [...shaped, ...encoded, ...named];
