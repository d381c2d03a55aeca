/** Takes the credentials of a request out of what came back: servers repeat them, in errors most of all. */
export function withoutSecrets(text: string, secrets: readonly string[]): string {
  return secrets
    .filter((secret) => secret !== "")
    .flatMap((secret) => [secret, encodeURIComponent(secret), JSON.stringify(secret).slice(1, -1)])
    .reduce((rest, form) => rest.replaceAll(form, "[credential]"), text);
}
