{{- define "gateway.name" -}}
{{- if contains .Chart.Name .Release.Name }}{{ .Release.Name | trunc 52 | trimSuffix "-" }}{{ else }}{{ printf "%s-%s" .Release.Name .Chart.Name | trunc 52 | trimSuffix "-" }}{{ end -}}
{{- end -}}

{{- define "gateway.selector" -}}
app.kubernetes.io/name: {{ .Chart.Name }}
app.kubernetes.io/instance: {{ .Release.Name }}
{{- end -}}

{{- /* Labels of every object, as YAML. `.Values.commonLabels` can't replace the chart's own: gateway.refusals. */ -}}
{{- define "gateway.labels" -}}
{{ include "gateway.selector" . }}
app.kubernetes.io/version: {{ .Chart.AppVersion | quote }}
app.kubernetes.io/managed-by: {{ .Release.Service }}
helm.sh/chart: {{ printf "%s-%s" .Chart.Name .Chart.Version }}
{{- with .Values.commonLabels }}
{{ toYaml . }}
{{- end }}
{{- end -}}

{{- define "gateway.serviceAccount" -}}
{{- if .Values.serviceAccount.create }}{{ default (include "gateway.name" .) .Values.serviceAccount.name }}{{ else }}{{ default "default" .Values.serviceAccount.name }}{{ end -}}
{{- end -}}

{{- define "gateway.image" -}}
{{- if .Values.image.digest -}}
{{ .Values.image.repository }}@{{ .Values.image.digest }}
{{- else -}}
{{ .Values.image.repository }}:{{ default .Chart.AppVersion .Values.image.tag }}
{{- end -}}
{{- end -}}

{{- define "gateway.masterKeySecret" -}}
{{- default (printf "%s-master-key" (include "gateway.name" .)) .Values.masterKey.existingSecret -}}
{{- end -}}

{{- define "gateway.isPostgres" -}}
{{- hasKey (default dict .Values.config.store) "postgres" -}}
{{- end -}}

{{- /* The path of the ingress, without a slash at its end; empty for `/`. */ -}}
{{- define "gateway.publicPath" -}}
{{- if .Values.ingress.enabled -}}
{{- range .Values.ingress.hosts }}{{ default "/" .path | trimSuffix "/" }}{{ break }}{{ end -}}
{{- end -}}
{{- end -}}

{{- /* The configuration file: the chart's part, overwritten by the values. As JSON, for `fromJson`. */ -}}
{{- define "gateway.config" -}}
{{- $server := dict "host" "0.0.0.0" "port" 4100 "shutdown_delay" "5s" "metrics" "master_key" -}}
{{- if .Values.adminPort.enabled }}{{ $_ := set $server "admin_port" 4101 }}{{ end -}}
{{- with include "gateway.publicPath" . }}{{ $_ := set $server "public_path" . }}{{ end -}}
{{- $own := dict
  "server" $server
  "master_key" "${GATEWAY_MASTER_KEY}"
  "store" (ternary dict (dict "sqlite" "/data/gateway.db") (eq (include "gateway.isPostgres" .) "true"))
  "logs" (dict "format" "json")
-}}
{{- if not (hasKey .Values.config "providers") -}}
{{- $vendors := .Files.Get "files/vendors.yaml" | fromYaml -}}
{{- $providers := dict -}}
{{- $deployments := list -}}
{{- range $variable, $vendor := $vendors -}}
{{- if hasKey $.Values.providerKeys $variable -}}
{{- $_ := set $providers $vendor.provider (dict "api_key" (printf "${%s}" $variable)) -}}
{{- range $vendor.models -}}
{{- $deployments = append $deployments (printf "%s/%s" $vendor.provider .) -}}
{{- end -}}
{{- end -}}
{{- end -}}
{{- $own = merge $own (dict "providers" $providers "deployments" $deployments) -}}
{{- end -}}
{{- mergeOverwrite $own (deepCopy .Values.config) | toJson -}}
{{- end -}}

{{- /* Seconds of a duration such as 300s, 5m, 1h or 250ms. */ -}}
{{- define "gateway.seconds" -}}
{{- $text := toString . -}}
{{- $number := regexFind "^[0-9.]+" $text | float64 -}}
{{- if hasSuffix "ms" $text -}}{{ divf $number 1000 | ceil | int }}
{{- else if hasSuffix "h" $text -}}{{ mulf $number 3600 | ceil | int }}
{{- else if hasSuffix "m" $text -}}{{ mulf $number 60 | ceil | int }}
{{- else -}}{{ $number | ceil | int }}
{{- end -}}
{{- end -}}

{{- /* MiB of a quantity such as 1Gi, 512M or 1073741824. */ -}}
{{- define "gateway.mebibytes" -}}
{{- $text := toString . -}}
{{- $number := regexFind "^[0-9.]+" $text | float64 -}}
{{- $bytes := dict "" 1.0 "k" 1e3 "M" 1e6 "G" 1e9 "T" 1e12 "Ki" 1024.0 "Mi" 1048576.0 "Gi" 1073741824.0 "Ti" 1099511627776.0 -}}
{{- divf (mulf $number (get $bytes (regexFind "[A-Za-z]*$" $text))) 1048576.0 | floor | int64 -}}
{{- end -}}

{{- /* Size of /tmp: as given, else 2 GiB or half of the container's ephemeral storage if that is less. */ -}}
{{- define "gateway.temporaryStorage" -}}
{{- $limit := get (default dict .Values.resources.limits) "ephemeral-storage" -}}
{{- if .Values.temporaryStorage -}}
{{ .Values.temporaryStorage }}
{{- else if and $limit (lt (include "gateway.mebibytes" $limit | int64) 4096) -}}
{{ div (include "gateway.mebibytes" $limit | int64) 2 }}Mi
{{- else -}}
2Gi
{{- end -}}
{{- end -}}

{{- /* A hash of the Secrets that the pod reads, where the cluster can be asked (not in `helm template`); else empty. */ -}}
{{- define "gateway.secretsHash" -}}
{{- $found := dict -}}
{{- range append .Values.providerKeySecrets (include "gateway.masterKeySecret" .) -}}
{{- with lookup "v1" "Secret" $.Release.Namespace . }}{{ $_ := set $found .metadata.name .data }}{{ end -}}
{{- end -}}
{{- with $found }}{{ toJson . | sha256sum }}{{ end -}}
{{- end -}}

{{- /* Ports that the configuration calls: HTTPS, those of base URLs, of Postgres, and of URLs in the environment (proxies, collectors). */ -}}
{{- define "gateway.egressPorts" -}}
{{- $config := include "gateway.config" . | fromJson -}}
{{- $urls := list -}}
{{- range $config.providers }}{{ if kindIs "map" . }}{{ $urls = append $urls (toString .base_url) }}{{ end }}{{ end -}}
{{- range .Values.extraEnv }}{{ $urls = append $urls (toString .value) }}{{ end -}}
{{- $ports := list 443 -}}
{{- range $urls -}}
{{- if regexMatch "^https?://" . -}}
{{- $port := regexFind ":[0-9]+$" (regexFind "^https?://[^/?#]+" .) | trimPrefix ":" -}}
{{- if $port }}{{ $ports = append $ports (int $port) }}{{ else if hasPrefix "http:" . }}{{ $ports = append $ports 80 }}{{ end -}}
{{- end -}}
{{- end -}}
{{- with $config.store.postgres -}}
{{- $port := regexFind ":[0-9]+(/|$)" (toString .url) | trimPrefix ":" | trimSuffix "/" -}}
{{- $ports = append $ports (int (default 5432 $port)) -}}
{{- end -}}
{{- $ports | uniq | toJson -}}
{{- end -}}
