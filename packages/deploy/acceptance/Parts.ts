/** One line per check, and one for each part that this machine can't do, with the reason. */
import { spawnSync, type SpawnSyncReturns } from "node:child_process"

/** The machine lacks what the part needs: nothing is wrong with the product. */
export class Skipped extends Error {
  override name = "Skipped"
}

export class Part {
  passed = 0
  failed = 0
  private readonly name: string

  constructor(name: string) {
    this.name = name
  }

  /** Passes where `test` finds nothing wrong. */
  async check(what: string, test: () => Promise<string | undefined> | string | undefined): Promise<void> {
    let wrong: string | undefined
    try {
      wrong = await test()
    } catch (error) {
      if (error instanceof Skipped) throw error
      wrong = error instanceof Error ? error.message : String(error)
    }
    if (wrong === undefined) this.passed++
    else this.failed++
    console.log(
      wrong === undefined
        ? `ok   ${this.name}: ${what}`
        : `FAIL ${this.name}: ${what}\n${wrong.trim().replace(/^/gm, "     ")}`
    )
  }

  /** A figure beside the checks. */
  note(text: string): void {
    console.log(`     ${this.name}: ${text}`)
  }
}

export const run = (program: string, ...args: ReadonlyArray<string>): SpawnSyncReturns<string> =>
  spawnSync(program, args, { encoding: "utf8", maxBuffer: 1 << 28 })

/** What it printed; throws with what it complained of. */
export const must = (program: string, ...args: ReadonlyArray<string>): string => {
  const { error, status, stderr, stdout } = run(program, ...args)
  if (error !== undefined) throw error
  if (status !== 0) throw new Error(`${program} ${args.join(" ")} ended with ${status}\n${stderr}${stdout}`)
  return stdout
}

export const onPath = (program: string): boolean =>
  spawnSync("sh", ["-c", 'command -v "$0"', program], { stdio: "ignore" }).status === 0

/** The first of these programs that the machine lacks ends the part. */
export const needs = (...programs: ReadonlyArray<string>): void => {
  for (const program of programs) {
    if (!onPath(program)) throw new Skipped(`${program} is not on the PATH`)
  }
}
