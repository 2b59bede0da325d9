import { assert, describe, it } from "@effect/vitest"
import { existsSync } from "node:fs"
import type { Target } from "../../../../bench/Bench.ts"
import { table } from "../../../../bench/Figures.ts"
import { Field } from "../../../../bench/peers/Field.ts"
import { ServerProcess } from "../../../../bench/ServerProcess.ts"
import { NotInstallable } from "../../../../scripts/acceptance/Install.ts"
import { freePort } from "../../../../scripts/postgres/Server.ts"

/** A program that starts another one, which listens. */
const listener = `
  const { spawn } = require("node:child_process")
  const inner = "require('node:http').createServer((_, answer) => answer.end()).listen(process.argv[1], '127.0.0.1')"
  spawn(process.execPath, ["-e", inner, process.argv[1]], { stdio: "ignore" })
  setInterval(() => {}, 1000)
`
const node = (script: string, ...args: ReadonlyArray<string>) => ({
  program: process.execPath,
  args: ["-e", script, ...args],
  env: {}
})
const answers = (url: string): Promise<boolean> =>
  fetch(url).then(
    () => true,
    () => false
  )

describe("figures", () => {
  it("are a table in Markdown, with an empty cell for what somebody does not have", () => {
    const shown = table("at once", { ours: [{ "CPU, µs": 1 }, { "CPU, µs": 3 }], theirs: [{ "RSS, MiB": 1234 }] })
    assert.strictEqual(
      shown,
      [
        "| at once  |      ours |                theirs |",
        "| -------- | --------: | --------------------: |",
        "| CPU, µs  | 1 / 2 / 3 |                       |",
        "| RSS, MiB |           | 1,234 / 1,234 / 1,234 |"
      ].join("\n")
    )
  })
})

// What a program of other people uses is read from there.
describe.skipIf(!existsSync("/proc/self/stat"))("a comparison", () => {
  it("takes in the processes that a program starts, and ends them with it", async () => {
    const port = await freePort()
    const server = await ServerProcess.startAt("theirs", port, node(listener, String(port)))
    assert.isTrue(await answers(server.url))
    assert.isAbove((await server.usage()).rss, 40 * 2 ** 20)
    await server.stop()
    assert.isFalse(await answers(server.url))
  })

  it("says what a program said that ends before it listens", async () => {
    const ending = ServerProcess.startAt("theirs", await freePort(), node("console.log('no licence'); process.exit(3)"))
    const error = await ending.then(
      () => assert.fail("it listens"),
      (error: Error) => error
    )
    assert.match(error.message, /^theirs ended with exit code 3\n/)
  })

  it("goes on without who can't be installed or answers wrongly, and ends where ours does", async () => {
    const field = new Field()
    const started: Array<ServerProcess> = []
    const add = async (name: string, peer?: Target["peer"]) => {
      const port = await freePort()
      const server = await ServerProcess.startAt(name, port, node(listener, String(port)))
      started.push(server)
      await field.add({ server, key: "", ...(peer === undefined ? {} : { peer }) }, [])
    }
    try {
      await field.attempt("absent", () => Promise.reject(new NotInstallable("no such package")))
      await add("ours")
      await add("theirs", {})
      await add("third", {})
      const asked: Array<string> = []
      const turn = (round: number) =>
        field.turns(round, async (_, name) => {
          asked.push(name)
          if (name === "theirs") throw new Error("answered with status 500")
        })
      await turn(0)
      await turn(1)
      assert.deepStrictEqual(asked, ["ours", "theirs", "third", "third", "ours"])
      assert.deepStrictEqual(field.missing, [
        "absent can't be installed here: no such package",
        "theirs was left out: answered with status 500"
      ])
      assert.deepStrictEqual(Object.keys(field.columns(({ plain }) => plain)), ["ours", "third"])
      const failing = field.turns(2, () => Promise.reject(new Error("wrong cost")))
      await failing.then(
        () => assert.fail("the run goes on"),
        (error: Error) => assert.strictEqual(error.message, "wrong cost")
      )
    } finally {
      await Promise.all(started.map((server) => server.stop()))
    }
  })
})
