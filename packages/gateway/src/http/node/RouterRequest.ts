/** What the handlers of the system and admin router need of the `node:http` request behind theirs. */
import type { IncomingMessage } from "node:http"
import * as NodeHttpServerRequest from "@effect/platform-node/NodeHttpServerRequest"
import type { HttpServerRequest } from "effect/http"
import type { RequestHeaders, HttpRequest } from "../routing/Endpoint.ts"
import { readBytes } from "./ReadBytes.ts"

interface RouterRequest extends Pick<HttpRequest, "bytes"> {
  readonly headers: RequestHeaders
  readonly socket: { readonly remoteAddress?: string | undefined }
}

export const routerRequest = (request: HttpServerRequest.HttpServerRequest): RouterRequest => {
  // The server speaks HTTP/1.1 only.
  const incoming = NodeHttpServerRequest.toIncomingMessage(request) as IncomingMessage
  const { headers, socket } = incoming
  return { headers, socket, bytes: (maxBytes) => readBytes(incoming, maxBytes) }
}
