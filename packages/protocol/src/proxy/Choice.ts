/** The models and providers that may serve a request, in OpenRouter's fields. Other fields of theirs reach OpenRouter untouched. */
import { Schema } from "effect"
import { open, optional } from "../Open.ts"

const names = (description: string) => optional(Schema.Array(Schema.String)).annotate({ description })
const perMillion = optional(Schema.Finite).annotate({ description: "USD per million tokens." })

const ProviderChoice = open({
  order: names("These providers come first, in this order: names, vendors or the IDs of deployments."),
  only: names("Only these providers are called."),
  ignore: names("These providers are not called."),
  allow_fallbacks: optional(Schema.Boolean).annotate({
    description:
      "`false`: only the providers in `order` are called; without `order`, only the first deployment of each model."
  }),
  sort: optional(Schema.Literals(["price", "throughput", "latency"])).annotate({
    description: "Replaces the configured order and the session's deployment."
  }),
  max_price: optional(
    Schema.Struct({
      prompt: perMillion,
      completion: perMillion,
      audio: perMillion,
      request: optional(Schema.Finite).annotate({ description: "USD." }),
      image: optional(Schema.Finite).annotate({ description: "USD." })
    })
  ).annotate({ description: "The most that a deployment may charge. Those without a known price are excluded." }),
  require_parameters: optional(Schema.Boolean).annotate({
    description: "`true`: a deployment that would drop a parameter is not called."
  }),
  zdr: optional(Schema.Boolean).annotate({ description: "`true`: only deployments with `zdr: true` are called." })
}).annotate({ identifier: "ProviderChoice" })

export const choice = {
  models: names("Further models, called in this order after those of `model`."),
  provider: optional(ProviderChoice).annotate({ description: "Narrows and orders the deployments that may serve." })
}
