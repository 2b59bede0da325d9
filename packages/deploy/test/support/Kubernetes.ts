/**
 * As much of Kubernetes' API as the chart uses: the names and types of its fields, as the API reference has them (kubernetes.io/docs/reference,
 * v1.30, read 2026-11-22). A field that is not here fails, so a slip in a template does. `npm run acceptance:deploy` asks the whole schema.
 */
type Schema = Readonly<Record<string, unknown>>

const text: Schema = { type: "string" }
const flag: Schema = { type: "boolean" }
const whole: Schema = { type: "integer" }
const port: Schema = { type: ["integer", "string"] }
const texts: Schema = { type: "object", additionalProperties: text }
const list = (items: Schema): Schema => ({ type: "array", items, minItems: 1 })
const group = (properties: Readonly<Record<string, Schema>>, ...required: ReadonlyArray<string>): Schema => ({
  type: "object",
  additionalProperties: false,
  properties,
  required
})

const labelName = "^([a-z0-9.-]+/)?[A-Za-z0-9]([-A-Za-z0-9_.]{0,61}[A-Za-z0-9])?$"
const metadata = group(
  {
    name: { type: "string", pattern: "^[a-z0-9]([-a-z0-9.]{0,61}[a-z0-9])?$" },
    labels: {
      type: "object",
      propertyNames: { pattern: labelName },
      additionalProperties: { type: "string", maxLength: 63 }
    },
    annotations: texts
  },
  "name"
)
const selector = group({ matchLabels: texts }, "matchLabels")
const quantities: Schema = { type: "object", additionalProperties: { type: ["string", "number"] } }
const named = group({ name: text }, "name")
const httpGet = group({ path: { type: "string", pattern: "^/" }, port }, "path", "port")
const probe = group(
  { httpGet, initialDelaySeconds: whole, periodSeconds: whole, timeoutSeconds: whole, failureThreshold: whole },
  "httpGet"
)
const variable = group(
  { name: text, value: text, valueFrom: group({ secretKeyRef: group({ name: text, key: text }, "name", "key") }) },
  "name"
)
const mount = group({ name: text, mountPath: text, readOnly: flag, subPath: text }, "name", "mountPath")
const volume = group(
  {
    name: text,
    configMap: named,
    secret: group({ secretName: text }, "secretName"),
    emptyDir: group({ sizeLimit: text }),
    persistentVolumeClaim: group({ claimName: text }, "claimName")
  },
  "name"
)
const container = group(
  {
    name: text,
    image: { type: "string", minLength: 1 },
    imagePullPolicy: { enum: ["Always", "IfNotPresent", "Never"] },
    securityContext: group({
      allowPrivilegeEscalation: flag,
      readOnlyRootFilesystem: flag,
      capabilities: group({ drop: list(text) })
    }),
    ports: list(group({ name: text, containerPort: whole, protocol: { enum: ["TCP", "UDP"] } }, "containerPort")),
    env: list(variable),
    envFrom: list(group({ secretRef: named })),
    startupProbe: probe,
    livenessProbe: probe,
    readinessProbe: probe,
    resources: group({ requests: quantities, limits: quantities }),
    volumeMounts: list(mount)
  },
  "name",
  "image"
)
const pod = group(
  {
    serviceAccountName: text,
    automountServiceAccountToken: flag,
    enableServiceLinks: flag,
    terminationGracePeriodSeconds: whole,
    securityContext: group({
      runAsNonRoot: flag,
      runAsUser: whole,
      runAsGroup: whole,
      fsGroup: whole,
      fsGroupChangePolicy: { enum: ["OnRootMismatch", "Always"] },
      seccompProfile: group({ type: { enum: ["RuntimeDefault", "Unconfined", "Localhost"] } }, "type")
    }),
    imagePullSecrets: list(named),
    priorityClassName: text,
    containers: list(container),
    nodeSelector: texts,
    tolerations: list(group({ key: text, operator: { enum: ["Exists", "Equal"] }, value: text, effect: text })),
    affinity: { type: "object" },
    topologySpreadConstraints: list(
      group(
        {
          maxSkew: whole,
          topologyKey: text,
          whenUnsatisfiable: { enum: ["ScheduleAnyway", "DoNotSchedule"] },
          labelSelector: selector
        },
        "maxSkew",
        "topologyKey",
        "whenUnsatisfiable"
      )
    ),
    volumes: list(volume)
  },
  "containers"
)
const claim = group(
  {
    metadata,
    spec: group({
      accessModes: list({ enum: ["ReadWriteOnce", "ReadWriteOncePod"] }),
      storageClassName: text,
      resources: group({ requests: quantities })
    })
  },
  "metadata",
  "spec"
)
const peers = list({ type: "object", minProperties: 1 })
const ports = list(group({ port, protocol: { enum: ["TCP", "UDP"] } }, "port"))

const kind = (apiVersion: string, body: Readonly<Record<string, Schema>>, ...required: ReadonlyArray<string>): Schema =>
  group({ apiVersion: { const: apiVersion }, kind: text, metadata, ...body }, "metadata", ...required)

export const kinds: Readonly<Record<string, Schema>> = {
  ConfigMap: kind("v1", { data: texts }, "data"),
  Secret: kind("v1", { type: text, data: texts, stringData: texts }),
  ServiceAccount: kind("v1", { automountServiceAccountToken: flag }),
  Service: kind(
    "v1",
    {
      spec: group({
        type: { enum: ["ClusterIP", "NodePort", "LoadBalancer"] },
        selector: texts,
        ports: list(group({ name: text, port: whole, targetPort: port, protocol: text }, "port"))
      })
    },
    "spec"
  ),
  StatefulSet: kind(
    "apps/v1",
    {
      spec: group(
        {
          replicas: whole,
          serviceName: text,
          podManagementPolicy: { enum: ["OrderedReady", "Parallel"] },
          updateStrategy: group({ type: { enum: ["RollingUpdate", "OnDelete"] } }),
          selector,
          template: group({ metadata: group({ labels: texts, annotations: texts }, "labels"), spec: pod }, "spec"),
          volumeClaimTemplates: list(claim)
        },
        "serviceName",
        "selector",
        "template"
      )
    },
    "spec"
  ),
  Ingress: kind(
    "networking.k8s.io/v1",
    {
      spec: group({
        ingressClassName: text,
        tls: list(group({ secretName: text, hosts: list(text) })),
        rules: list(
          group({
            host: text,
            http: group({
              paths: list(
                group({
                  path: text,
                  pathType: { enum: ["Prefix", "Exact"] },
                  backend: group({ service: group({ name: text, port: named }) })
                })
              )
            })
          })
        )
      })
    },
    "spec"
  ),
  NetworkPolicy: kind(
    "networking.k8s.io/v1",
    {
      spec: group(
        {
          podSelector: selector,
          policyTypes: list({ enum: ["Ingress", "Egress"] }),
          ingress: list(group({ ports, from: peers })),
          egress: list(group({ ports, to: peers }))
        },
        "podSelector"
      )
    },
    "spec"
  ),
  HorizontalPodAutoscaler: kind(
    "autoscaling/v2",
    {
      spec: group(
        {
          scaleTargetRef: group({ apiVersion: text, kind: text, name: text }, "kind", "name"),
          minReplicas: whole,
          maxReplicas: whole,
          metrics: list(
            group({
              type: { const: "Resource" },
              resource: group({
                name: { enum: ["cpu", "memory"] },
                target: group({ type: { const: "Utilization" }, averageUtilization: whole })
              })
            })
          ),
          behavior: { type: "object" }
        },
        "scaleTargetRef",
        "maxReplicas"
      )
    },
    "spec"
  ),
  PodDisruptionBudget: kind("policy/v1", { spec: group({ maxUnavailable: port, selector }) }, "spec"),
  ServiceMonitor: kind(
    "monitoring.coreos.com/v1",
    {
      spec: group({
        selector,
        endpoints: list(
          group({
            port: text,
            path: text,
            interval: text,
            authorization: group({ type: text, credentials: group({ name: text, key: text }, "name", "key") })
          })
        )
      })
    },
    "spec"
  )
}
