/**
 * What of undici a call to a provider needs. The package as a whole has proxies, caches, mocks and a second `fetch` in it: 7 MB that an
 * idle server would keep. Whoever seldom needs more of it imports the package then.
 */
import type * as undici from "undici"
import connect from "undici/lib/core/connect.js"
import client from "undici/lib/dispatcher/client.js"

export const buildConnector: typeof undici.buildConnector = connect
export const Client: typeof undici.Client = client
