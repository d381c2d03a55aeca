/** Commands with subcommands, and which of the options before these take the next word as their value. */
export const GLOBAL_OPTIONS: Readonly<Record<string, string>> = {
  git: "-C -c --git-dir --work-tree --namespace --super-prefix --config-env --attr-source",
  npm: "--prefix -C --userconfig --globalconfig --registry --cache --loglevel --workspace -w --script-shell --node-options",
  pnpm: "-C --dir --filter -F --registry --store-dir --loglevel --reporter",
  yarn: "--cwd --registry --modules-folder --cache-folder --use-yarnrc",
  bun: "--cwd --config -c --env-file",
  docker: "-H --host -c --context --config -l --log-level --tlscacert --tlscert --tlskey",
  podman: "-H --url --connection -c --root --runroot --log-level",
  kubectl:
    "-n --namespace --context --kubeconfig --cluster --user -s --server --token --as --as-group --cache-dir",
  helm: "-n --namespace --kube-context --kubeconfig",
  gh: "-R --repo",
  cargo: "--config -C -Z --color --manifest-path --target-dir",
  go: "-C",
  pip: "--python --proxy --log --cache-dir",
  pip3: "--python --proxy --log --cache-dir",
  systemctl: "-H --host -M --machine -t --type",
  terraform: "",
  aws: "--profile --region --endpoint-url --output",
  gcloud: "--project --account --configuration",
};
