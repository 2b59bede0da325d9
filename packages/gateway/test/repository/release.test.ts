/** What `npm run release` refuses, with a sentence for each mistake, and the workflows that call it. */
import { assert, beforeEach, describe, it } from "@effect/vitest"
import { execFile, execFileSync } from "node:child_process"
import { cpSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { dirname, join } from "node:path"
import { parse } from "yaml"
import { publicationProblems, publishProblems, repositoryProblems } from "../../../../scripts/release/Checks.ts"
import { changelogEntry, readFacts } from "../../../../scripts/release/Facts.ts"
import { root } from "../support/DocumentFiles.ts"

const { places, version } = readFacts(root)
const files = [...new Set([...places.map(({ file }) => file), "CHANGELOG.md", ".npmrc", "packages/go/go.mod"])]
const git = (folder: string, ...args: ReadonlyArray<string>) =>
  execFileSync("git", ["-c", "user.name=A", "-c", "user.email=a@example.com", ...args], { cwd: folder, stdio: "pipe" })

/** A repository of the files that a release reads, committed. */
let folder = ""

const useRepository = (): void => {
  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), "model-gateway-release-"))
    for (const file of files) {
      mkdirSync(dirname(join(folder, file)), { recursive: true })
      cpSync(join(root, file), join(folder, file))
    }
    git(folder, "init", "--quiet")
    git(folder, "add", "--all")
    git(folder, "commit", "--quiet", "--message", "all")
    return () => rmSync(folder, { recursive: true, force: true })
  })
}

const change = (file: string, edit: (text: string) => string): void => {
  const text = readFileSync(join(folder, file), "utf8")
  const edited = edit(text)
  assert.notStrictEqual(edited, text, `${file} has nothing to change`)
  writeFileSync(join(folder, file), edited)
}

/** Changes a file, commits it, and says what is wrong then. */
const problemsAfter = (file: string, edit: (text: string) => string): ReadonlyArray<string> => {
  change(file, edit)
  git(folder, "commit", "--quiet", "--all", "--message", "changed")
  return repositoryProblems(readFacts(folder))
}

describe("the checks before a release", () => {
  useRepository()

  it("find nothing wrong with this repository's versions and changelog", () => {
    assert.deepStrictEqual(repositoryProblems(readFacts(folder)), [])
  })

  it.each(places.map(({ file }, index) => ({ file, index })))(
    "name $file when its version differs ($index)",
    ({ file }) => {
      const problems = problemsAfter(file, (text) => text.replaceAll(version, "9.9.9"))
      if (file === "packages/model-gateway/package.json") {
        assert.lengthOf(
          problems.filter((problem) => problem.includes(`${file} has 9.9.9.`)),
          places.length - 1
        )
      } else {
        assert.include(problems, `${file}: the version is 9.9.9; packages/model-gateway/package.json has ${version}.`)
      }
    }
  )

  it("name a file without a version", () => {
    assert.deepStrictEqual(
      problemsAfter("packages/go/doc.go", (text) => text.replace("const Version", "const Edition")),
      [`packages/go/doc.go: found no version; the other files have ${version}.`]
    )
  })

  it("name a dependency between packages that has another version", () => {
    assert.deepStrictEqual(
      problemsAfter("packages/gateway/package.json", (text) =>
        text.replace(`"@model-gateway/protocol": "${version}"`, `"@model-gateway/protocol": "0.0.9"`)
      ),
      [`packages/gateway/package.json: needs @model-gateway/protocol 0.0.9; this release has ${version}.`]
    )
  })

  it("refuse a version that is none", () => {
    assert.deepStrictEqual(
      problemsAfter("packages/model-gateway/package.json", (text) => text.replace(`"${version}"`, `"next"`)),
      [`packages/model-gateway/package.json: the version must be like 1.2.3 or 1.2.3-rc.1, got "next".`]
    )
  })

  it("ask for a changelog, an entry in it and text in the entry", () => {
    const heading = `## ${version}\n`
    assert.deepStrictEqual(
      problemsAfter("CHANGELOG.md", (text) => `${text.slice(0, text.indexOf(heading))}${heading}\n`),
      [`CHANGELOG.md: the entry "## ${version}" is empty; write what changed for users.`]
    )
    assert.deepStrictEqual(
      problemsAfter("CHANGELOG.md", () => "# Changelog\n"),
      [`CHANGELOG.md has no entry "## ${version}"; write what changed for users.`]
    )
    git(folder, "rm", "--quiet", "CHANGELOG.md")
    git(folder, "commit", "--quiet", "--message", "removed")
    assert.deepStrictEqual(repositoryProblems(readFacts(folder)), [
      `CHANGELOG.md is missing; write it with an entry "## ${version}".`
    ])
  })

  it("refuse a working tree that differs from its commit, with at most three names", () => {
    for (const name of ["a", "b", "c", "d"]) writeFileSync(join(folder, name), "")
    assert.deepStrictEqual(repositoryProblems(readFacts(folder)), [
      "The working tree differs from its commit: a, b, c and 1 more; commit or remove the changes."
    ])
  })

  it("refuse a version whose Go tag exists", () => {
    git(folder, "tag", `packages/go/v${version}`)
    assert.deepStrictEqual(repositoryProblems(readFacts(folder)), [
      `The tag packages/go/v${version} exists: this version of the Go module is published; raise the version.`
    ])
  })

  it("refuse a private registry in .npmrc and in a package", () => {
    assert.deepStrictEqual(
      problemsAfter(".npmrc", (text) => `${text}@model-gateway:registry=https://npm.example.com/\n`),
      [".npmrc: names the registry https://npm.example.com/; releases go to the public npm registry, so remove it."]
    )
    const problems = problemsAfter("packages/client/package.json", (text) =>
      text.replace(`"license"`, `"publishConfig": { "registry": "https://npm.example.com" },\n  "license"`)
    )
    assert.match(problems.join("\n"), /^packages\/client\/package\.json: names the registry/m)
  })

  it("find the entry of a version by its whole number, with a date or without", () => {
    const changelog = "# Changelog\n\n## 1.0.10 (2026-01-02)\n\nten\n\n## 1.0.1\n\none\n"
    assert.strictEqual(changelogEntry(changelog, "1.0.10"), "ten")
    assert.strictEqual(changelogEntry(changelog, "1.0.1"), "one")
    assert.isUndefined(changelogEntry(changelog, "1.0"))
  })

  it("name what provenance and Go need of the public repository", () => {
    const [url = "", module = ""] = publicationProblems(readFacts(folder), "acme/gateway")
    assert.match(url, /^repository\.url must be git\+https:\/\/github\.com\/acme\/gateway\.git in packages\/protocol\//)
    assert.match(module, /Go can fetch it only as github\.com\/acme\/gateway\/packages\/go\.$/)
    for (const file of ["protocol", "gateway", "model-gateway", "client", "langchain"]) {
      change(`packages/${file}/package.json`, (text) =>
        text.replace(`"license"`, `"repository": { "url": "git+https://github.com/acme/gateway.git" },\n  "license"`)
      )
    }
    change("packages/go/go.mod", (text) => text.replace(/^module .*/m, "module github.com/acme/gateway/packages/go"))
    assert.deepStrictEqual(publicationProblems(readFacts(folder), "acme/gateway"), [])
    assert.lengthOf(publicationProblems(readFacts(folder), "other/gateway"), 2)
  })

  it("refuse a workflow run for another tag and one without an identity", () => {
    const env = { GITHUB_ACTIONS: "true", GITHUB_REF: "refs/tags/v9.9.9", GITHUB_REPOSITORY: "acme/gateway" }
    const [ref, identity] = publishProblems(readFacts(folder), env)
    assert.strictEqual(
      ref,
      `The workflow runs for refs/tags/v9.9.9; version ${version} is released by refs/tags/v${version}.`
    )
    assert.strictEqual(
      identity,
      "The job has no identity token for provenance; give it the permission `id-token: write`."
    )
  })
})

describe("npm run release", () => {
  it("refuses to publish outside CI in one sentence, and publishes nothing", async () => {
    const { GITHUB_ACTIONS: _, ...env } = process.env
    const outcome = await new Promise<{ code: unknown; stdout: string; stderr: string }>((resolve) => {
      execFile(process.execPath, [join(root, "scripts", "release.ts")], { env }, (error, stdout, stderr) =>
        resolve({ code: error?.code, stdout, stderr })
      )
    })
    assert.strictEqual(outcome.code, 1)
    assert.strictEqual(outcome.stdout, "")
    assert.match(outcome.stderr, /^A release is published by \.github\/workflows\/release\.yml only, .* add --dry-run/)
  })
})

interface Workflow {
  readonly permissions: Readonly<Record<string, string>>
  readonly jobs: Readonly<
    Record<
      string,
      {
        readonly permissions?: Readonly<Record<string, string>>
        readonly steps: ReadonlyArray<{ readonly uses?: string; readonly run?: string }>
      }
    >
  >
}

describe("the workflows", () => {
  const workflows = join(root, ".github", "workflows")
  const text = (name: string) => readFileSync(join(workflows, name), "utf8")
  const read = (name: string): Workflow => parse(text(name))
  const commands = (name: string) =>
    Object.values(read(name).jobs).flatMap(({ steps }) => steps.flatMap((step) => step.run ?? []))

  it.each(readdirSync(workflows))("%s pins every action by its commit, and grants only what a job needs", (name) => {
    const used = Array.from(text(name).matchAll(/uses: (.+)$/gm), ([, action = ""]) => action)
    assert.isAbove(used.length, 0)
    for (const action of used) assert.match(action, /^[\w./-]+@[0-9a-f]{40} # v\d+\.\d+\.\d+$/)
    assert.deepStrictEqual(read(name).permissions, { contents: "read" })
    assert.notMatch(text(name), /registry-url|secrets\./)
  })

  it("test and try the release on each push, without any right to publish", () => {
    assert.includeMembers(commands("test.yml"), ["npm test", "npm run release -- --dry-run"])
    assert.notInclude(text("test.yml"), "write")
  })

  it("release with an identity for provenance, after the tests", () => {
    const { npm } = read("release.yml").jobs
    assert.strictEqual(npm?.permissions?.["id-token"], "write")
    const run = npm?.steps.flatMap((step) => step.run ?? [])
    assert.deepStrictEqual(run, ["npm test", "npm run release"])
  })

  it("run on the Node that package.json pins", () => {
    const { dependencies } = JSON.parse(readFileSync(join(root, "package.json"), "utf8"))
    for (const name of readdirSync(workflows)) {
      const named = Array.from(text(name).matchAll(/node-version: (.+)$/gm), ([, node]) => node)
      assert.deepStrictEqual([...new Set(named)], [dependencies.node])
    }
  })
})
