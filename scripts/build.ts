/**
 * Compiles the published packages to `dist`: JavaScript and type declarations, with everything else under `src` (data that
 * the sources read) copied beside them; `model-gateway` is a bundle of its own, and so is the editor
 * extension. Each package's `prepack` runs it, so what is packed is always what the sources say.
 * Arguments are the names of packages, all of them when there are none.
 */
import { spawnSync } from "node:child_process"
import { cpSync, existsSync, renameSync, rmSync, writeFileSync } from "node:fs"
import { delimiter, join, relative } from "node:path"
import { bundle } from "./bundle.ts"
import { copyDocuments } from "./documents.ts"
import { buildDashboard } from "./dashboard.ts"
import { makeVsix } from "./vsix/Vsix.ts"

const root = join(import.meta.dirname, "..")
const env = { ...process.env, PATH: `${join(root, "node_modules", ".bin")}${delimiter}${process.env["PATH"] ?? ""}` }

/** In order: the declarations of a package name those of the ones before it. */
const published = ["protocol", "gateway", "langchain", "client"]

/** Bundled, not compiled. */
const BUNDLED = "model-gateway"
const EXTENSION = "vscode"

/** A package's own `tsconfig.cjs.json` makes CommonJS beside the modules, in `dist/cjs`. */
const COMMONJS = "tsconfig.cjs.json"

/** The gateway's `dist` has the dashboard in it. */
const GATEWAY = "gateway"

const compile = async (name: string): Promise<boolean> => {
  const folder = join(root, "packages", name)
  // Two builds at once: whoever reads finds a whole one.
  const growing = join(root, "node_modules", ".cache", "model-gateway", "build", `${name}-${process.pid}`)
  rmSync(growing, { recursive: true, force: true })
  const isCompiled = [COMMONJS, "tsconfig.build.json"]
    .filter((project) => existsSync(join(folder, project)))
    .every((project) => compileProject(folder, project, project === COMMONJS ? join(growing, "cjs") : growing))
  cpSync(join(folder, "src"), growing, { recursive: true, filter: (file) => !file.endsWith(".ts") })
  if (name === GATEWAY) copyDocuments(join(growing, "http", "system", "pages"))
  if (name === GATEWAY) await buildDashboard(join(growing, "ui"))
  rmSync(join(folder, "dist"), { recursive: true, force: true })
  renameSync(growing, join(folder, "dist"))
  // The licence has to travel with every copy.
  cpSync(join(root, "LICENSE"), join(folder, "LICENSE"))
  return isCompiled
}

const compileProject = (folder: string, project: string, target: string): boolean => {
  const { error, status } = spawnSync("tsc", ["--project", project, "--outDir", target], {
    cwd: folder,
    env,
    // stdout belongs to the command that packs: `npm pack --json` prints there.
    stdio: ["ignore", 2, 2]
  })
  if (error !== undefined) console.error(error.message)
  // What `require` finds there is CommonJS, whatever the package says of itself.
  if (status === 0 && project === COMMONJS) writeFileSync(join(target, "package.json"), `{ "type": "commonjs" }\n`)
  return status === 0
}

const chosen = process.argv.slice(2)
let failed: string | undefined
for (const name of published.filter((one) => chosen.length === 0 || chosen.includes(one))) {
  if (failed === undefined && !(await compile(name))) failed = name
}
if (failed !== undefined) {
  console.error(`packages/${failed} does not compile: its dist is not fit to be packed.`)
  process.exitCode = 1
} else {
  if (chosen.length === 0 || chosen.includes(BUNDLED)) await bundle()
  if (chosen.length === 0 || chosen.includes(EXTENSION)) console.error(`made ${relative(root, await makeVsix())}`)
}
