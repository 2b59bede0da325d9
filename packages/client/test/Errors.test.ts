import { assert, describe, it } from "@effect/vitest"
import * as Errors from "../src/Errors.ts"

const classes = Object.values(Errors).filter((one) => typeof one === "function")

describe("errors", () => {
  it("are of their own class and of GatewayError, of no other", () => {
    for (const One of classes) {
      const error = new One("no luck")
      assert.instanceOf(error, Error)
      const of = classes.filter((other) => error instanceof other)
      assert.sameMembers(of, [...new Set([Errors.GatewayError, One])])
      assert.include(String(error), `${One.name}: no luck`)
    }
  })

  it("a class of a program's own takes none of its parent's errors", () => {
    class Own extends Errors.RateLimitError {}
    assert.notInstanceOf(new Errors.RateLimitError(""), Own)
    assert.instanceOf(new Own(""), Own)
    assert.instanceOf(new Own(""), Errors.RateLimitError)
    assert.notInstanceOf(null, Errors.GatewayError)
    assert.notInstanceOf(new Error("x"), Errors.GatewayError)
  })

  it("as JSON say what is known, and no headers", () => {
    const error = new Errors.RateLimitError("slow down", { status: 429, kind: "rpm", headers: new Headers({ a: "b" }) })
    assert.deepInclude(JSON.parse(JSON.stringify(error)), {
      name: "RateLimitError",
      message: "slow down",
      status: 429,
      kind: "rpm"
    })
    assert.notInclude(Object.keys(JSON.parse(JSON.stringify(error))), "headers")
  })
})
