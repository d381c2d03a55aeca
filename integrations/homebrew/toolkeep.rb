class Toolkeep < Formula
  desc "Permissions, approvals, sandboxing and an audit log for tool calls of AI agents"
  homepage "https://github.com/toolkeep/toolkeep"
  url "https://registry.npmjs.org/toolkeep/-/toolkeep-{{version}}.tgz"
  sha256 "{{sha256}}"
  license "Apache-2.0"

  depends_on "node"

  def install
    system "npm", "install", *std_npm_args
    bin.install_symlink Dir["#{libexec}/bin/*"]
  end

  def caveats
    <<~EOS
      Run `toolkeep init` in a project, then `toolkeep doctor`.
    EOS
  end

  test do
    assert_match version.to_s, shell_output("#{bin}/toolkeep --version")
    (testpath/"policy.yaml").write("version: 1\nrules:\n  - deny fs.read .env\ntests:\n  - { read: .env, expect: deny }\n")
    assert_match "1 passed", shell_output("#{bin}/toolkeep policy test policy.yaml")
  end
end
