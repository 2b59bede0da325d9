/** Libraries: the program or the variables that are printed for them, run beside what their registry gives. They talk to the demo. */
import assert from "node:assert/strict"
import { execFile, execFileSync } from "node:child_process"
import { globSync, mkdirSync, rmSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { promisify } from "node:util"
import { Effect } from "effect"
import type { Client, Room } from "../Client.ts"
import * as clients from "../Clients.ts"
import { demoGateway, type Gateway } from "../Gateways.ts"
import { environment, type Installation, npm } from "../Install.ts"
import { exported, printed } from "./Printed.ts"

const run = promisify(execFile)
/** How every answer of the demo begins. */
const ANSWER = /the demo model built into this gateway/

interface Library extends Omit<Client, "parts" | "run"> {
  /** Its name for `connect`. */
  readonly tool: string
  /** Runs a program with what was printed. → what it says */
  readonly answer: (text: string, room: Room, gateway: Gateway) => Promise<{ readonly stdout: string }>
}

const connected = ({ answer, tool, ...client }: Library): Client => ({
  ...client,
  parts: ["connect"],
  run: (room) =>
    Effect.gen(function* () {
      const gateway = yield* demoGateway(room.scratch)
      const test = Effect.promise(async () => {
        const { stdout } = await answer(printed(gateway, tool, "auto"), room, gateway)
        assert.match(stdout, ANSWER)
      })
      yield* room.checks.check("runs as it is printed, and its answer comes through the gateway", test)
    })
})

/** A program in JavaScript where the library is found. */
const program = (text: string, { folder }: Room, { key }: Gateway) => {
  writeFileSync(join(folder, "connected.mjs"), text)
  return run(process.execPath, [join(folder, "connected.mjs")], { env: { GATEWAY_API_KEY: key } })
}

export const aiSdk = connected({ ...clients.aiSdk, tool: "ai-sdk", answer: program })

const asking = `import OpenAI from "openai"
const messages = [{ role: "user", content: "Hi" }]
const answer = await new OpenAI().chat.completions.create({ model: process.env.OPENAI_MODEL, messages })
console.log(answer.choices[0].message.content)`

export const openaiNode = connected({
  ...clients.openaiNode,
  tool: "openai",
  answer: (text, { folder }, { key }) => {
    writeFileSync(join(folder, "connected.mjs"), asking)
    return run(process.execPath, [join(folder, "connected.mjs")], { env: exported(text, key) })
  }
})

const askingInPython = `import os, openai
messages = [{"role": "user", "content": "Hi"}]
answer = openai.OpenAI().chat.completions.create(model=os.environ["OPENAI_MODEL"], messages=messages)
print(answer.choices[0].message.content)`

export const openaiPython = connected({
  ...clients.openaiPython,
  tool: "openai",
  answer: (text, { folder }, { key }) =>
    run(join(folder, "bin", "python"), ["-c", askingInPython], { env: { ...exported(text, key), PYTHONUTF8: "1" } })
})

const LANGCHAIN = "1.4.0"
const core = npm({ "@langchain/core": LANGCHAIN })

/** The package of this repository, packed as it would be published, beside a core of the registry's. */
const packed: Installation = {
  ...core,
  prepare: async (folder) => {
    const target = join(folder, "node_modules", "@model-gateway", "langchain")
    rmSync(target, { recursive: true, force: true })
    mkdirSync(target, { recursive: true })
    for (const old of globSync("*.tgz", { cwd: folder })) rmSync(join(folder, old))
    const source = join(import.meta.dirname, "..", "..", "..", "packages", "langchain")
    execFileSync("npm", ["pack", "--pack-destination", folder], { cwd: source, env: environment(), stdio: "ignore" })
    const [archive = ""] = globSync("*.tgz", { cwd: folder })
    execFileSync("tar", ["-xzf", join(folder, archive), "--strip-components=1", "-C", target])
  }
}

export const langchain = connected({
  name: "langchain-core",
  version: LANGCHAIN,
  needs: ["node"],
  install: packed,
  tool: "langchain",
  answer: program
})
