import { expression, SERVER_RUNNERS as table, wordsIn } from "@toolkeep/catalog/internal";

/** By name, or by the path where systems install it. */
export const NODE = expression(table.node);

export const PYTHON = expression(table.python);

export const NPX_OPTIONS = wordsIn(table.npxOptions);

export const BUN_OPTIONS = wordsIn(table.bunOptions);

export const DLX_OPTIONS = wordsIn(table.dlxOptions);

export const UVX_OPTIONS = wordsIn(table.uvxOptions);

/** Commands whose arguments decide what runs, besides the runners. */
export const RUNNERS = wordsIn(table.runners);

export const NPM_NAME = /^(@[a-z0-9~-][a-z0-9._~-]*\/)?[a-z0-9~-][a-z0-9._~-]*$/;

/** Versions begin with a digit, tags with a letter. Anything else can be an address, a directory or an archive. */
export const VERSION = /^(?!.*\.(?:tgz|tar|tar\.gz)$)(?:[~^]?\d[\w.+-]{0,62}|[a-z][\w-]{0,62})$/i;

export const DOCKER_FLAGS = wordsIn(table.dockerFlags);

/** Nothing that brings files of this machine, or another network, into the container. */
export const DOCKER_VALUED = wordsIn(table.dockerValued);

export const IMAGE =
  /^(?:docker\.io\/)?((?:[a-z0-9.-]+\/)*[a-z0-9._-]+)(?::[\w.-]+)?(?:@sha256:[0-9a-f]{64})?$/;
