/** The units as systemd reads them, and what their sandbox is worth. */
import { cpSync, mkdtempSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { needs, type Part, run } from "./Parts.ts"

const folderOfUnits = join(import.meta.dirname, "..", "systemd")
const units = ["model-gateway.service", "model-gateway@.service"]

/** Of 10, where 10 is no sandbox at all. What is left is the network, and memory that V8 writes machine code to. */
const MOST_EXPOSED = 1.5

export const systemdPart = async (part: Part): Promise<void> => {
  needs("systemd-analyze")
  const folder = mkdtempSync(join(tmpdir(), "model-gateway-unit-"))
  try {
    for (const unit of units) {
      const copy = join(folder, unit)
      cpSync(join(folderOfUnits, unit), copy)
      await part.check(`systemd-analyze verify has nothing to say of ${unit}`, () => {
        const { status, stderr, stdout } = run("systemd-analyze", "verify", copy)
        return status === 0 && stderr.trim() === "" ? undefined : `${stderr}${stdout}`
      })
      await part.check(`the exposure of ${unit} is at most ${MOST_EXPOSED}`, () => {
        const { stdout } = run("systemd-analyze", "security", "--offline=true", copy)
        const [, level] = /exposure level for \S+: ([\d.]+)/.exec(stdout) ?? []
        if (level !== undefined) part.note(`exposure ${level} of 10`)
        return Number(level) <= MOST_EXPOSED ? undefined : stdout
      })
    }
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
}
