/** What the chart makes, as it was rendered for the values of `golden`: `npm run deploy:files -- --golden` renders it again. */
import { readFileSync } from "node:fs"
import { join } from "node:path"
import { assert, describe, it } from "@effect/vitest"
import { Ajv } from "ajv"
import { Result } from "effect"
import { parseAllDocuments } from "yaml"
import { parseSettings } from "../../gateway/src/config/ParseSettings.ts"
import type { Settings } from "../../gateway/src/core/domain/Settings.ts"
import { certificate } from "../../gateway/test/support/Certificates.ts"
import { knownVendors } from "../../gateway/src/providers/vendors/Vendors.ts"
import { goldens, hashOfChart } from "../acceptance/Chart.ts"
import { kinds } from "./support/Kubernetes.ts"

const deploy = join(import.meta.dirname, "..")
const ajv = new Ajv({ allErrors: true, strict: false, allowUnionTypes: true })
const validators = new Map(Object.entries(kinds).map(([kind, schema]) => [kind, ajv.compile(schema)]))

const documentsOf = (manifest: string) =>
  parseAllDocuments(readFileSync(manifest, "utf8")).flatMap((document) => {
    assert.deepStrictEqual(document.errors, [])
    const value = document.toJS()
    return value === null ? [] : [value]
  })

const settingsOf = (text: string): Settings => {
  // Each variable has its own value. There is no proxy.
  const everything = new Proxy(
    {},
    {
      get: (_, name) => {
        if (name === "DATABASE_URL") return "postgres://gateway@db/gateway"
        return /_proxy$/i.test(String(name)) ? undefined : `${String(name)}-mQ3vX9aLw0ZrT7cB5nD1kE8yUgHs2Jf4`
      },
      has: () => true
    }
  )
  const parsed = parseSettings(text, {
    file: "/etc/model-gateway/gateway.yaml",
    vendors: knownVendors,
    environment: everything,
    readFile: (name) => Result.succeed(name.endsWith("ca.pem") ? certificate("authority") : "{}")
  })
  if (Result.isFailure(parsed)) assert.fail(parsed.failure.message)
  return parsed.success
}

it("the golden manifests are of this chart", () => {
  assert.strictEqual(
    hashOfChart(),
    readFileSync(join(deploy, "golden", "chart.sha256"), "utf8").trim(),
    "the chart has changed: `npm run deploy:files -- --golden`, and look at the difference"
  )
})

describe.each(goldens())("the manifests for $name", ({ manifest }) => {
  const documents = documentsOf(manifest)
  const one = (kind: string) => documents.find((document) => document.kind === kind)
  const pod = one("StatefulSet").spec.template.spec
  const [container] = pod.containers

  it("are of kinds and fields that Kubernetes has", () => {
    assert.isAbove(documents.length, 2)
    for (const document of documents) {
      const validate = validators.get(document.kind)
      assert.isDefined(validate, document.kind)
      validate?.(document)
      assert.deepStrictEqual(validate?.errors ?? [], [], `${document.kind} ${document.metadata.name}`)
    }
  })

  it("hold a configuration that the gateway takes, on the port and the volume of the pod", () => {
    const settings = settingsOf(one("ConfigMap").data["gateway.yaml"])
    assert.strictEqual(settings.server.port, container.ports[0].containerPort)
    assert.strictEqual(settings.server.host, "0.0.0.0")
    if (settings.store.postgres === undefined) assert.match(settings.store.sqlite, /^\/data\//)
    else assert.isUndefined(one("StatefulSet").spec.volumeClaimTemplates)
    assert.isAbove(settings.deployments.length, 0)
    const { shutdownDelayMs, shutdownGraceMs } = settings.server
    assert.isAbove(pod.terminationGracePeriodSeconds * 1000, shutdownDelayMs + shutdownGraceMs)
  })

  it("have several pods on a database alone, on as many machines as there are", () => {
    const { podManagementPolicy, replicas } = one("StatefulSet").spec
    const isPostgres = settingsOf(one("ConfigMap").data["gateway.yaml"]).store.postgres !== undefined
    assert.strictEqual(podManagementPolicy, isPostgres ? "Parallel" : undefined)
    if (!isPostgres) assert.strictEqual(replicas, 1)
    // An autoscaler sets the number: one here would be set again at each upgrade.
    const isScaled = one("HorizontalPodAutoscaler") !== undefined
    assert.strictEqual(replicas === undefined, isScaled)
    assert.strictEqual(pod.topologySpreadConstraints?.length, isScaled || replicas > 1 ? 1 : undefined)
  })

  it("hold no secret but in Secrets", () => {
    const others = JSON.stringify(documents.filter(({ kind }) => kind !== "Secret"))
    assert.notMatch(others, /sk-not-a-key/)
    assert.include(one("ConfigMap").data["gateway.yaml"], "master_key: ${GATEWAY_MASTER_KEY}")
  })

  it("run without any privilege, and write to volumes only", () => {
    assert.isTrue(pod.securityContext.runAsNonRoot)
    assert.isFalse(pod.automountServiceAccountToken)
    assert.isFalse(container.securityContext.allowPrivilegeEscalation)
    assert.isTrue(container.securityContext.readOnlyRootFilesystem)
    assert.deepStrictEqual(container.securityContext.capabilities.drop, ["ALL"])
    for (const path of ["/data", "/tmp"]) {
      assert.isTrue(container.volumeMounts.some((mount: { readonly mountPath: string }) => mount.mountPath === path))
    }
  })

  it("name no volume, claim, selector or port that there is not", () => {
    const set = one("StatefulSet")
    const claims = set.spec.volumeClaimTemplates ?? []
    const volumes = new Set([
      ...pod.volumes.map(({ name }: { readonly name: string }) => name),
      ...claims.map(({ metadata }: { readonly metadata: { readonly name: string } }) => metadata.name)
    ])
    for (const { name } of container.volumeMounts) assert.isTrue(volumes.has(name), name)
    assert.include(set.spec.template.metadata.labels, set.spec.selector.matchLabels)
    assert.deepStrictEqual(one("Service").spec.selector, set.spec.selector.matchLabels)
    assert.strictEqual(one("Service").metadata.name, set.spec.serviceName)
    assert.strictEqual(one("Service").spec.ports[0].targetPort, container.ports[0].name)
    for (const probe of ["startupProbe", "livenessProbe", "readinessProbe"]) {
      assert.strictEqual(container[probe].httpGet.port, container.ports[0].name)
    }
  })

  it("take the master key from a Secret that the chart never makes, so that each render is the same", () => {
    const [{ valueFrom }] = container.env
    assert.isTrue(["gateway-admin", "gateway-model-gateway-master-key"].includes(valueFrom.secretKeyRef.name))
    for (const { kind, metadata } of documents) {
      if (kind === "Secret") assert.notStrictEqual(metadata.name, valueFrom.secretKeyRef.name)
    }
  })

  it("reach administration and metrics on a port and a Service that no Ingress exposes", () => {
    const settings = settingsOf(one("ConfigMap").data["gateway.yaml"])
    assert.strictEqual(settings.server.adminPort, 4101)
    assert.strictEqual(settings.server.metrics, "master_key")
    const admin = documents.find(({ metadata }) => metadata.name === "gateway-model-gateway-admin")
    assert.deepStrictEqual([admin.spec.type, admin.spec.ports[0].targetPort], ["ClusterIP", "admin"])
    for (const { http } of one("Ingress")?.spec.rules ?? []) {
      for (const { backend } of http.paths) assert.strictEqual(backend.service.port.name, "http")
    }
    const monitored = one("ServiceMonitor")?.spec.endpoints[0]
    if (monitored !== undefined)
      assert.deepStrictEqual(
        [monitored.port, monitored.path],
        ["admin", `${settings.server.publicPath.replace(/\/$/, "")}/metrics`]
      )
  })

  it("end requests after the endpoints have changed, and keep the gateway's own error while its store is away", () => {
    const settings = settingsOf(one("ConfigMap").data["gateway.yaml"])
    assert.isAtLeast(settings.server.shutdownDelayMs, 5_000)
    assert.strictEqual(container.readinessProbe.httpGet.path, "/readyz?exclude=store")
  })
})
