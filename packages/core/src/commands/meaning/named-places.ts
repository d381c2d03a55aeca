/** To do this to a top folder is to do it to everything. */
export const SWEEPING = new Set("rm rmdir shred unlink chmod chown chgrp find dd".split(" "));

export const CHANGING = new Set(
  "cp mv rm rmdir ln install tee dd touch mkdir chmod chown chgrp truncate rsync shred unlink find".split(
    " ",
  ),
);

/** A slash or a backslash alone names nothing: `// a comment`, `\\;`, `\\n`, `cut -d/`. */
export const PLACE =
  /^(?:~|\/+[\w.@+*-]|\\{2}[\w.@+-]+\\|[A-Za-z]:[/\\]|\.\.(?:[/\\]|$))|[/\\]\.\.(?:[/\\]|$)/;

/** Behind a colon a container's own folders are named, and behind its image a command that runs in it. */
export const HOST_PATH =
  /^(?:-v|--volume)(?:=(.*))?$|^--(?:env-file|cidfile|volume)=(.*)$|^(?:type=bind,)?(?:src|source)=([^,]*)/;

/** Commands whose purpose is to show a secret. */
export const PRINTS_CREDENTIALS =
  /^(?:gh auth token|git credential|security find-|pass (?:show )?\S|op (?:read|item get)|vault (?:kv )?(?:get|read)|gpg .*--export-secret|kubectl get secrets?\b|aws configure get|gcloud auth print-|az account get-access-token|pbpaste\b|docker inspect\b)/;
