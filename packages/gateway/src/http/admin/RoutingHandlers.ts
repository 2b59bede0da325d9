/** `/admin/route/explain`: a decision that nobody acts on. */
import { RouteQuestion, ServedApi } from "@model-gateway/protocol"
import { Effect, Predicate } from "effect"
import type { HttpServerRequest } from "effect/http"
import { HttpApiBuilder } from "effect/http-api"
import { InvalidField } from "../../core/domain/Errors.ts"
import { answering } from "../shared/Answer.ts"
import { routerRequest } from "../node/RouterRequest.ts"
import { readJson } from "../proxy/ReadBody.ts"
import { bodyDecoder } from "./AdminRequestBody.ts"
import { explainer } from "./Explainer.ts"

/** As much as the longest prompts that anybody routes. */
const MAX_BYTES = 32 * 1024 * 1024

const decode = bodyDecoder(RouteQuestion)
const besides: ReadonlyArray<string> = ["endpoint", "key", "prefer", "session_id"]

export const routingHandlers = HttpApiBuilder.group(
  ServedApi,
  "routing",
  Effect.fnUntraced(function* (handlers) {
    const explainRoute = yield* explainer

    const explain = Effect.fnUntraced(function* (request: HttpServerRequest.HttpServerRequest) {
      const { value } = yield* readJson(routerRequest(request), MAX_BYTES)
      return yield* explainRoute(yield* questionIn(value))
    })

    return handlers.handleRaw("explainRoute", ({ request }) => answering(explain(request)))
  })
)

/** A question, or the bare body of a chat request. */
const questionIn = (value: unknown): Effect.Effect<RouteQuestion, InvalidField> => {
  if (Predicate.hasProperty(value, "request")) return decode(value)
  if (!Predicate.isObject(value) || Array.isArray(value)) {
    return Effect.fail(new InvalidField({ param: "body", message: "the body must be a JSON object" }))
  }
  const beside = besides.find((name) => name in value)
  if (beside === undefined) return Effect.succeed({ request: value as RouteQuestion["request"] })
  const message = `\`${beside}\` stands beside a request, not in it: send {"request": {…}, "${beside}": …}`
  return Effect.fail(new InvalidField({ param: beside, message }))
}
