/** By name, or by the path where systems install it. */
export const NODE = /^(?:(?:\/usr|\/usr\/local|\/opt\/homebrew)\/bin\/)?node$/;

export const PYTHON = /^python(?:3(?:\.\d{1,2})?)?$/;

export const NPX_OPTIONS: ReadonlySet<string> = new Set(
  "-y --yes -q --quiet --prefer-offline --prefer-online --offline".split(" "),
);

export const BUN_OPTIONS: ReadonlySet<string> = new Set(["-y", "--bun", "--silent"]);

export const DLX_OPTIONS: ReadonlySet<string> = new Set(["-q", "--quiet", "-s", "--silent"]);

export const UVX_OPTIONS: ReadonlySet<string> = new Set(
  "-q --quiet --refresh --no-cache --offline --native-tls".split(" "),
);

/** Commands whose arguments decide what runs, besides the runners. */
export const RUNNERS: ReadonlySet<string> = new Set(
  "npm npx bun bunx pnpm yarn uv uvx pipx docker podman node deno tsx sh bash zsh env sudo cmd python python3".split(
    " ",
  ),
);

export const NPM_NAME = /^(@[a-z0-9~-][a-z0-9._~-]*\/)?[a-z0-9~-][a-z0-9._~-]*$/;

/**
 * Versions begin with a digit, tags with a letter. Anything else can be an address, a directory, another package, or
 * (by its ending) an archive.
 */
export const VERSION = /^(?!.*\.(?:tgz|tar|tar\.gz)$)(?:[~^]?\d[\w.+-]{0,62}|[a-z][\w-]{0,62})$/i;

export const DOCKER_FLAGS: ReadonlySet<string> = new Set(
  "-i --interactive --rm -t --tty -it -ti --init --read-only".split(" "),
);

/** Nothing that brings files of this machine, or another network, into the container. */
export const DOCKER_VALUED: ReadonlySet<string> = new Set(
  "-e --env --name --pull --platform -l --label".split(" "),
);

export const IMAGE =
  /^(?:docker\.io\/)?((?:[a-z0-9.-]+\/)*[a-z0-9._-]+)(?::[\w.-]+)?(?:@sha256:[0-9a-f]{64})?$/;
