// Runs the gateway once while the image is built, so that its compiled code is in the image: the first start is as fast as the second.
import { spawn } from "node:child_process"

const [program] = process.argv.slice(2)
const args = [program, "demo", "--json", "--host", "127.0.0.1", "--port", "0", "--data", "/tmp/warm"]
const gateway = spawn(process.execPath, args, { stdio: ["ignore", "pipe", "inherit"] })
const tooLong = setTimeout(() => gateway.kill("SIGKILL"), 120_000)
gateway.stdout.once("data", () => gateway.kill("SIGTERM"))
gateway.once("exit", (code, signal) => {
  clearTimeout(tooLong)
  if (signal !== null || code !== 0) {
    process.stderr.write(`the gateway did not start in the image: ${signal ?? code}\n`)
    process.exitCode = 1
  }
})
