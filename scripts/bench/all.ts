/** Every bench that package.json names, one after the other, with the arguments given here. */
import { spawnSync } from "node:child_process"
import { readFileSync } from "node:fs"
import { join } from "node:path"

const root = join(import.meta.dirname, "..", "..")
const { scripts } = JSON.parse(readFileSync(join(root, "package.json"), "utf8")) as {
  readonly scripts: Readonly<Record<string, string>>
}

for (const [name, script] of Object.entries(scripts)) {
  if (!name.startsWith("bench:")) continue
  console.log(`\n# ${name}`)
  const file = script.split(" ").at(-1)!
  const { status } = spawnSync(
    process.execPath,
    ["--conditions=model-gateway-source", file, ...process.argv.slice(2)],
    { cwd: root, stdio: "inherit" }
  )
  if (status !== 0) process.exitCode = 1
}
