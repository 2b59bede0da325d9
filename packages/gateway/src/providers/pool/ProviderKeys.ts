import { createHash } from "node:crypto"
import type { Deployment } from "../../core/domain/Deployment.ts"
import type { Suspect } from "../../core/pool/KeyPool.ts"
import { noOptions } from "../../core/domain/ProviderOptions.ts"
import type { ReadyAuth } from "../../core/pool/Auth.ts"
import type { UpstreamCall } from "../../core/pool/Protocol.ts"
import { type Transport, transportBy } from "../../core/pool/Transport.ts"
import type { Registry } from "../catalogue/ProviderRegistry.ts"

/** By provider: how its requests are authenticated. Its deployments share that, and the tokens in it. */
export const authenticationsOf = (
  deployments: ReadonlyArray<Deployment>,
  { vendors }: Pick<Registry, "vendors">,
  transport: Transport["Service"]
): ReadonlyMap<string, ReadyAuth> => {
  const known = new Map<string, ReadyAuth>()
  for (const { apiKeys, connection, options = noOptions, provider, vendor } of deployments) {
    const auth = vendors.get(vendor)?.auth
    if (auth === undefined || known.has(provider)) continue
    const hasKeys = apiKeys.length > 0
    const own = { options, hasKeys, transport: transportBy(connection, transport) }
    known.set(provider, auth.kind === "perProvider" ? auth.make(own) : auth)
  }
  return known
}

/** Computed only where the request may be the reason for a refusal: it reads the whole conversation. */
export const suspectOf = ({ callerId = "", request }: UpstreamCall): Suspect => ({
  caller: callerId,
  prompt: createHash("sha256").update(JSON.stringify(request.history)).digest("base64")
})
