/** What a machine may lack. */
import { spawnSync } from "node:child_process"

export type Need = "node" | "python3" | "go"

const succeeds = (program: string, ...args: ReadonlyArray<string>): boolean =>
  spawnSync(program, args, { stdio: "ignore" }).status === 0

const needs: { readonly [name in Need]: { readonly there: () => boolean; readonly text: string } } = {
  // The run itself is on the Node that package.json pins.
  node: { there: () => succeeds("npm", "--version"), text: "npm" },
  python3: {
    there: () => succeeds("python3", "-c", "import sys, venv, ensurepip; sys.exit(sys.version_info < (3, 10))"),
    text: "python3 of at least 3.10 with venv"
  },
  go: { there: () => succeeds("go", "version"), text: "go" }
}

/** What of this the machine lacks, in words. */
export const lacking = (wanted: ReadonlyArray<Need>): ReadonlyArray<string> =>
  wanted.map((name) => needs[name]).flatMap(({ text, there }) => (there() ? [] : [text]))
