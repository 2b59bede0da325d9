/**
 * The servers alone, for a client's own tests in any language: prints one line of JSON and serves until its stdin ends.
 * `url`: the gateway · `master_key` · `api_key`, without limits · `foreign`: the server that plays scripts · `fixtures`: the folder
 * of the files to upload · `scenarios`: the file that a runner gets.
 */
import { masterKey } from "./Gateway.ts"
import { startSuite } from "./Suite.ts"

const suite = await startSuite()
const { key } = await suite.gateway.admin("POST", "/admin/keys", {})
const { file } = await suite.prepare("server")
console.log(
  JSON.stringify({
    url: suite.gateway.url,
    master_key: masterKey,
    api_key: key,
    foreign: suite.foreign.url,
    fixtures: suite.fixtures,
    scenarios: file
  })
)
process.stdin.resume().on("end", () => void suite.stop().then(() => process.exit(0)))
