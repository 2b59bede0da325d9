/** `run.mjs FOLDER PART…`: the checks of these parts. */
import { runChecks } from "./checks.mjs"

const [folder, ...parts] = process.argv.slice(2)
for (const part of parts) await import(`../${folder}/${part}.mjs`)
await runChecks()
