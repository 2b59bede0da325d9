/** With `server.admin_port` the main port serves `/v1`, health, the API description and the documents, nothing else. */
import type { Clock } from "effect"
import { unknown } from "../routing/NotServed.ts"
import { replyError } from "../proxy/Reply.ts"
import { echoedRequestId, newRequestId } from "../shared/RequestId.ts"
import { pagePaths } from "../system/pages/Pages.ts"
import { unknownPath } from "../routing/UnknownPaths.ts"
import { NodeReply } from "./NodeReply.ts"
import type { HttpListener } from "../server/ProxyListener.ts"

const open = new Set<string>([...pagePaths, "/healthz", "/readyz", "/openapi.json"])

const ELSEWHERE = "This port does not serve it: see server.admin_port in the gateway's configuration."

export const withoutAdministration =
  (clock: Clock.Clock, rest: HttpListener): HttpListener =>
  (incoming, response) => {
    const { headers, method = "GET", url = "/" } = incoming
    if (open.has(url.replace(/[?#].*$/s, ""))) return rest(incoming, response)
    const now = clock.currentTimeMillisUnsafe()
    const id = echoedRequestId(headers["x-request-id"]) ?? newRequestId(now)
    const error = /^\/(admin|metrics|ui)\b/.test(url) ? unknown(method, url, ELSEWHERE) : unknownPath(method, url)
    replyError(new NodeReply(response, 0), method, id, error, now)
  }
