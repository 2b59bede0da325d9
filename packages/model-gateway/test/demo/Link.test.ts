/** The link that signs a browser in: on a terminal, and nowhere else. */
import { spawn, spawnSync } from "node:child_process"
import { join } from "node:path"
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { call } from "../../../gateway/test/support/RawHttp.ts"
import { folder } from "../Support.ts"

const root = join(import.meta.dirname, "..", "..", "..", "..")
const program = `${join(root, "node_modules", ".bin", "node")} --conditions=model-gateway-source ${join(root, "packages", "model-gateway", "src", "main.ts")}`

const LINK = /(http:\/\/\S+)\/ui\/login#([0-9A-Za-z]{43})/

/** `script` of util-linux gives a program a terminal. */
const hasScript = spawnSync("script", ["--version"]).status === 0

/** Starts the demo and waits until it has printed all; what it prints goes on growing. */
const demo = (isTerminal: boolean) =>
  Effect.gen(function* () {
    const cwd = yield* folder
    const command = `exec ${program} demo --port 0`
    const [name, ...args] = isTerminal ? ["script", "-qefc", command, "/dev/null"] : ["sh", "-c", command]
    return yield* Effect.acquireRelease(
      Effect.callback<{ readonly printed: () => string; readonly stop: () => Promise<void> }>((resume) => {
        const child = spawn(name, args, { cwd, env: { PATH: process.env["PATH"] }, stdio: ["pipe", "pipe", "pipe"] })
        let text = ""
        const ended = new Promise<void>((done) => {
          child.on("close", () => done())
        })
        const stop = () => {
          child.kill("SIGTERM")
          return ended
        }
        const hear = (piece: string) => {
          text += piece
          if (/listening on http\S+\s/.test(text)) resume(Effect.succeed({ printed: () => text, stop }))
        }
        child.stdout.setEncoding("utf8").on("data", hear)
        child.stderr.setEncoding("utf8").on("data", hear)
        child.on("close", () => resume(Effect.die(text)))
      }),
      ({ stop }) => Effect.promise(stop)
    )
  })

describe("the demo's link", () => {
  it.live.skipIf(!hasScript)("is printed on a terminal, signs in once, and is in no line of the log", () =>
    Effect.gen(function* () {
      const { printed, stop } = yield* demo(true)
      const [, url = "", code = ""] = LINK.exec(printed()) ?? assert.fail(printed())
      const open = call(url, { path: "/admin/session", body: { code } })
      assert.strictEqual((yield* open).status, 201)
      assert.strictEqual((yield* open).status, 401)
      assert.strictEqual((yield* call(url, { method: "GET", path: `/ui/login` })).status, 200)
      yield* Effect.promise(stop)
      assert.strictEqual(printed().split(code).length, 2, printed())
    })
  )

  it.live("is not printed into a file or a log", () =>
    Effect.gen(function* () {
      const { printed } = yield* demo(false)
      assert.notMatch(printed(), LINK)
      assert.match(printed(), /Dashboard: http:\S+\/ui\/ \(sign in with the master key/)
    })
  )
})
