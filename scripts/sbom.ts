/**
 * What a bundle is made of, as a CycloneDX bill of materials: https://cyclonedx.org/docs/1.5/json (read 2026-11-22). `npm sbom` would list
 * what a package depends on, which is nothing here, as everything is inside. No time and no random number: the same bundle has the same bill.
 */
import { readFileSync } from "node:fs"
import { join } from "node:path"

export interface Manifest {
  readonly name: string
  readonly version: string
  readonly description?: string
  readonly license?: string
}

/** Package URLs: https://github.com/package-url/purl-spec (read 2026-11-22). A scope is a namespace, its `@` encoded. */
const purlOf = ({ name, version }: Manifest): string => `pkg:npm/${name.replace("@", "%40")}@${version}`

/** An SPDX id, or an expression of several. */
const licencesOf = ({ license }: Manifest) =>
  license === undefined
    ? {}
    : { licenses: [/[ ()]/.test(license) ? { expression: license } : { license: { id: license } }] }

const [SCOPE, NAME] = [1, 2]

const componentOf = (type: "application" | "library", manifest: Manifest, more: object = {}) => {
  const parts = /^(?:(@[^/]+)\/)?(.+)$/.exec(manifest.name) ?? []
  const purl = purlOf(manifest)
  return {
    "bom-ref": purl,
    type,
    ...(parts[SCOPE] === undefined ? {} : { group: parts[SCOPE] }),
    name: parts[NAME] ?? manifest.name,
    version: manifest.version,
    ...(manifest.description === undefined ? {} : { description: manifest.description }),
    ...licencesOf(manifest),
    purl,
    ...more
  }
}

/** The digest by which npm knows the archive of a package. */
const hashesOf = (integrity: string | undefined) => {
  const [, base64] = /^sha512-(\S+)$/.exec(integrity ?? "") ?? []
  return base64 === undefined
    ? {}
    : { hashes: [{ alg: "SHA-512", content: Buffer.from(base64, "base64").toString("hex") }] }
}

/** `paths`: the folders of the packages, from the repository's root, as the lock file has them. */
export const billOf = (root: string, own: Manifest, paths: ReadonlyArray<string>): string => {
  const read = (path: string) => JSON.parse(readFileSync(join(root, path), "utf8"))
  const lock: Readonly<Record<string, { readonly integrity?: string }>> = read("package-lock.json").packages
  const libraries = paths
    .map((path) => componentOf("library", read(join(path, "package.json")), hashesOf(lock[path]?.integrity)))
    .toSorted((a, b) => (a.purl < b.purl ? -1 : 1))
  const self = componentOf("application", own)
  const bill = {
    $schema: "http://cyclonedx.org/schema/bom-1.5.schema.json",
    bomFormat: "CycloneDX",
    specVersion: "1.5",
    version: 1,
    metadata: { component: self },
    components: libraries.map(({ description: _, ...component }) => component),
    dependencies: [{ ref: self["bom-ref"], dependsOn: libraries.map((component) => component["bom-ref"]) }]
  }
  return `${JSON.stringify(bill, null, 2)}\n`
}
