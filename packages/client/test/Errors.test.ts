import { assert, describe, it } from "@effect/vitest"
import { decisionOfBody } from "../src/Decision.ts"
import { failureOf } from "../src/effect/Errors.ts"
import * as Errors from "../src/Errors.ts"
import { errorOfAnswer } from "../src/connection/ErrorAnswer.ts"
import { headersOf } from "../src/Settings.ts"

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

const answered = (status: number, error: object) =>
  errorOfAnswer({ status, headers: new Headers() }, JSON.stringify({ error }), "http://host")

describe("guardrails and end users", () => {
  it("a denied request names the check and the rule", () => {
    const guardrail = { check: "secrets", rule: "aws_access_key" }
    const error = answered(400, { message: "No.", code: "guardrail_denied", guardrail })
    assert.instanceOf(error, Errors.BadRequestError)
    assert.deepStrictEqual(error.guardrail, guardrail)
    assert.deepInclude(failureOf(error), { _tag: "BadRequestError", guardrail })
    assert.isUndefined(answered(400, { message: "No.", guardrail: "x" }).guardrail)
  })

  it("a limit names the end user and the models of the rule", () => {
    const limit = { kind: "budget" as const, scope: "end_user" as const, subject: "ann", models: ["openai/gpt-5*"] }
    const error = answered(429, { message: "No.", ...limit })
    assert.instanceOf(error, Errors.BudgetExceededError)
    assert.deepInclude(error, limit)
    assert.deepInclude(failureOf(error), limit)
  })

  it("a decision says what guardrails did", () => {
    const guardrail = { check: "pii", action: "masked" }
    assert.deepStrictEqual(decisionOfBody({ decision: "p/m", guardrail }, new Headers())?.guardrail, guardrail)
    assert.isNull(decisionOfBody({ decision: "p/m" }, new Headers())?.guardrail)
  })

  it("the end user is percent-encoded and policies are joined by commas", () => {
    assert.deepStrictEqual(headersOf({ endUser: "Zoë, a/b+c", guardrails: ["strict", "pii"] }), {
      "x-gateway-end-user": "Zo%C3%AB%2C%20a%2Fb%2Bc",
      "x-gateway-guardrails": "strict,pii"
    })
    assert.throws(() => headersOf({ endUser: "\ud800" }), /`endUser` must be text/)
  })
})
