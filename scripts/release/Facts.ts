/** Reads what a release is checked by: every place of the repository that names the version, the changelog and Git. */
import { execFileSync } from "node:child_process"
import { existsSync, readdirSync, readFileSync } from "node:fs"
import { join } from "node:path"

export interface Manifest {
  readonly name: string
  readonly version: string
  readonly private?: boolean
  readonly license?: string
  readonly type?: string
  readonly bin?: Readonly<Record<string, string>>
  readonly exports?: Readonly<Record<string, unknown>>
  readonly dependencies?: Readonly<Record<string, string>>
  readonly devDependencies?: Readonly<Record<string, string>>
  readonly peerDependencies?: Readonly<Record<string, string>>
  readonly repository?: { readonly url?: string }
  readonly publishConfig?: { readonly registry?: string }
}

export interface Place {
  /** From the root of the repository. */
  readonly file: string
  readonly version: string | undefined
}

/** The version that the others are compared with. */
const SOURCE = "packages/model-gateway/package.json"

/** Files that are no `package.json`, with the pattern whose first group is the version. */
const OTHER_PLACES: ReadonlyArray<readonly [file: string, pattern: RegExp]> = [
  ["packages/client/src/Version.ts", /^export const VERSION = "(.+)"$/m],
  ["packages/langchain/src/Version.ts", /^export const VERSION = "(.+)"$/m],
  ["packages/protocol/src/Api.ts", /^ +version: "(.+)",$/m],
  ["packages/protocol/openapi.json", /^ {4}"version": "(.+)",$/m],
  ["packages/python/src/model_gateway_client/version.py", /^VERSION = "(.+)"$/m],
  ["packages/langchain-python/src/langchain_model_gateway/version.py", /^VERSION = "(.+)"$/m],
  ["packages/go/doc.go", /^const Version = "(.+)"$/m],
  ["packages/deploy/Dockerfile", /^ARG VERSION=(.+)$/m],
  ["packages/deploy/chart/Chart.yaml", /^version: (.+)$/m],
  ["packages/deploy/chart/Chart.yaml", /^appVersion: "(.+)"$/m]
]

export interface Facts {
  readonly version: string
  readonly places: ReadonlyArray<Place>
  /** Path of a `package.json` → its contents. */
  readonly manifests: ReadonlyMap<string, Manifest>
  readonly changelog: string | undefined
  /** `git status --porcelain`, one line per changed file. */
  readonly changed: ReadonlyArray<string>
  readonly commit: string
  readonly tags: ReadonlySet<string>
  readonly goModule: string
  readonly npmrc: string
}

export const readFacts = (root: string): Facts => {
  const read = (file: string) => (existsSync(join(root, file)) ? readFileSync(join(root, file), "utf8") : undefined)
  const git = (...args: ReadonlyArray<string>) => execFileSync("git", args, { cwd: root, encoding: "utf8" })
  const lines = (text: string) => text.split("\n").filter((line) => line !== "")
  const manifests = new Map<string, Manifest>()
  for (const name of readdirSync(join(root, "packages")).toSorted()) {
    const file = `packages/${name}/package.json`
    const text = read(file)
    if (text !== undefined) manifests.set(file, JSON.parse(text))
  }
  return {
    version: manifests.get(SOURCE)?.version ?? "",
    places: [
      ...Array.from(manifests, ([file, { version }]) => ({ file, version })),
      ...OTHER_PLACES.map(([file, pattern]) => ({ file, version: pattern.exec(read(file) ?? "")?.[1] }))
    ],
    manifests,
    changelog: read("CHANGELOG.md"),
    changed: lines(git("status", "--porcelain")),
    commit: git("rev-parse", "HEAD").trim(),
    tags: new Set(lines(git("tag", "--list"))),
    goModule: /^module (\S+)$/m.exec(read("packages/go/go.mod") ?? "")?.[1] ?? "",
    npmrc: read(".npmrc") ?? ""
  }
}

/** The paths of the packages that npm publishes, in the order in which they need each other. */
export const NPM_PACKAGES = ["protocol", "gateway", "model-gateway", "client", "langchain"] as const

export const manifestOf = (facts: Facts, name: string): Manifest => {
  const manifest = facts.manifests.get(`packages/${name}/package.json`)
  if (manifest === undefined) throw new Error(`packages/${name} has no package.json.`)
  return manifest
}

export const goTag = ({ version }: Facts): string => `packages/go/v${version}`

/** The entry of a version: the lines below its heading `## 0.1.0`, which may carry a date after the version. */
export const changelogEntry = (changelog: string, version: string): string | undefined => {
  const entry = changelog
    .split(/^## /m)
    .slice(1)
    .find((text) => text.split(/\s/, 1)[0] === version)
  return entry?.split("\n").slice(1).join("\n").trim()
}
