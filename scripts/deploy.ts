/**
 * `npm run deploy:files`: writes what the chart knows of vendors, and the table of its values. With `--golden` also the manifests of
 * `packages/deploy/golden`, by `helm` on the PATH.
 */
import { writeFileSync } from "node:fs"
import { join } from "node:path"
import { goldens, hashOfChart, render } from "../packages/deploy/acceptance/Chart.ts"
import { readmeOf, vendorsOf } from "../packages/deploy/acceptance/Made.ts"

const folder = join(import.meta.dirname, "..", "packages", "deploy")

writeFileSync(join(folder, "chart", "files", "vendors.yaml"), vendorsOf())
writeFileSync(join(folder, "chart", "README.md"), readmeOf())

if (process.argv.includes("--golden")) {
  for (const { manifest, values } of goldens()) {
    const { status, stderr, stdout } = render("helm", values)
    if (status !== 0) throw new Error(stderr)
    writeFileSync(manifest, stdout)
  }
  writeFileSync(join(folder, "golden", "chart.sha256"), `${hashOfChart()}\n`)
}
