/** What type checkers say of the installed wheel, of the sources, and of a program that uses them. */
import { cpSync, existsSync, mkdirSync, writeFileSync } from "node:fs"
import { delimiter, dirname, join } from "node:path"
import { type Checks, run } from "../../conformance/src/Acceptance.ts"

const client = join(import.meta.dirname, "..")
const root = join(client, "..", "..")
/** Of npm: the package of PyPI downloads a Node of its own. */
const PYRIGHT = "1.1.414"
const pyrightFolder = join(root, "node_modules", ".cache", "model-gateway", "pyright")

/** → its program. Installed once. */
const pyright = async (): Promise<ReadonlyArray<string>> => {
  const program = join(pyrightFolder, PYRIGHT, "node_modules", "pyright", "index.js")
  if (!existsSync(program)) {
    mkdirSync(join(pyrightFolder, PYRIGHT), { recursive: true })
    writeFileSync(join(pyrightFolder, PYRIGHT, "package.json"), JSON.stringify({ private: true }))
    const quiet = ["--no-audit", "--no-fund", "--no-package-lock", "--fetch-retries=2"]
    await run(["npm", "install", ...quiet, `pyright@${PYRIGHT}`], { cwd: join(pyrightFolder, PYRIGHT) })
  }
  return [process.execPath, program]
}

/** `python`: of an environment that has the wheels. `scratch`: an empty place. */
export const typeChecks = async (checks: Checks, python: string, scratch: string): Promise<void> => {
  const folder = join(scratch, "typed")
  mkdirSync(folder)
  cpSync(join(import.meta.dirname, "typed.py"), join(folder, "typed.py"))
  await checks.check("mypy --strict: a program with the wheel", async () => {
    const strict = ["-m", "mypy", "--strict", "--python-executable", python, "--cache-dir", join(folder, ".mypy")]
    await run(["python3", join(client, "scripts", "venv.py"), ...strict, join(folder, "typed.py")], { cwd: client })
  })
  let command: ReadonlyArray<string>
  try {
    command = await pyright()
  } catch (error) {
    return checks.skip(`pyright ${PYRIGHT}`, `it can't be installed: ${String(error).split("\n")[0]}`)
  }
  const checked = (mode: string, place: string) => async () => {
    // What mypy is told to ignore need be no mistake for pyright; in the program both must find it.
    const unneeded = { reportUnnecessaryTypeIgnoreComment: mode === "strict" }
    const config = { include: [place], typeCheckingMode: mode, pythonVersion: "3.10", ...unneeded }
    writeFileSync(join(folder, "pyrightconfig.json"), JSON.stringify(config))
    const said = await run([...command, "--project", folder, "--pythonpath", python])
    // It is content with a folder in which it finds nothing.
    if (/No source files found/.test(said)) throw new Error(said)
    return said.trim().split("\n").at(-1)
  }
  await checks.check(`pyright ${PYRIGHT}, strict: a program with the wheel`, checked("strict", "typed.py"))
  for (const [name, source] of [
    ["the client", client],
    ["LangChain's package", join(root, "packages", "langchain-python")]
  ] as const) {
    cpSync(join(source, "src"), join(folder, name), { recursive: true })
    await checks.check(`pyright ${PYRIGHT}: the sources of ${name}`, checked("standard", name))
  }
  await checks.check(`pyright ${PYRIGHT}: every public name of the wheel has its type`, async () => {
    // It looks for packages where the first Python of the PATH does, whatever --pythonpath says.
    const env = { PATH: `${dirname(python)}${delimiter}${process.env["PATH"]}` }
    const said = await run([...command, "--verifytypes", "model_gateway_client", "--ignoreexternal"], {
      cwd: scratch,
      env
    })
    return /Type completeness score: .*/.exec(said)?.[0]
  })
}
