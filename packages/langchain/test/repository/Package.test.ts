/**
 * The package as its users get it: packed once, then judged by `publint` and `attw`, imported from a folder that has nothing else but
 * LangChain's core, and put to work by agents of `langchain` in a project of their own. What only works inside this repository fails here.
 */
import { afterAll, assert, beforeAll, describe, it } from "@effect/vitest"
import { execFile, execFileSync } from "node:child_process"
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, symlinkSync } from "node:fs"
import { tmpdir } from "node:os"
import { delimiter, join } from "node:path"
import { promisify } from "node:util"
import { addPackage, environment, type Folder, install, NotInstallable, pack } from "../../acceptance/Install.ts"
import { agents, exportedNames } from "../../acceptance/Programs.ts"
import * as sources from "../../src/index.ts"
import { VERSION } from "../../src/Version.ts"
import { useGateway } from "../support/UseGateway.ts"

const run = promisify(execFile)
const root = join(import.meta.dirname, "..", "..", "..", "..")
const gateway = useGateway()

let folder = ""
let archive = ""
const app = () => join(folder, "app")

/** The machine's own Node, where it is one of those that the package promises to work on and not the one that runs this. */
const otherNode = (process.env["PATH"] ?? "")
  .split(delimiter)
  .filter((path) => path !== "" && !path.includes("node_modules"))
  .map((path) => join(path, "node"))
  .find((path) => {
    try {
      const major = Number(execFileSync(path, ["-p", "process.versions.node.split('.')[0]"], { encoding: "utf8" }))
      return major >= 20 && major !== Number(process.versions.node.split(".")[0])
    } catch {
      return false
    }
  })

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), "model-gateway-langchain-pack-"))
  archive = await pack(folder)
  mkdirSync(app())
  await addPackage(app(), archive)
  const scope = join(app(), "node_modules", "@langchain")
  mkdirSync(scope)
  symlinkSync(join(root, "node_modules", "@langchain", "core"), join(scope, "core"))
}, 300_000)

afterAll(() => rmSync(folder, { recursive: true, force: true }))

describe("the archive", () => {
  it("holds compiled files and the licence, no sources and no tests; its version is the one that traces show", () => {
    const packed = join(app(), "node_modules", "@model-gateway", "langchain")
    const names = readdirSync(packed)
    assert.includeMembers(names, ["LICENSE", "dist", "package.json"])
    assert.notIncludeMembers(names, ["src", "test", "acceptance"])
    const manifest = JSON.parse(readFileSync(join(packed, "package.json"), "utf8"))
    assert.strictEqual(manifest.version, VERSION)
    assert.notProperty(manifest, "dependencies")
    assert.deepStrictEqual(Object.keys(manifest.peerDependencies), ["@langchain/core"])
  })

  it("publint finds nothing", async () => {
    const { stdout } = await tool("publint", archive, "--strict")
    assert.include(stdout, "All good!")
  }, 60_000)

  it("attw finds nothing: every way to import it has its types", async () => {
    const { stdout } = await tool("attw", archive, "--format", "json")
    const { analysis, problems } = JSON.parse(stdout)
    assert.isTrue(analysis.types.kind === "included")
    assert.deepStrictEqual(problems ?? {}, {})
  }, 60_000)

  it("is an ES module and CommonJS, with the same names as its sources", async () => {
    const expected = Object.keys(sources).toSorted()
    for (const node of [process.execPath, ...(otherNode === undefined ? [] : [otherNode])]) {
      const { imported, required } = await exportedNames(app(), node)
      assert.deepStrictEqual(imported, expected, node)
      assert.deepStrictEqual(required, expected, node)
    }
  }, 300_000)
})

const tool = (name: string, ...args: ReadonlyArray<string>) =>
  run(join(root, "node_modules", ".bin", name), args, { env: environment(), maxBuffer: 2 ** 26 })

describe("agents of langchain, from the archive: what they saw is what the gateway booked", () => {
  for (const name of ["core-1.2", "core-1.4"] as const) {
    it(`@langchain/${name}`, async ({ skip }) => {
      const project = await installed(name)
      if (project === undefined) return skip(`${name} can't be installed here`)
      await addPackage(project, archive)
      for (const node of [process.execPath, ...(otherNode === undefined ? [] : [otherNode])]) {
        for (const { booked, name: agent, told } of await agents(gateway(), project, node)) {
          assert.deepStrictEqual(told, booked, `${agent} on ${node}`)
          assert.strictEqual(told.byHand, told.total)
          assert.isAbove(told.total, 0)
        }
      }
    }, 300_000)
  }
})

/** Undefined, and a line that says so, where the registry is out of reach. */
const installed = async (name: Folder): Promise<string | undefined> => {
  try {
    return await install(name)
  } catch (error) {
    if (!(error instanceof NotInstallable)) throw error
    console.log(`skipped: agents on ${error.message}`)
    return undefined
  }
}
