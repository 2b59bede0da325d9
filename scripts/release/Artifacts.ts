/** Builds everything that is published into `release/`: npm archives, wheels, the extension, the context of the image, the bill of materials. */
import { createHash } from "node:crypto"
import { cpSync, globSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs"
import { basename, join } from "node:path"
import { run } from "../../packages/conformance/src/Acceptance.ts"
import { type Facts, manifestOf, NPM_PACKAGES } from "./Facts.ts"

/** Folders below `packages`, in the order in which they need each other. */
export const PYTHON_PACKAGES = ["python", "langchain-python"] as const

export interface Packed {
  /** Folder below `packages`. */
  readonly folder: string
  /** Name of the package in its registry. */
  readonly name: string
  readonly path: string
  /** Paths in the archive, without npm's `package/`. */
  readonly files: ReadonlyArray<string>
}

export interface Artifacts {
  readonly npm: ReadonlyArray<Packed>
  readonly wheels: ReadonlyArray<Packed>
  readonly extension: Packed
  /** The folder that `docker build` gets. */
  readonly image: string
  readonly bill: string
}

/** The environment of pins in which this repository's Python tools run. */
export const pinnedPython = (root: string, ...args: ReadonlyArray<string>): ReadonlyArray<string> => [
  "python3",
  join(root, "packages", "python", "scripts", "venv.py"),
  "--requirements",
  join(root, "packages", "langchain-python", "requirements.txt"),
  ...args
]

/** `facts.version` names the files. Rejects with what a tool said when it fails. */
export const buildArtifacts = async (root: string, facts: Facts): Promise<Artifacts> => {
  const out = join(root, "release")
  rmSync(out, { recursive: true, force: true })
  for (const name of ["npm", "python", "image"]) mkdirSync(join(out, name), { recursive: true })
  await run(["node", join(root, "scripts", "build.ts")], { cwd: root })
  const npm = await packNpm(root, facts, join(out, "npm"))
  const wheels = await buildWheels(root, join(out, "python"))
  const extension = await copyExtension(root, facts, out)
  const bill = join(out, `model-gateway-${facts.version}.cdx.json`)
  cpSync(join(root, "packages", "model-gateway", "sbom.cdx.json"), bill)
  const image = join(out, "image")
  const command = npm.find(({ folder }) => folder === "model-gateway")
  for (const file of ["Dockerfile", ".dockerignore", "warm.mjs", "bill.mjs"])
    cpSync(join(root, "packages", "deploy", file), join(image, file))
  if (command !== undefined) cpSync(command.path, join(image, basename(command.path)))
  return { npm, wheels, extension, image, bill }
}

const packNpm = async (root: string, facts: Facts, out: string): Promise<ReadonlyArray<Packed>> => {
  const packed: Array<Packed> = []
  for (const folder of NPM_PACKAGES) {
    const { name } = manifestOf(facts, folder)
    // Built above, once for all.
    const options = ["--ignore-scripts", "--json", "--pack-destination", out]
    const said = JSON.parse(await run(["npm", "pack", ...options, "-w", name], { cwd: root }))
    const { filename, files }: NpmPacked = Array.isArray(said) ? said[0] : said[name]
    packed.push({ folder, name, path: join(out, filename), files: files.map(({ path }) => path) })
  }
  return packed
}

/** What `npm pack --json` prints of one package. */
interface NpmPacked {
  readonly filename: string
  readonly files: ReadonlyArray<{ readonly path: string }>
}

const buildWheels = async (root: string, out: string): Promise<ReadonlyArray<Packed>> => {
  const wheels: Array<Packed> = []
  for (const folder of PYTHON_PACKAGES) {
    const source = join(root, "packages", folder)
    // The licence has to travel with every copy.
    cpSync(join(root, "LICENSE"), join(source, "LICENSE"))
    const name = /^name = "(.+)"$/m.exec(readFileSync(join(source, "pyproject.toml"), "utf8"))?.[1] ?? folder
    const build = ["-m", "pip", "-q", "wheel", "--no-deps", "--no-build-isolation", "-w", out, source]
    await run(pinnedPython(root, ...build), { cwd: source })
    const [file = ""] = globSync(`${name.replaceAll("-", "_")}-*.whl`, { cwd: out })
    wheels.push({ folder, name, path: join(out, file), files: await zipped(root, join(out, file)) })
  }
  return wheels
}

const copyExtension = async (root: string, facts: Facts, out: string): Promise<Packed> => {
  const { name } = manifestOf(facts, "vscode")
  const file = `${name}-${facts.version}.vsix`
  cpSync(join(root, "packages", "vscode", "dist", file), join(out, file))
  return { folder: "vscode", name, path: join(out, file), files: await zipped(root, join(out, file)) }
}

const zipped = async (root: string, path: string): Promise<ReadonlyArray<string>> => {
  const script = "import sys, zipfile; print('\\n'.join(zipfile.ZipFile(sys.argv[1]).namelist()))"
  return (await run(["python3", "-c", script, path], { cwd: root })).trim().split("\n")
}

/** Writes `SHA256SUMS` over the files of `release/`, as `sha256sum --check` reads it. */
export const writeChecksums = (root: string): void => {
  const out = join(root, "release")
  const lines = ["npm", "python", "."].flatMap((folder) =>
    readdirSync(join(out, folder), { withFileTypes: true })
      .filter((entry) => entry.isFile())
      .map(({ name }) => (folder === "." ? name : `${folder}/${name}`))
      .toSorted()
      .map(
        (name) =>
          `${createHash("sha256")
            .update(readFileSync(join(out, name)))
            .digest("hex")}  ${name}\n`
      )
  )
  writeFileSync(join(out, "SHA256SUMS"), lines.join(""))
}
