/** `/docs`: the API for people. The page holds its script, so it works without the network. */
import { Api } from "@model-gateway/protocol"
import { Effect } from "effect"
import { HttpRouter } from "effect/http"
import { HttpApiScalar } from "effect/http-api"

const PATH = "/docs"

/** The script is 3 MB: a gateway whose page nobody opens does not load it. */
export const docsLayer = HttpRouter.use(
  Effect.fnUntraced(function* (router) {
    const page = HttpApiScalar.layer(Api, { path: PATH, scalar: { withDefaultFonts: false } })
    const made = yield* Effect.cached(HttpRouter.toHttpEffect(page))
    yield* router.add("GET", PATH, Effect.scoped(Effect.flatten(made)))
  })
)
