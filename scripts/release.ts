/**
 * `npm run release -- --dry-run`: checks that the repository can be released, builds everything that is published into `release/`, installs
 * and runs each part, and lists what would be published. Exit code 1 when something is wrong, with one sentence for each.
 *
 * Without `--dry-run` it does the same, then publishes the npm packages with provenance. `.github/workflows/release.yml` runs that and
 * publishes the rest of `release/`; elsewhere it is refused.
 */
import { mkdtempSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join, relative } from "node:path"
import { Checks, environment, run } from "../packages/conformance/src/Acceptance.ts"
import { commandLine } from "./CommandLine.ts"
import { type Artifacts, buildArtifacts, type Packed, writeChecksums } from "./release/Artifacts.ts"
import { publicationProblems, publishProblems, repositoryProblems } from "./release/Checks.ts"
import { type Facts, goTag, readFacts } from "./release/Facts.ts"
import { verifyArtifacts } from "./release/Verify.ts"

const root = join(import.meta.dirname, "..")
const values = commandLine(
  "--dry-run   builds, verifies and lists what would be published, and publishes nothing; without it: only in CI",
  { "dry-run": { type: "boolean", default: false } }
)

const env = process.env
const facts = readFacts(root)
const problems = values["dry-run"]
  ? repositoryProblems(facts)
  : [...publishProblems(facts, env), ...repositoryProblems(facts)]
for (const problem of problems) console.error(problem)
if (problems.length === 0) await release()
else process.exitCode = 1

async function release(): Promise<void> {
  const checks = new Checks()
  const scratch = mkdtempSync(join(tmpdir(), "model-gateway-release-"))
  let artifacts: Artifacts
  try {
    artifacts = await buildArtifacts(root, facts)
    await verifyArtifacts({ root, facts, artifacts, scratch, checks })
  } catch (error) {
    console.error(error instanceof Error ? error.message : error)
    process.exitCode = 1
    return
  } finally {
    rmSync(scratch, { recursive: true, force: true })
  }
  writeChecksums(root)
  list(artifacts, facts)
  checks.end()
  if (values["dry-run"]) {
    for (const problem of publicationProblems(facts, env["GITHUB_REPOSITORY"]))
      console.log(`Before the first release: ${problem}`)
  } else if (process.exitCode === 0) {
    for (const packed of artifacts.npm) await publish(packed)
  }
}

function list({ bill, extension, image, npm, wheels }: Artifacts, { commit, version }: Facts): void {
  const lines: ReadonlyArray<readonly [kind: string, name: string, from: string]> = [
    ...npm.map(({ name, path }) => ["npm, with provenance", `${name}@${version}`, path] as const),
    ...wheels.map(({ name, path }) => ["PyPI, with attestation", `${name} ${version}`, path] as const),
    ["Go", `tag ${goTag(facts)}`, join(root, "packages", "go")],
    ["container image", `model-gateway:${version}, REVISION=${commit.slice(0, 12)}`, image],
    ["GitHub release", extension.name, extension.path],
    ["GitHub release", "bill of materials (CycloneDX)", bill],
    ["GitHub release", "checksums", join(root, "release", "SHA256SUMS")]
  ]
  console.log(`\n${values["dry-run"] ? "Would be published" : "Published by this workflow"} as ${version}:`)
  for (const [kind, name, from] of lines) console.log(`  ${kind.padEnd(23)} ${name.padEnd(52)} ${relative(root, from)}`)
  console.log("")
}

/** A package that the registry has already is left as it is, so that a release that broke off can be run again. */
async function publish({ name, path }: Packed): Promise<void> {
  const isThere = await run(["npm", "view", `${name}@${facts.version}`, "version"], { cwd: root }).then(
    (said) => said.trim() !== "",
    () => false
  )
  if (isThere) return console.log(`${name}@${facts.version} is published already`)
  await run(["npm", "publish", path, "--provenance", "--access", "public"], { cwd: root, env: environment })
  console.log(`published ${name}@${facts.version}`)
}
