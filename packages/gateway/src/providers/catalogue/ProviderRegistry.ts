/** The available vendors and protocols. Embedders and tests add their own: `Layer.succeed(ProviderRegistry, …)`. */
import { Context } from "effect"
import type { Protocol } from "../../core/pool/Protocol.ts"
import type { Vendor } from "../../core/pool/Vendor.ts"
import type { Bridge } from "../bridges/Bridge.ts"
import { allBridges } from "../bridges/Bridges.ts"
import { allProtocols } from "../protocols/Protocols.ts"
import { allVendors } from "../vendors/Vendors.ts"

export interface Registry {
  readonly vendors: ReadonlyMap<string, Vendor>
  /** Throws on an unknown name: whoever registered the vendor made a mistake. */
  readonly protocol: (name: string) => Protocol
  readonly bridges: ReadonlyArray<Bridge>
}

/** What an embedder or a test adds. */
export interface MoreProviders {
  readonly vendors?: ReadonlyArray<Vendor>
  readonly protocols?: ReadonlyArray<Protocol>
  readonly bridges?: ReadonlyArray<Bridge>
}

export const registryOf = (more: MoreProviders = {}): Registry => {
  const protocols = new Map([...allProtocols, ...(more.protocols ?? [])].map((protocol) => [protocol.name, protocol]))
  return {
    vendors: new Map([...allVendors, ...(more.vendors ?? [])].map((vendor) => [vendor.name, vendor])),
    protocol: (name) => {
      const protocol = protocols.get(name)
      if (protocol === undefined) throw new Error(`there is no protocol ${JSON.stringify(name)}`)
      return protocol
    },
    bridges: [...allBridges, ...(more.bridges ?? [])]
  }
}

export const ProviderRegistry = Context.Reference<Registry>("gateway/providers/ProviderRegistry", {
  defaultValue: () => registryOf()
})
