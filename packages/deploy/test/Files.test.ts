/** Image, compose, systemd and proxies agree with the gateway and with each other. */
import { readFileSync } from "node:fs"
import { join } from "node:path"
import { assert, describe, it } from "@effect/vitest"
import { Redacted, Result } from "effect"
import { parse } from "yaml"
import { parseSettings } from "../../gateway/src/config/ParseSettings.ts"
import { knownVendors } from "../../gateway/src/providers/vendors/Vendors.ts"

const deploy = join(import.meta.dirname, "..")
const read = (...path: ReadonlyArray<string>) => readFileSync(join(deploy, ...path), "utf8")
const manifest = (name: string): { readonly version: string; readonly engines: { readonly node: string } } =>
  JSON.parse(readFileSync(join(deploy, "..", name, "package.json"), "utf8"))

const GRACE_SECONDS = 300

describe("the image", () => {
  const lines = read("Dockerfile").split("\n")
  const last = lines.slice(lines.findLastIndex((line) => line.startsWith("FROM"))).join("\n")

  it("runs as a user without privileges, named by number for those who check that", () => {
    assert.match(last, /^USER 65532:65532$/m)
  })

  it("has the version of the package, and so has the chart", () => {
    const { version } = manifest("model-gateway")
    assert.include(last, `ARG VERSION=${version}`)
    const { appVersion, version: chart } = parse(read("chart", "Chart.yaml"))
    assert.deepStrictEqual([appVersion, chart], [version, version])
  })

  it("is built of the archive and nothing else of the folder", () => {
    assert.deepStrictEqual(read(".dockerignore").trim().split("\n"), [
      "*",
      "!model-gateway-*.tgz",
      "!warm.mjs",
      "!bill.mjs"
    ])
  })
})

describe("compose", () => {
  const { gateway } = parse(read("compose", "compose.yaml")).services

  it("gives the container nothing that it does not need", () => {
    assert.isTrue(gateway.read_only)
    assert.deepStrictEqual(gateway.cap_drop, ["ALL"])
    assert.deepStrictEqual(gateway.security_opt, ["no-new-privileges:true"])
    assert.match(gateway.ports[0], /^127\.0\.0\.1:/)
  })

  it("waits for streams longer than the gateway does", () => {
    assert.isAbove(Number.parseInt(gateway.stop_grace_period, 10), GRACE_SECONDS)
  })

  it("has a configuration that the gateway takes, with its master key from a secret of the file", () => {
    const parsed = parseSettings(read("compose", "gateway.yaml"), {
      file: "/etc/model-gateway/gateway.yaml",
      vendors: knownVendors,
      environment: { OPENAI_API_KEY: "a-key" },
      readFile: (name) =>
        name === `/run/secrets/${gateway.secrets[0]}`
          ? Result.succeed("5f0b7be1c9a2d4837e6610f4a98dc2b35d7e1f0c9b86a3d2")
          : Result.fail("no such file")
    })
    if (Result.isFailure(parsed)) assert.fail(parsed.failure.message)
    assert.strictEqual(parsed.success.store.sqlite, "/data/gateway.db")
    assert.strictEqual(parsed.success.server.host, "0.0.0.0")
  })
})

describe("compose with several gateways", () => {
  const { networks, services } = parse(read("compose", "compose.cluster.yaml"), { merge: true })
  const gateways = Object.keys(services).filter((name) => name.startsWith("gateway-"))

  it("gives no container what it does not need, and only this machine a way in", () => {
    assert.lengthOf(gateways, 3)
    for (const name of gateways) {
      const { cap_drop, ports, read_only, stop_grace_period } = services[name]
      assert.isTrue(read_only)
      assert.deepStrictEqual([cap_drop, ports], [["ALL"], undefined])
      assert.isAbove(Number.parseInt(stop_grace_period, 10), GRACE_SECONDS)
    }
    assert.match(services.nginx.ports[0], /^127\.0\.0\.1:/)
    assert.isUndefined(services.postgres.ports)
  })

  it("has nginx pass requests on to each of them, and never a request that was sent", () => {
    const conf = read("compose", "nginx.cluster.conf")
    for (const name of gateways) assert.include(conf, `server ${name}:4100`)
    assert.include(conf, "proxy_buffering off;")
    assert.notMatch(conf, /^\s*proxy_next_upstream .*(non_idempotent|http_)/m)
    assert.sameMembers(Object.keys(services.nginx.depends_on), gateways)
  })

  it("has a configuration that the gateway takes, with its secrets from files, and trusts its proxy", () => {
    const parsed = parseSettings(read("compose", "gateway.cluster.yaml"), {
      file: "/etc/model-gateway/gateway.yaml",
      vendors: knownVendors,
      environment: { OPENAI_API_KEY: "a-key" },
      readFile: (name) =>
        services[gateways[0] ?? ""].secrets.some((secret: string) => name === `/run/secrets/${secret}`)
          ? Result.succeed("5f0b7be1c9a2d4837e6610f4a98dc2b35d7e1f0c9b86a3d2\n")
          : Result.fail("no such file")
    })
    if (Result.isFailure(parsed)) assert.fail(parsed.failure.message)
    const { server, store } = parsed.success
    const url = new URL(Redacted.value(store.postgres?.url ?? Redacted.make("")))
    const { POSTGRES_DB, POSTGRES_USER } = services.postgres.environment
    assert.deepStrictEqual([url.username, url.hostname, url.pathname], [POSTGRES_USER, "postgres", `/${POSTGRES_DB}`])
    assert.notInclude(url.password, "%0A")
    assert.deepStrictEqual(server.trustedProxies, [networks.inside.ipam.config[0].subnet])
  })
})

describe("the systemd unit", () => {
  const unit = new Map(
    Array.from(read("systemd", "model-gateway.service").matchAll(/^(\w+)=(.*)$/gm), ([, name, value]) => [name, value])
  )

  it("waits for streams longer than the gateway does, and lets V8 make code", () => {
    assert.isAbove(Number(unit.get("TimeoutStopSec")), GRACE_SECONDS)
    assert.isFalse(unit.has("MemoryDenyWriteExecute"))
  })

  it("has the same sandbox as the template for several gateways on one port", () => {
    const sandbox = (name: string) => read("systemd", name).split("# MemoryDenyWriteExecute")[1]
    assert.isDefined(sandbox("model-gateway.service"))
    assert.strictEqual(sandbox("model-gateway@.service"), sandbox("model-gateway.service"))
  })

  it("has a user of its own, and no more rights", () => {
    assert.strictEqual(unit.get("DynamicUser"), "yes")
    assert.strictEqual(unit.get("NoNewPrivileges"), "yes")
    assert.strictEqual(unit.get("CapabilityBoundingSet"), "")
    assert.strictEqual(unit.get("ProtectSystem"), "strict")
  })
})

describe("the reverse proxies", () => {
  const examples = {
    nginx: read("proxies", "nginx.conf"),
    Caddy: read("proxies", "Caddyfile"),
    Traefik: read("proxies", "traefik", "routes.yaml")
  }

  it.each(Object.entries(examples))("%s passes events on as they come, to the gateway's port", (_, text) => {
    assert.match(text, /proxy_buffering off;|flush_interval -1|flushInterval: "-1ms"/)
    assert.match(text, /127\.0\.0\.1:4100/)
  })

  it("Traefik's files are files of YAML", () => {
    assert.strictEqual(
      parse(read("proxies", "traefik", "traefik.yaml")).providers.file.filename,
      "/etc/traefik/routes.yaml"
    )
    assert.hasAllKeys(parse(examples.Traefik).http, ["routers", "services"])
  })
})
