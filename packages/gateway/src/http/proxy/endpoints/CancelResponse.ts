/** `POST /v1/responses/{id}/cancel`: only a response in the background can be cancelled, and there are none. */
import { Effect } from "effect"
import { InvalidField } from "../../../core/domain/Errors.ts"
import type { Endpoint } from "../../routing/Endpoint.ts"

export const cancelResponseEndpoint: Endpoint = {
  method: "POST",
  path: "/v1/responses/{id}/cancel",
  handle: () =>
    Effect.fail(
      new InvalidField({
        param: "id",
        message:
          "only responses made with `background` can be cancelled, and the gateway makes none: close the stream instead"
      })
    )
}
