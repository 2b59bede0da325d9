/** A gateway with the demo provider's models for sound, and forms as providers get them. */
import { Effect } from "effect"
import { limits, startGateway } from "../../support/RunningGateway.ts"
import { type Asked } from "../../support/Upstream.ts"

const yaml = `
providers: { demo: { vendor: demo } }
deployments: [demo/mini, demo/transcribe, demo/speech]
router: { buckets: { simple: [demo/mini] } }
`

export const demo = Effect.gen(function* () {
  const gateway = yield* startGateway({ yaml })
  // Neither seconds nor characters are tokens.
  const { secret } = yield* gateway.createKey({ limits: limits({ tpm: 1 }) })
  return { ...gateway, secret, openai: gateway.client(secret) }
})

/** The fields and the file of a form that an upstream got. */
export const formIn = ({ body, headers }: Asked) =>
  Effect.promise(async () => {
    const data = await new Response(new Uint8Array(body as Buffer), { headers }).formData()
    const file = data.get("file")
    const bytes = file instanceof File ? Buffer.from(await file.arrayBuffer()) : Buffer.alloc(0)
    data.delete("file")
    return { bytes, fields: Object.fromEntries(data.entries()), name: file instanceof File ? file.name : "" }
  })
