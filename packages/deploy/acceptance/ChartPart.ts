/** The chart through Helm, and what it makes through Kubernetes' own schemas. */
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { isDeepStrictEqual } from "node:util"
import { parseAllDocuments } from "yaml"
import { chart, goldens, kubeVersion, render } from "./Chart.ts"
import { goTool } from "./GoTools.ts"
import { type Part, run } from "./Parts.ts"

const objectsOf = (text: string): ReadonlyArray<unknown> =>
  parseAllDocuments(text)
    .map((document): unknown => document.toJS())
    .filter((value) => value !== null)

/** Values that can't work, and what the refusal must say. */
const refusals: ReadonlyArray<readonly [ReadonlyArray<string>, RegExp]> = [
  [["replicas=3"], /more than one gateway can't share a SQLite store/],
  [["config.store.postgres.url=postgres://gateway:hush@db/gateway"], /would stand in a ConfigMap/],
  [["config.store.postgres.url=postgres://gateway:hush@${HOST}/gateway"], /a password in this address/],
  [["autoscaling.enabled=true"], /can't share a SQLite store/],
  [["config.providers.bedrock.secret_access_key=hush"], /bedrock\.secret_access_key: .*ConfigMap/],
  [["config.providers.openai.headers.x-api-key=hush"], /headers\.x-api-key: .*ConfigMap/],
  [["config.alerts[0].url=https://hooks.example.com/T/B/hush"], /alerts\[0\]\.url: .*ConfigMap/],
  [["podLabels.app\\.kubernetes\\.io/name=mine"], /podLabels\.app.*Choose another name/],
  [["podAnnotations.checksum/config=x"], /checksum.*Choose another name/],
  [["resources.limits.ephemeral-storage=1Gi", "temporaryStorage=2Gi"], /more than resources\.limits/],
  [
    ["ingress.enabled=true", "ingress.hosts[0].host=a", "ingress.hosts[1].host=b", "ingress.hosts[1].path=/x"],
    /one path/
  ],
  [["config.server.admin_port=9000"], /inside the pod it is 4101/],
  [["config.master_key=a-key-in-plain-words-that-is-long-enough"], /would stand in a ConfigMap/],
  [["config.providers.openai.api_key=sk-plain"], /config\.providers\.openai\.api_key: .*ConfigMap/],
  [["config.providers.openai.api_key[0]=${A}", "config.providers.openai.api_key[1]=sk-plain"], /ConfigMap/],
  [["config.server.port=8080"], /inside the pod it is 4100/],
  [["config.store.sqlite=./gateway.db"], /is not on the volume/],
  [["persistence.enabled=false", "persistence.existingClaim=mine"], /say which of the two/],
  [["ingress.enabled=true"], /ingress\.hosts: none/],
  [["providerKeys.GATEWAY_MASTER_KEY=x"], /masterKey\.existingSecret/],
  [["serviceMonitor.enabled=true", "config.server.metrics=off"], /config\.server\.metrics is off/],
  [["replica=1"], /replica/],
  [["config.provider.openai.api_key=x"], /provider/],
  [["persistence.accessMode=ReadWriteMany"], /accessMode/]
]

export const chartPart = async (part: Part): Promise<void> => {
  const helm = goTool("helm")
  const [first] = goldens()
  const plain = goldens().find(({ name }) => name === "default") ?? first
  if (plain === undefined) throw new Error("there are no golden values")

  await part.check("helm lint --strict", () => {
    const { status, stderr, stdout } = run(helm, "lint", "--strict", chart, ...kubeVersion, "--values", plain.values)
    return status === 0 ? undefined : stdout + stderr
  })
  for (const { manifest, name, values } of goldens()) {
    await part.check(`helm template of ${name} is the golden manifest`, () => {
      const { status, stderr, stdout } = render(helm, values)
      if (status !== 0) return stderr
      const isSame = isDeepStrictEqual(objectsOf(stdout), objectsOf(readFileSync(manifest, "utf8")))
      return isSame ? undefined : "it differs: npm run deploy:files -- --golden"
    })
  }
  await part.check("without a provider it says what to give", () => {
    const { status, stderr } = run(helm, "template", "gateway", chart, ...kubeVersion)
    return status !== 0 && /no provider.*providerKeys/s.test(stderr) ? undefined : stderr
  })
  for (const [settings, why] of refusals) {
    await part.check(`refuses ${settings.join(", ")}`, () => {
      const { status, stderr } = render(helm, plain.values, ...settings.flatMap((one) => ["--set", one]))
      if (status === 0) return "it was taken"
      return why.test(stderr) ? undefined : stderr
    })
  }
  for (const hostile of ['a"b: c', "x\n  injected: true", "${file:/etc/passwd}", "{{ .Values }}"]) {
    await part.check(`a value such as ${JSON.stringify(hostile)} stays a value`, () => {
      const { status, stderr, stdout } = render(helm, plain.values, "--set-literal", `config.models.odd=${hostile}`)
      if (status !== 0) return stderr
      const [map] = objectsOf(stdout).filter((one) => Reflect.get(Object(one), "kind") === "ConfigMap")
      const [config] = objectsOf(Reflect.get(Reflect.get(Object(map), "data"), "gateway.yaml"))
      return Reflect.get(Reflect.get(Object(config), "models"), "odd") === hostile ? undefined : stdout
    })
  }
}

const versions = ["1.27", "1.28", "1.29", "1.30"]

export const schemaPart = async (part: Part): Promise<void> => {
  const validate = goTool("kubectl-validate")
  const folder = mkdtempSync(join(tmpdir(), "model-gateway-manifests-"))
  try {
    for (const { manifest, name } of goldens()) {
      // A resource of an operator: Kubernetes has no schema of it.
      const own = readFileSync(manifest, "utf8")
        .split(/^---$/m)
        .filter((text) => !/^kind: ServiceMonitor$/m.test(text))
      const file = join(folder, `${name}.yaml`)
      writeFileSync(file, own.join("---"))
      for (const version of versions) {
        await part.check(`${name} is right for Kubernetes ${version}`, () => {
          const { status, stderr, stdout } = run(validate, "--version", version, file)
          return status === 0 ? undefined : stdout + stderr
        })
      }
    }
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
}
