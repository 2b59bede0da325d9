/** Programs that there are as Go modules: on the PATH, else built once into `node_modules/.cache/model-gateway`, which takes minutes. */
import { existsSync, mkdirSync } from "node:fs"
import { join } from "node:path"
import { spawnSync } from "node:child_process"
import { onPath, Skipped } from "./Parts.ts"

const folder = join(import.meta.dirname, "..", "..", "..", "node_modules", ".cache", "model-gateway", "go")

const modules = {
  helm: "helm.sh/helm/v4/cmd/helm@v4.3.1",
  // No release has a tag that Go knows by another name than this.
  "kubectl-validate": "sigs.k8s.io/kubectl-validate@latest"
}

export const goTool = (name: keyof typeof modules): string => {
  if (onPath(name)) return name
  const program = join(folder, name)
  if (existsSync(program)) return program
  if (!onPath("go")) throw new Skipped(`neither ${name} nor go is on the PATH`)
  console.log(`Building ${name} (once; minutes)`)
  mkdirSync(folder, { recursive: true })
  const { status, stderr } = spawnSync("go", ["install", modules[name]], {
    env: { ...process.env, GOBIN: folder },
    encoding: "utf8"
  })
  if (status !== 0) throw new Skipped(`${name} can't be built: ${stderr.trim().split("\n").at(-1)}`)
  return program
}
