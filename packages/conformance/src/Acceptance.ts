/** What the runs over packed clients have in common: a line for each check, and what they add up to. */
import { execFile } from "node:child_process"
import { promisify } from "node:util"
import type { Language } from "./Languages.ts"
import { runSuite, type Suite } from "./Suite.ts"

/** A client that nothing works with says so often enough. */
const MOST_TOLD = 10

/** This process's environment without what the npm around it says of its own project. */
export const environment: NodeJS.ProcessEnv = Object.fromEntries(
  Object.entries(process.env).filter(([name]) => !/^npm_(config_local_prefix|package_|lifecycle_)/.test(name))
)

const execute = promisify(execFile)

interface Where {
  readonly cwd?: string
  readonly env?: NodeJS.ProcessEnv
}

/** → what it printed; what went wrong is in the message of the error that it rejects with. */
export const run = async (command: ReadonlyArray<string>, { cwd, env }: Where = {}): Promise<string> => {
  const [program = "", ...args] = command
  try {
    const { stdout } = await execute(program, args, { cwd, env: { ...environment, ...env }, maxBuffer: 1 << 28 })
    return stdout
  } catch (error) {
    const {
      message,
      stderr = "",
      stdout = ""
    } = error as Error & { readonly stdout?: string; readonly stderr?: string }
    throw new Error([message.split("\n")[0], stdout, stderr].join("\n").slice(-4_000), { cause: error })
  }
}

/** The blocks of a README in that language, with the models of the gateway that they are run with. */
export const samplesOf = (readme: string, language: string): ReadonlyArray<string> =>
  [...readme.matchAll(new RegExp(`\`\`\`${language}\\n(.*?)\`\`\``, "gs"))].map(([, code = ""]) =>
    code.replaceAll("whisper-1", "demo/transcribe").replaceAll("rerank-v4.0-pro", "demo/rerank")
  )

export class Checks {
  private passed = 0
  private failed = 0

  ok(name: string): void {
    this.passed++
    console.log(`ok   ${name}`)
  }

  fail(name: string, why: string): void {
    this.failed++
    console.log(`FAIL ${name}\n${why.replace(/^/gm, "     ")}`)
  }

  /** What could not be tried, and why: neither passed nor failed. */
  skip(name: string, why: string): void {
    console.log(`SKIP ${name}: ${why}`)
  }

  /** Passes when `test` does not reject. A text that it gives stands behind the name. */
  async check(name: string, test: () => Promise<string | void>): Promise<boolean> {
    try {
      const said = await test()
      this.ok(said === undefined ? name : `${name}: ${said}`)
      return true
    } catch (error) {
      this.fail(name, error instanceof Error ? error.message : String(error))
      return false
    }
  }

  /** All scenarios but those that are `known` to fail, each with why. */
  async scenarios(suite: Suite, language: Language, known: ReadonlyMap<string, string> = new Map()): Promise<void> {
    const results = [...(await runSuite(suite, language))].filter(([scenario]) => !known.has(scenario))
    const failures = results.filter(([, problems]) => problems.length > 0)
    const line = `${language.name}: ${results.length - failures.length} of ${results.length} scenarios`
    const told = failures.slice(0, MOST_TOLD).map(([scenario, problems]) => `${scenario}: ${problems.join("; ")}`)
    if (failures.length === 0) this.ok(line)
    else this.fail(line, told.join("\n"))
    for (const [scenario, why] of known) console.log(`     left out: ${scenario}: ${why}`)
  }

  /** The last line, and the exit code. */
  end(): void {
    console.log(`${this.passed} passed, ${this.failed} failed`)
    process.exitCode = this.failed === 0 && this.passed > 0 ? 0 : 1
  }
}
