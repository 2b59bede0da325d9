/** Every reason not to release, as one sentence each: what is wrong and what would be right. */
import { changelogEntry, type Facts, goTag, manifestOf, NPM_PACKAGES } from "./Facts.ts"

const SEMVER = /^\d+\.\d+\.\d+(?:-[0-9A-Za-z.-]+)?$/
const SHOWN_FILES = 3
const PUBLIC_NPM = /^https:\/\/registry\.npmjs\.org\/?$/

/** What is wrong with the repository itself, wherever the command runs. */
export const repositoryProblems = (facts: Facts): ReadonlyArray<string> =>
  SEMVER.test(facts.version)
    ? [...versionProblems(facts), ...changelogProblems(facts), ...treeProblems(facts), ...registryProblems(facts)]
    : [`packages/model-gateway/package.json: the version must be like 1.2.3 or 1.2.3-rc.1, got "${facts.version}".`]

const versionProblems = ({ manifests, places, version }: Facts): ReadonlyArray<string> => {
  const others = places
    .filter((place) => place.version !== version)
    .map((place) =>
      place.version === undefined
        ? `${place.file}: found no version; the other files have ${version}.`
        : `${place.file}: the version is ${place.version}; packages/model-gateway/package.json has ${version}.`
    )
  const own = Array.from(manifests).flatMap(([file, { dependencies, devDependencies, peerDependencies }]) =>
    Object.entries({ ...dependencies, ...devDependencies, ...peerDependencies })
      .filter(([name, wanted]) => name.startsWith("@model-gateway/") && wanted !== version)
      .map(([name, wanted]) => `${file}: needs ${name} ${wanted}; this release has ${version}.`)
  )
  return [...others, ...own]
}

const changelogProblems = ({ changelog, version }: Facts): ReadonlyArray<string> => {
  if (changelog === undefined) return [`CHANGELOG.md is missing; write it with an entry "## ${version}".`]
  const entry = changelogEntry(changelog, version)
  if (entry === undefined) return [`CHANGELOG.md has no entry "## ${version}"; write what changed for users.`]
  return entry === "" ? [`CHANGELOG.md: the entry "## ${version}" is empty; write what changed for users.`] : []
}

const treeProblems = (facts: Facts): ReadonlyArray<string> => {
  const { changed } = facts
  const names = changed.slice(0, SHOWN_FILES).map((line) => line.slice(3))
  const more = changed.length > SHOWN_FILES ? ` and ${changed.length - SHOWN_FILES} more` : ""
  return [
    ...(changed.length === 0
      ? []
      : [`The working tree differs from its commit: ${names.join(", ")}${more}; commit or remove the changes.`]),
    ...(facts.tags.has(goTag(facts))
      ? [`The tag ${goTag(facts)} exists: this version of the Go module is published; raise the version.`]
      : [])
  ]
}

const registryProblems = (facts: Facts): ReadonlyArray<string> => {
  const named = [
    ...Array.from(facts.npmrc.matchAll(/^(?:@[^:\s]+:)?registry\s*=\s*(\S+)/gm), ([, url = ""]) => [".npmrc", url]),
    ...Array.from(facts.manifests, ([file, { publishConfig }]) => [file, publishConfig?.registry ?? ""])
  ]
  return named
    .filter(([, url = ""]) => url !== "" && !PUBLIC_NPM.test(url))
    .map(([file, url]) => `${file}: names the registry ${url}; releases go to the public npm registry, so remove it.`)
}

/** `owner/name` of the repository on GitHub. */
const repositoryUrl = (repository: string): string => `git+https://github.com/${repository}.git`

/**
 * What has to be set once, when the repository has its public place: npm compares `repository` with the workflow's repository before it
 * accepts provenance, and Go fetches a module from the address in its name.
 */
export const publicationProblems = (facts: Facts, repository: string | undefined): ReadonlyArray<string> => {
  const url = repositoryUrl(repository ?? "OWNER/NAME")
  const unset = NPM_PACKAGES.filter((name) => {
    const found = manifestOf(facts, name).repository?.url
    return repository === undefined ? found === undefined : found !== url
  })
  const module = `github.com/${repository ?? "OWNER/NAME"}/packages/go`
  const isModuleWrong = repository === undefined ? facts.goModule.startsWith("example.com/") : facts.goModule !== module
  return [
    ...(unset.length === 0
      ? []
      : [
          `repository.url must be ${url} in ${unset.map((name) => `packages/${name}/package.json`).join(", ")}; npm refuses provenance otherwise.`
        ]),
    ...(isModuleWrong
      ? [`packages/go/go.mod: the module is ${facts.goModule}; Go can fetch it only as ${module}.`]
      : [])
  ]
}

/** Why this process may not publish, beyond what is wrong with the repository. `env`: the environment of the process. */
export const publishProblems = (facts: Facts, env: NodeJS.ProcessEnv): ReadonlyArray<string> => {
  if (env["GITHUB_ACTIONS"] !== "true") {
    return [
      "A release is published by .github/workflows/release.yml only, so that its provenance names the commit and the workflow; " +
        `push the tag v${facts.version}, or add --dry-run to see what would be published.`
    ]
  }
  const tag = `refs/tags/v${facts.version}`
  return [
    ...(env["GITHUB_REF"] === tag
      ? []
      : [`The workflow runs for ${env["GITHUB_REF"] ?? "no ref"}; version ${facts.version} is released by ${tag}.`]),
    ...(env["ACTIONS_ID_TOKEN_REQUEST_URL"] === undefined
      ? ["The job has no identity token for provenance; give it the permission `id-token: write`."]
      : []),
    ...publicationProblems(facts, env["GITHUB_REPOSITORY"])
  ]
}
