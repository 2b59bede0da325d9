/** OpenTelemetry's standard variables → where and how to export. A mistake in them is told and switches a signal off, nothing else. */
import { readSampler, type Sampler } from "./Sampler.ts"

export type OtlpEnvironment = Readonly<Record<string, string | undefined>>

export interface OtlpTarget {
  readonly url: string
  readonly protocol: "http/json" | "http/protobuf"
  /** May hold credentials. */
  readonly headers: Readonly<Record<string, string>>
  readonly gzip: boolean
  readonly timeoutMs: number
}

export interface BatchSettings extends OtlpTarget {
  /** Requests wait so long for others to be sent with. */
  readonly delayMs: number
  /** What waits at most, in requests or bytes; more is dropped and counted. */
  readonly mostWaiting: number
  readonly mostAtOnce: number
}

export interface TraceSettings extends BatchSettings {
  readonly sampler: Sampler
}

export interface MetricSettings extends OtlpTarget {
  readonly intervalMs: number
  readonly temporality: "cumulative" | "delta"
}

export interface OtlpSettings {
  readonly resource: {
    readonly serviceName: string
    readonly attributes: Readonly<Record<string, string>>
  }
  readonly traces: TraceSettings | undefined
  readonly metrics: MetricSettings | undefined
  /** What is wrong with the variables, for the log. No values of headers. */
  readonly problems: ReadonlyArray<string>
}

export const readOtlp = (environment: OtlpEnvironment): OtlpSettings => {
  const read = new Reader(environment)
  const disabled = read.text("OTEL_SDK_DISABLED")?.toLowerCase() === "true"
  const attributes = read.pairs("OTEL_RESOURCE_ATTRIBUTES")
  const { "service.name": named, ...others } = attributes
  const traces = disabled ? undefined : target(read, "TRACES")
  const metrics = disabled ? undefined : target(read, "METRICS")
  return {
    resource: { serviceName: read.text("OTEL_SERVICE_NAME") ?? named ?? "model-gateway", attributes: others },
    traces: traces && {
      ...traces,
      sampler: readSampler(read.text("OTEL_TRACES_SAMPLER"), read.text("OTEL_TRACES_SAMPLER_ARG"), read.problems),
      delayMs: read.count("OTEL_BSP_SCHEDULE_DELAY") ?? 5_000,
      mostWaiting: read.count("OTEL_BSP_MAX_QUEUE_SIZE") ?? 2_048,
      mostAtOnce: read.count("OTEL_BSP_MAX_EXPORT_BATCH_SIZE") ?? 512
    },
    metrics: metrics && {
      ...metrics,
      intervalMs: read.count("OTEL_METRIC_EXPORT_INTERVAL") ?? 60_000,
      temporality:
        read.text("OTEL_EXPORTER_OTLP_METRICS_TEMPORALITY_PREFERENCE")?.toLowerCase() === "delta"
          ? "delta"
          : "cumulative"
    },
    problems: read.problems
  }
}

type Signal = "TRACES" | "METRICS"

/** Undefined where the signal is off: no endpoint, another exporter, or a mistake. */
const target = (read: Reader, signal: Signal): OtlpTarget | undefined => {
  /** The variable of the signal, or else the one of all signals. */
  const either = <A>(name: string, get: (name: string) => A | undefined): A | undefined =>
    get(`OTEL_EXPORTER_OTLP_${signal}_${name}`) ?? get(`OTEL_EXPORTER_OTLP_${name}`)
  const text = (name: string) => read.text(name)
  const all = read.text("OTEL_EXPORTER_OTLP_ENDPOINT")
  const endpoint =
    read.text(`OTEL_EXPORTER_OTLP_${signal}_ENDPOINT`) ??
    (all === undefined ? undefined : `${all.replace(/\/+$/, "")}/v1/${signal.toLowerCase()}`)
  if (endpoint === undefined) return undefined
  const exporter = read.text(`OTEL_${signal}_EXPORTER`) ?? "otlp"
  if (exporter === "none") return undefined
  const off = (problem: string) => read.problem(`${problem}: no ${signal.toLowerCase()} are exported`)
  if (!exporter.split(",").includes("otlp")) return off(`OTEL_${signal}_EXPORTER knows otlp and none only`)
  const url = URL.parse(endpoint)
  if (url === null || !/^https?:$/.test(url.protocol)) {
    return off(`OTEL_EXPORTER_OTLP_ENDPOINT or OTEL_EXPORTER_OTLP_${signal}_ENDPOINT is no http(s) address`)
  }
  // Writing protobuf takes ten times the CPU, and collectors take both.
  const protocol = either("PROTOCOL", text) ?? "http/json"
  if (protocol === "grpc") {
    return off(
      "OTLP over gRPC is not supported; set OTEL_EXPORTER_OTLP_PROTOCOL to http/protobuf or http/json, and the endpoint to the collector's HTTP port, usually 4318"
    )
  }
  if (protocol !== "http/json" && protocol !== "http/protobuf") {
    return off("OTEL_EXPORTER_OTLP_PROTOCOL is neither http/protobuf nor http/json")
  }
  return {
    url: url.href,
    protocol,
    headers: either("HEADERS", (name) => (read.text(name) === undefined ? undefined : read.pairs(name))) ?? {},
    gzip: either("COMPRESSION", text) === "gzip",
    timeoutMs: either("TIMEOUT", (name) => read.count(name)) ?? 10_000
  }
}

class Reader {
  readonly problems: Array<string> = []
  private readonly environment: OtlpEnvironment

  constructor(environment: OtlpEnvironment) {
    this.environment = environment
  }

  /** An empty variable counts as none, as the specification has it. */
  text(name: string): string | undefined {
    const value = this.environment[name]?.trim()
    return value === "" ? undefined : value
  }

  /** A whole number above 0. */
  count(name: string): number | undefined {
    const value = this.text(name)
    if (value === undefined) return undefined
    if (/^[1-9]\d{0,8}$/.test(value)) return Number(value)
    return this.problem(`${name} is not a whole number above 0: the default is used`)
  }

  /** `a=1,b=2`, percent-decoded. */
  pairs(name: string): Record<string, string> {
    const pairs: Record<string, string> = {}
    for (const pair of (this.text(name) ?? "").split(",")) {
      const at = pair.indexOf("=")
      const key = decoded(pair.slice(0, Math.max(0, at)).trim())
      const value = decoded(pair.slice(at + 1).trim())
      if (at > 0 && key !== undefined && value !== undefined) pairs[key] = value
      else if (pair.trim() !== "") this.problem(`${name} has a part that is not name=value: it is left out`)
    }
    return pairs
  }

  problem(problem: string): undefined {
    this.problems.push(problem)
  }
}

const decoded = (text: string): string | undefined => {
  try {
    return decodeURIComponent(text)
  } catch {
    return undefined
  }
}
