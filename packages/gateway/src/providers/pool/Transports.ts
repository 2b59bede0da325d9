/** Every way out of the gateway: `demo:` addresses are answered in process, all others over HTTP. */
import { Effect, Layer } from "effect"
import { Transport, type UpstreamRequest } from "../../core/pool/Transport.ts"
import { DemoTransport, type DemoSettings } from "../demo/DemoTransport.ts"
import { HttpTransport } from "../transport/HttpTransport.ts"

/** `providers`: the demo providers' pace, as the configuration has it at the time of a call. */
const layer = (providers: () => ReadonlyArray<DemoSettings>): Layer.Layer<Transport> =>
  Layer.effect(
    Transport,
    Effect.map(HttpTransport.make, (live) => {
      const demo = DemoTransport.make(providers)
      const wayTo = (baseUrl: string) => (DemoTransport.serves(baseUrl) ? demo : live)
      const way = ({ baseUrl }: UpstreamRequest) => wayTo(baseUrl)
      return {
        whole: (request) => way(request).whole(request),
        open: (request) => way(request).open(request),
        load: (baseUrl) => wayTo(baseUrl).load(baseUrl)
      }
    })
  )

export const Transports = { layer }
