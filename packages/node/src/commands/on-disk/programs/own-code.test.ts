import { chmodSync, symlinkSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { beforeAll, expect, test } from "vitest";
import { putFile, sharedFolder } from "../../../../../../tests/temporary-folder.ts";
import { ownCode } from "./own-code.ts";
import { scriptsOnDisk } from "./scripts-run.ts";

const root = sharedFolder();

beforeAll(() => {
  const programs = [".venv/bin/pytest", ".venv/bin/pip", ".venv/bin/aws", "node_modules/.bin/tsc", "gradlew"];
  for (const path of [...programs, "bin/api", "scripts/gen.sh", "scripts/deploy.sh", "manage.py", "data.bin"])
    chmodSync(put(path, "#!/bin/sh\n"), 0o755);
  const texts = [".venv/pyvenv.cfg", ".venv/bin/activate", "other/bin/activate", "notes.txt", "src/x.ts"];
  const sources = ["server.js", "app/main.py", "cmd/api/main.go", "node_modules/x/index.js", "x.rb", "x.php"];
  for (const path of [...texts, ...sources]) put(path, "");
  symlinkSync("/usr/bin/env", join(root, ".venv/bin/python"));
  symlinkSync("/usr/bin/env", join(root, "leads-out"));
});

const put = (path: string, text: string) => putFile(join(root, path), text);

function files(line: string): readonly string[] | undefined {
  const found = ownCode(line.split(" "), { folder: root, roots: [root] });
  return found?.files.map((file) => file.replace(`${root}/`, ""));
}

test.each([
  "pytest -q",
  ".venv/bin/pytest -q -k discount",
  ".venv/bin/python -m pytest tests/test_a.py::test_b -x",
  "python3 -m compileall -q app",
  "uv run pytest -q",
  "mypy app --ignore-missing-imports",
  "ruff check . --fix",
  ".venv/bin/pip list --format=freeze",
  "node_modules/.bin/tsc --noEmit",
  "./node_modules/.bin/tsc --noEmit",
  "npx tsc --noEmit",
  "./gradlew test --info",
  "gofmt -l .",
  "go generate ./...",
  "go mod tidy",
  "go env GOPATH",
  "cargo run --release -- --port 8080",
  "make lint",
  "make -j 4 build test",
  "pnpm --filter api test",
  "pnpm -F ./packages/* run build",
  "pnpm -r lint",
  "npm --workspace=api run test:unit",
  "uvicorn app.main:app --port 8123",
  "pnpm vitest run --coverage",
  "yarn workspace api test",
  "npm -w api run build",
  "bun run build",
  "mvn -q clean package -DskipTests=true",
  "./gradlew :app:test --tests com.acme.FooTest",
  "turbo run test --filter=api",
  "cmake --build build --target test",
  "python -m unittest discover -s tests",
  "coverage run -m pytest -q",
  "dotnet test --no-build",
  ".venv/bin/python --version",
  "go build -o bin/api ./cmd/api",
  "go test -coverprofile=cover.out ./...",
  "go test -coverprofile /tmp/cover.out ./...",
  "pytest --junitxml=reports/junit.xml",
  "tsc -p packages/api/tsconfig.json --outDir dist",
  "make -C cmd lint",
  "npm --prefix app test",
  "pnpm -C app run build",
  "cmake -S . -B build -G Ninja -DCMAKE_BUILD_TYPE=Debug -DLIB_TESTS=ON",
  "mvn -q -pl core -am -DskipTests package",
  "mvn dependency:tree -Dincludes=org.slf4j",
  "./gradlew -p app test",
  "./gradlew :app:dependencies --configuration runtimeClasspath",
  "zig build test",
  "dune runtest",
  "opam exec -- dune build",
  "clj -M:test",
  "cargo nextest run",
  "composer dump-autoload -o",
  "bundle outdated",
  "nim c -r src/x.nim",
  "tox -e py311,lint",
  "pixi run test",
  "R CMD check .",
  "xcodebuild test -scheme App",
  "ab -n 100 http://localhost:3000/",
  "k6 run --vus 10 load.js",
  "latexmk -pdf main.tex",
])("%s works on the project", (line) => {
  expect(files(line)).toEqual([]);
});

test.each([
  ["./bin/api -addr 127.0.0.1:8124", "bin/api"],
  ["bin/api", "bin/api"],
  ["./dist/not-built-yet", "dist/not-built-yet"],
  ["uv run app/main.py", "app/main.py"],
  ["bun run src/x.ts", "src/x.ts"],
  ["coverage run app/main.py", "app/main.py"],
  ["./scripts/gen.sh --dry-run data/a.csv", "scripts/gen.sh"],
  ["bash scripts/gen.sh", "scripts/gen.sh"],
  ["sh -eu scripts/gen.sh", "scripts/gen.sh"],
  ["node server.js --port=3000", "server.js"],
  ["node --enable-source-maps ./server.js", "server.js"],
  ["deno run --allow-net src/x.ts", "src/x.ts"],
  ["bun src/x.ts", "src/x.ts"],
  ["python app/main.py", "app/main.py"],
  ["python -m app.main", "app/main.py"],
  ["python manage.py test", "manage.py"],
  ["./manage.py check", "manage.py"],
  ["valgrind --leak-check=full ./bin/api -v", "bin/api"],
  ["perf stat -e cycles ./bin/api", "bin/api"],
  ["go run ./cmd/api -v", "cmd/api"],
  ["ruby x.rb", "x.rb"],
  ["php x.php", "x.php"],
  ["source .venv/bin/activate", ".venv/bin/activate"],
  [". .venv/bin/activate", ".venv/bin/activate"],
])("%s runs a file of the project", (line, file) => {
  expect(files(line)).toEqual([file]);
});

test.each([
  // Code that is given, or loaded first.
  "python -c print(1)",
  "node -e 1",
  "node --import ./server.js server.js",
  "node -r ./server.js server.js",
  "python manage.py shell -c x",
  "pytest -p evil",
  "pytest -c evil.ini",
  "mypy --config-file=evil.ini app",
  "go test -exec evil ./...",
  "go vet -vettool=evil ./...",
  "go build -toolexec=evil ./...",
  "make SHELL=evil test",
  "make -f evil.mk test",
  "./gradlew -I init.gradle test",
  "bash scripts/gen.sh rm -rf src",
  "npx --yes tsc",
  "yarn run any-program",
  "nx exec any-program",
  "just run curl",
  "cmake -S . -B build -DCMAKE_C_COMPILER=./evil",
  "cmake -S . -B build -DCMAKE_TOOLCHAIN_FILE=evil.cmake",
  "clj -M:test -e 1",
  "opam exec -- rm -rf src",
  "opam exec --root=evil -- dune build",
  "valgrind rm -rf src",
  "nim c --passC:evil src/x.nim",
  "latexmk -pdflatex=evil main.tex",
  "pdflatex -shell-escape main.tex",
  "k6 run -",
  // Files that are written.
  "valgrind --log-file=package.json ./bin/api",
  "perf stat -o package.json ./bin/api",
  "elm make --output=package.json src/Main.elm",
  "go build -o .git/hooks/pre-commit ./cmd/api",
  "go build -o bin/../.git/hooks/pre-commit ./cmd/api",
  "go build -o .venv/bin/pytest ./cmd/api",
  "go build -o node_modules/x/bin/x ./cmd/api",
  "go build -ldflags=-extld=evil ./cmd/api",
  "go test -coverprofile=package.json ./...",
  "pytest --junitxml=pom.xml",
  // Something outside of the project.
  "./gradlew -p ../other test",
  "./gradlew -p node_modules/x test",
  "ab -n 100 http://example.com/",
  "ab -n 100 example.com/",
  "k6 run --out cloud load.js",
  "go test -coverprofile=/elsewhere/cover.out ./...",
  "make -C node_modules/x test",
  "node server.js @/etc/passwd",
  "pytest -n/elsewhere",
  "node server.js --url=https://localhost:1@example.com/",
  "pytest --rootdir=/elsewhere",
  "pytest ../other",
  "node server.js /etc/passwd",
  "node server.js ~/notes",
  "node server.js https://example.com/",
  "node /elsewhere/x.js",
  "./leads-out",
  "make -C /elsewhere",
  "go run example.com/tool@latest",
  "go run example.com/tool",
  "python -m http.server",
  "uvicorn app.main:app --host 0.0.0.0",
  "./bin/api --listen=0.0.0.0:80",
  "vite preview --host",
  // Others' code, and programs that are no tools of the project.
  "node node_modules/x/index.js",
  ".venv/bin/pip install x",
  ".venv/bin/aws s3 ls",
  "go env -w GOPROXY=x",
  "go install ./cmd/api",
  "source other/bin/activate",
  // No code.
  "bash notes.txt",
  "./notes.txt",
  "./missing.sh",
  "./data.bin",
  "bash data.bin",
  // Names that reach further.
  "bash scripts/deploy.sh",
  "python manage.py migrate",
  "make deploy",
  "mvn clean deploy",
  "mvn exec:exec",
  "sbt test publish",
  "zig build test deploy",
  "tox -e release",
  "tox -erelease",
  "nox -s tests deploy",
  "pixi run ship",
  "clj -M:deploy",
  "pnpm -w deploy test",
  "npm --filter deploy test",
  "cmake --build build --target deploy",
  "nx run-many --target=deploy",
  "bun run any-program",
  "pnpm prettier --plugin=evil .",
  "make install",
  "make",
  "make -j 4",
  "./gradlew publish",
  "pnpm --filter api run db:reset",
  "pnpm --filter api deploy",
  "npm run env",
  "node server.js --env=production",
])("%s may do something else", (line) => {
  expect(files(line)).toBeUndefined();
});

test("what runs in an installed package, or outside of the project, is not the project's own", () => {
  for (const folder of [join(root, "node_modules/x"), tmpdir()])
    expect(ownCode(["pytest"], { folder, roots: [root] })).toBeUndefined();
});

test("a text among the temporary files is read and written, which rules decide about", async () => {
  const text = join(tmpdir(), "cover.out");
  const argv = ["go", "tool", "cover", `-func=${text}`];
  const effects = await scriptsOnDisk(
    { line: argv.join(" "), commands: [{ argv, redirects: [] }], folder: root },
    { roots: [root] },
  );
  expect(effects.map(({ capability, ownCode: own }) => [capability, own])).toEqual([
    ["shell.run", true],
    ["fs.read", undefined],
    ["fs.write", undefined],
  ]);
});

test("a command that means another file after a way elsewhere is not marked", async () => {
  put("deep/notes.txt", "");
  const commands = ["node server.js", "cd deep", "node server.js"].map((line) => ({
    argv: line.split(" "),
    redirects: [],
  }));
  const effects = await scriptsOnDisk({ line: "", commands, folder: root }, { roots: [root] });
  expect(effects.filter(({ target }) => target === "node server.js").some(({ ownCode: own }) => own)).toBe(
    false,
  );
});

test.each([
  ["black src/*.py", [1], true],
  ["make d*", [1], undefined],
  ["pnpm --filter ./packages/* run build", [2], undefined],
  ["pnpm --filter ./packages/* run build", [], true],
])("%s with patterns at %j", async (line, expands, own) => {
  const commands = [{ argv: line.split(" "), redirects: [], expands }];
  const effects = await scriptsOnDisk({ line, commands, folder: root }, { roots: [root] });
  expect(effects[0]?.ownCode).toBe(own);
});
