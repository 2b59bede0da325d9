/** `GET /v1/responses` over a WebSocket: each `response.create` is a request, as `POST` with `stream: true`. */
import { Effect, Predicate, Result } from "effect"
import type { JsonObject } from "../../../../core/domain/Json.ts"
import type { Operation } from "../../../../core/operations/Operation.ts"
import { wrong } from "../../../../core/operations/ParseFields.ts"
import { found, given } from "../../../../core/operations/RequestScan.ts"
import { responses } from "../../../../core/operations/responses/Responses.ts"
import { WebSocketNotServed } from "../../../errors/RequestErrors.ts"
import type { Endpoint } from "../../../routing/Endpoint.ts"

export const socketResponses: Operation = {
  ...responses,
  read: (body) => {
    if (body.kind !== "json" || !Predicate.isObject(body.value)) return responses.read(body)
    const { generate, stream_id: lane, type, ...fields } = body.value as JsonObject
    if (type !== "response.create") {
      return wrong(
        "type",
        `\`type\` must be \`response.create\`, the only event that this endpoint takes, ${found(type)}`
      )
    }
    if (given(lane) !== undefined) {
      const rule = "a connection runs one response at a time: leave `stream_id` out, and open a connection for each"
      return wrong("stream_id", rule)
    }
    if (given(fields["background"]) !== undefined && fields["background"] !== false) {
      return wrong("background", "`background` is not possible over a WebSocket: send the request as POST")
    }
    const value = { ...fields, stream: true }
    if (generate !== false) return responses.read({ ...body, value })
    // It may have no input yet.
    return Result.map(responses.read({ ...body, value: { ...value, input: "-" } }), (read) => ({
      ...read,
      body: { ...value, generate }
    }))
  }
}

/** `turn`: the endpoint of `socketResponses`. Over HTTP the path has nothing to read. */
export const responsesSocketEndpoint = (turn: Endpoint): Endpoint => ({
  ...turn,
  method: "GET",
  handle: (request, caller) =>
    request.connection === undefined ? Effect.fail(new WebSocketNotServed({})) : turn.handle(request, caller)
})
