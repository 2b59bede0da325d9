/** The Pythons of this machine that the package promises to work on. */
import { globSync } from "node:fs"
import { homedir } from "node:os"
import { join } from "node:path"
import { run } from "../../conformance/src/Acceptance.ts"

/** From the least that `pyproject.toml` names to the newest that there is. */
const MINORS = [10, 11, 12, 13, 14]

export interface Interpreter {
  /** `3.12`. */
  readonly version: string
  /** Undefined: this machine has none. */
  readonly path: string | undefined
}

/** On the PATH, or where pyenv keeps them; one that has no `venv` can make no environment. */
const find = async (version: string): Promise<string | undefined> => {
  const pyenv = process.env["PYENV_ROOT"] ?? join(homedir(), ".pyenv")
  const kept = globSync(`versions/${version}.*/bin/python${version}`, { cwd: pyenv }).map((path) => join(pyenv, path))
  for (const path of [...kept.toSorted().toReversed(), `python${version}`]) {
    const works = await run([path, "-c", "import venv, ensurepip"]).then(
      () => true,
      () => false
    )
    if (works) return path
  }
  return undefined
}

export const interpreters = (): Promise<ReadonlyArray<Interpreter>> =>
  Promise.all(MINORS.map(async (minor) => ({ version: `3.${minor}`, path: await find(`3.${minor}`) })))
