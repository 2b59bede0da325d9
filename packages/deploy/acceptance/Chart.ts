/** The chart and the manifests that were made of it. */
import { spawnSync } from "node:child_process"
import { createHash } from "node:crypto"
import { globSync, readFileSync } from "node:fs"
import { basename, join } from "node:path"

const folder = join(import.meta.dirname, "..")
export const chart = join(folder, "chart")

/** The values of each golden manifest, and where it is. */
export const goldens = (): ReadonlyArray<{
  readonly name: string
  readonly values: string
  readonly manifest: string
}> =>
  globSync(join(folder, "golden", "values", "*.yaml"))
    .toSorted()
    .map((values) => {
      const name = basename(values, ".yaml")
      return { name, values, manifest: join(folder, "golden", "manifests", `${name}.yaml`) }
    })

export interface Rendered {
  readonly status: number | null
  readonly stdout: string
  readonly stderr: string
}

/** The Kubernetes to render for. A Helm that was built without one takes 1.20, which the chart refuses. */
export const kubeVersion = ["--kube-version", "1.30"]

/** `helm template` of a release `gateway` in the namespace `gateway`. `more`: further arguments. */
export const render = (helm: string, values: string, ...more: ReadonlyArray<string>): Rendered =>
  spawnSync(
    helm,
    ["template", "gateway", chart, "--namespace", "gateway", ...kubeVersion, "--values", values, ...more],
    { encoding: "utf8" }
  )

/** Of everything that the manifests are made of, the values of the goldens included. */
export const hashOfChart = (): string => {
  const hash = createHash("sha256")
  const files = [
    ...globSync(join(chart, "**", "*"), { withFileTypes: true }),
    ...globSync(join(folder, "golden", "values", "*"), { withFileTypes: true })
  ]
    .filter((entry) => entry.isFile() && entry.name !== "README.md")
    .map((entry) => join(entry.parentPath, entry.name))
    .toSorted()
  for (const file of files)
    hash
      .update(`${file.slice(folder.length)}\n`)
      .update(readFileSync(file))
      .update("\n")
  return hash.digest("hex")
}
