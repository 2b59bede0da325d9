// Stands for a program that a sample calls: hands the call to the test, and ends as that says.
import { basename } from "node:path"

const [, , name, ...args] = process.argv
const answer = await fetch(process.env.SAMPLE_COMMANDS, {
  method: "POST",
  body: JSON.stringify({ program: basename(name), args, folder: process.cwd(), environment: process.env })
})
const { code, stderr, stdout } = await answer.json()
process.stdout.write(stdout)
process.stderr.write(stderr)
process.exitCode = code
