import { createRedactor } from "@toolkeep/core";

/** What every command may know of the terminal and the language of the client. */
export const OF_TERMINAL: readonly string[] = [
  ...["TERM", "COLUMNS", "LINES", "LANG", "LC_ALL", "TZ", "CI", "NO_COLOR", "FORCE_COLOR"],
];

/** Secrets, sockets of the user's session, and what is another in a place. */
const HIDDEN =
  /TOKEN|SECRET|PASSW|PASSPHRASE|CREDENTIAL|PRIVATE|COOKIE|AUTH(?!OR)|XAUTHORITY|(?:^|_)(?:API|ACCESS|SIGNING|ENCRYPTION|MASTER)_?KEY|_KEY$|_DSN$|_SOCK(?:ET)?$|^(?:TOOLKEEP|DBUS|LD|DYLD|XDG|SSH|GPG|DOCKER|KUBE|WAYLAND|SUDO)_|^(?:DISPLAY|KUBECONFIG|BASH_ENV|ENV|PWD|OLDPWD|SHLVL|_|HOME|TMPDIR|SHELL)$|_proxy$/i;
const PASSWORD_IN_URL = /:\/\/[^/\s:@]*:[^/\s@]+@/;

/** Whether contained commands get a variable of the client as it is, so that they do what they do outside. */
export function isPassed(name: string, value: string): boolean {
  return (
    OF_TERMINAL.includes(name) ||
    (/^[A-Za-z_]\w*$/.test(name) && !HIDDEN.test(name) && !PASSWORD_IN_URL.test(value) && isPlain(value))
  );
}

const redactor = createRedactor();

function isPlain(value: string): boolean {
  return redactor.redact(value) === value;
}

export function passedVariables(
  environment: Readonly<Record<string, string | undefined>>,
): readonly string[] {
  return Object.entries(environment).flatMap(([name, value]) =>
    value !== undefined && isPassed(name, value) ? [name] : [],
  );
}
