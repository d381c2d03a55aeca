#!/bin/sh
# Gives a call to the Toolkeep that `toolkeep init` installed for this user, and blocks it where there is none.
unset -f [ echo
launcher=$HOME/.local/state/toolkeep/bin/toolkeep
if [ -x "$launcher" ]; then
  "$launcher" hook claude-code
  case $? in 0) exit 0 ;; esac
  exit 2
fi
echo "Toolkeep is not installed for this user, so this is blocked. Type \`npm install -g toolkeep\`, then \`toolkeep init claude-code\` in a project." >&2
exit 2
