// Writes what the image holds beside the command, as CycloneDX: the packages of its base, the Node of its base and what is in that. It runs in
// the image while that is built, so it says what is there.
import { existsSync, readdirSync, readFileSync, writeFileSync } from "node:fs"
import { join } from "node:path"

const [packaged, out] = process.argv.slice(2)
const bill = JSON.parse(readFileSync(packaged, "utf8"))
const command = bill.metadata.component

const component = (type, purl, name, version, more = {}) => ({ "bom-ref": purl, type, name, version, purl, ...more })

// Distroless has a file for each package; a Debian has one for all.
const DPKG = "/var/lib/dpkg"
const paragraphs = ["status", "status.d"].flatMap((name) => {
  const path = join(DPKG, name)
  if (!existsSync(path)) return []
  if (name === "status") return readFileSync(path, "utf8").split(/\n\n+/)
  return readdirSync(path)
    .filter((file) => !file.includes(".md5sums"))
    .map((file) => readFileSync(join(path, file), "utf8"))
})
const debian = paragraphs.flatMap((text) => {
  const field = (name) => new RegExp(`^${name}: (\\S+)`, "m").exec(text)?.[1]
  const [name, version, arch] = [field("Package"), field("Version"), field("Architecture")]
  if (name === undefined || version === undefined) return []
  const purl = `pkg:deb/debian/${name}@${encodeURIComponent(version)}${arch === undefined ? "" : `?arch=${arch}`}`
  return [component("library", purl, name, version)]
})

const { node, ...inside } = process.versions
const runtime = component("application", `pkg:generic/node@${node}`, "node", node)
const inNode = Object.entries(inside)
  .filter(([name]) => !["modules", "napi", "unicode", "cldr", "tz"].includes(name))
  .map(([name, version]) =>
    component("library", `pkg:generic/node/${name}@${encodeURIComponent(version)}`, name, version)
  )

const image = component("container", `pkg:oci/model-gateway@${command.version}`, "model-gateway", command.version)
const refs = (components) => components.map((one) => one["bom-ref"])
writeFileSync(
  out,
  `${JSON.stringify(
    {
      ...bill,
      metadata: { component: image },
      components: [command, ...bill.components, runtime, ...inNode, ...debian],
      dependencies: [
        { ref: image["bom-ref"], dependsOn: refs([command, runtime, ...debian]) },
        ...bill.dependencies,
        { ref: runtime["bom-ref"], dependsOn: refs(inNode) }
      ]
    },
    null,
    2
  )}\n`
)
